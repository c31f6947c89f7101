package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.link.SoftFaults;
import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.SoftAddress;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Answers to a peer that repeats its requests, packet by packet. */
@Tag("link")
class DuplicateRequestTest {
    private static final int PSN = 0x1000;
    private static final int PEER_QPN = 0x4711;
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    private final Packet packet = new Packet();
    private Arena arena;
    private UdpLink peer;
    private SoftSide side;

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        peer = new UdpLink(SoftConfig.loopback(), new Counters());
        side = new SoftSide(arena, SoftFaults.NONE);
        side.connect(SoftAddress.gid(peer.local()), PEER_QPN, PSN);
    }

    @AfterEach
    void close() {
        side.close();
        peer.close();
        arena.close();
    }

    private void send(int opcode, int psn, long address) {
        packet.reset(opcode, side.qp.qpNum(), psn);
        packet.ackRequest = true;
        packet.remoteAddress = address;
        packet.rkey = side.mr.rkey();
        packet.swapAdd = 1;
        peer.send(packet, SoftAddress.of(side.gid()));
        peer.flush();
    }

    private void expect(int opcode, int psn) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (peer.receive(packet) == null) {
            assertThat(System.nanoTime()).as("an answer in time").isLessThan(deadline);
            peer.await(1_000_000, true);
        }
        assertThat(packet.opcode).isEqualTo(opcode);
        assertThat(packet.psn).isEqualTo(psn);
    }

    /**
     * rdma_rxe takes an acknowledge with the PSN of a read or atomic for its answer, without data. A peer that lost the
     * answer to a read and repeats the write before it must not get such an acknowledge.
     */
    @Test
    void theAcknowledgeOfARepeatedWriteNeverCoversALaterReadOrAtomic() {
        long address = side.memory.address();
        send(Opcode.WRITE_ONLY, PSN, address);
        expect(Opcode.ACKNOWLEDGE, PSN);
        send(Opcode.READ_REQUEST, PSN + 1, address);
        expect(Opcode.READ_ONLY, PSN + 1);
        send(Opcode.WRITE_ONLY, PSN, address);
        expect(Opcode.ACKNOWLEDGE, PSN);
        send(Opcode.FETCH_ADD, PSN + 2, address);
        expect(Opcode.ATOMIC_ACKNOWLEDGE, PSN + 2);
        send(Opcode.WRITE_ONLY, PSN, address);
        expect(Opcode.ACKNOWLEDGE, PSN);
        send(Opcode.WRITE_ONLY, PSN + 3, address);
        expect(Opcode.ACKNOWLEDGE, PSN + 3);
        send(Opcode.WRITE_ONLY, PSN, address);
        expect(Opcode.ACKNOWLEDGE, PSN + 3);
    }
}
