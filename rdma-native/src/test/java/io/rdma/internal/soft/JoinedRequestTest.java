package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.soft.link.SoftFaults;
import io.rdma.internal.soft.wire.Aeth;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Joined packets in shared memory, of a peer that need not be well-behaved. They count as the packets that they stand
 * for: the answers are those of the IB specification, volume 1, 9.7.4.
 */
class JoinedRequestTest {
    private static final int PSN = 0xffffe0; // wraps soon
    private static final int PATIENT = 20; // 4.3 s, because the test itself answers
    private static final int MTU = 1024;
    private static final byte GUARD = 0x5a;

    private final Arena arena = Arena.ofShared();
    private SoftSide side;
    private PacketPeer peer;
    private int psn = PSN;

    @BeforeEach
    void share() {
        assumeThat(Path.of("/dev/shm")).as("memory for rings").exists();
        side = new SoftSide(arena, SoftFaults.NONE);
        peer = new PacketPeer(arena, side, PSN, PATIENT);
        for (int i = 0; !peer.joins() || sharedByDevice() == 0; i++) {
            assertThat(i).as("packets before there is a ring").isLessThan(1_000_000);
            peer.send(peer.packet(Opcode.WRITE_ONLY, psn, 8));
            peer.expect(Aeth.ACK, psn++);
        }
        side.memory.fill(GUARD);
    }

    @AfterEach
    void close() {
        if (side != null) {
            side.close();
            peer.close();
        }
        arena.close();
    }

    private long sharedByDevice() {
        return side.verbs.counters().get(Counter.RING_PKTS.label());
    }

    private Packet joined(int opcode, int from, int bytes) {
        Packet packet = peer.packet(opcode, from, bytes);
        packet.mtu = MTU;
        return packet;
    }

    private void assertWritten(int bytes) {
        MemorySegment written = side.memory.asSlice(0, bytes);
        assertThat(written.mismatch(peer.payload().asSlice(0, bytes))).isEqualTo(-1);
        assertThat(side.memory.get(ValueLayout.JAVA_BYTE, bytes)).isEqualTo(GUARD);
    }

    @Test
    void acknowledgeIsThatOfTheLastPacketThatItStandsFor() {
        peer.send(joined(Opcode.WRITE_ONLY, psn, Packet.LONGEST_JOINED));
        peer.expect(Aeth.ACK, psn + 63);
        assertWritten(Packet.LONGEST_JOINED);
        peer.send(joined(Opcode.WRITE_ONLY, psn + 64, 2 * MTU + 1));
        peer.expect(Aeth.ACK, psn + 66);
        peer.send(peer.packet(Opcode.WRITE_ONLY, psn + 67, MTU));
        peer.expect(Aeth.ACK, psn + 67);
    }

    /**
     * Its first packets may have come by UDP, before there was a ring, and the device may have asked for what it missed
     * then. It takes what is new.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void packetThatIsOldInPartIsTakenFromWhatIsNew(boolean asked) {
        Packet first = peer.packet(Opcode.WRITE_FIRST, psn, MTU);
        first.length = 3 * MTU;
        peer.send(first);
        peer.expect(Aeth.ACK, psn);
        if (asked) {
            peer.send(peer.packet(Opcode.WRITE_LAST, psn + 2, MTU));
            peer.expect(Aeth.NAK_SEQUENCE, psn + 1);
        }
        assertWritten(MTU);
        peer.send(joined(Opcode.WRITE_ONLY, psn, 3 * MTU));
        peer.expect(Aeth.ACK, psn + 2);
        assertWritten(3 * MTU);
    }

    @Test
    void answerThatIsOldInPartIsTakenFromWhatIsNew() {
        side.send(5, Ibv.WR_RDMA_READ, side, 0, 4 * MTU);
        int asked = peer.answer().psn;
        Packet packet = peer.packet(Opcode.READ_FIRST, asked, MTU);
        packet.syndrome = Aeth.ACK;
        peer.send(packet);
        packet = joined(Opcode.READ_ONLY, asked, 4 * MTU);
        packet.syndrome = Aeth.ACK;
        peer.send(packet);
        side.expect(5);
        assertWritten(4 * MTU);
    }

    @Test
    void repeatedPacketIsAcknowledgedAgainAndNotExecuted() {
        peer.send(joined(Opcode.WRITE_ONLY, psn, 2 * MTU));
        peer.expect(Aeth.ACK, psn + 1);
        side.memory.fill(GUARD);
        peer.send(joined(Opcode.WRITE_ONLY, psn, 2 * MTU));
        peer.expect(Aeth.ACK, psn + 1);
        assertWritten(0);
    }

    /** An MTU that is not that of the queue pair would count other PSNs at each end. */
    @ParameterizedTest
    @CsvSource({
        "0x0a, 4096, 8192", // WRITE only
        "0x0a, 512, 8192",
        "0x0a, 0, 1028", // one packet, longer than the path MTU
        "0x06, 1024, 2049", // WRITE first, which ends within an MTU
        "0x06, 1024, 0",
        "0x00, 1024, 2052", // SEND first
    })
    void packetOfAnotherSizeIsInvalid(int opcode, int mtu, int bytes) {
        side.receive(1, 0, SoftSide.SIZE);
        Packet packet = peer.packet(opcode, psn, bytes);
        packet.length = Opcode.goesOn(opcode) ? 2L * bytes : bytes;
        packet.mtu = mtu;
        peer.send(packet);
        peer.expect(Aeth.NAK_INVALID_REQUEST, psn);
        assertWritten(0);
    }

    @Test
    void writeBeyondTheRegionIsRefusedAndWritesNothing() {
        Packet packet = joined(Opcode.WRITE_ONLY, psn, 4 * MTU);
        packet.remoteAddress += SoftSide.SIZE - 3 * MTU;
        peer.send(packet);
        peer.expect(Aeth.NAK_REMOTE_ACCESS, psn);
        assertThat(side.memory.get(ValueLayout.JAVA_BYTE, SoftSide.SIZE - 1)).isEqualTo(GUARD);
    }

    @Test
    void sendLongerThanItsReceiveIsInvalid() {
        side.receive(1, 0, 2 * MTU);
        peer.send(joined(Opcode.SEND_ONLY, psn, 2 * MTU + 1));
        peer.expect(Aeth.NAK_INVALID_REQUEST, psn);
        side.expect(1, Ibv.WC_LOC_LEN_ERR);
        assertWritten(0);
    }

    @Test
    void readIsAnsweredByJoinedPackets() {
        Packet read = peer.packet(Opcode.READ_REQUEST, psn, 0);
        read.length = 70 * MTU + 5;
        peer.send(read);
        Packet got = peer.answer();
        assertThat(got.opcode).isEqualTo(Opcode.READ_FIRST);
        assertThat(got.packets()).isEqualTo(64);
        got = peer.answer();
        assertThat(got.opcode).isEqualTo(Opcode.READ_LAST);
        assertThat(got.psn).isEqualTo(psn + 64 & 0xffffff);
        assertThat(got.packets()).isEqualTo(7);
        assertThat(got.payload).isEqualTo(6 * MTU + 5);
    }

    /** The answer to a read of two packets, which is none. */
    @ParameterizedTest
    @CsvSource({"4096, 2048", "512, 2048", "1024, 2047", "1024, 2049", "1024, 3072", "1024, 65536", "0, 2048"})
    void answerOfAnotherSizeEndsTheQueuePairAndTouchesNothing(int mtu, int bytes) {
        side.send(5, Ibv.WR_RDMA_READ, side, 0, 2 * MTU);
        int asked = peer.answer().psn;
        Packet packet = peer.packet(Opcode.READ_ONLY, asked, bytes);
        packet.mtu = mtu;
        packet.syndrome = Aeth.ACK;
        peer.send(packet);
        side.expect(5, Ibv.WC_BAD_RESP_ERR);
        assertWritten(0);
    }

    @Test
    void halfOfAnAnswerIsTakenAndTheRestAwaited() {
        side.send(5, Ibv.WR_RDMA_READ, side, 0, 4 * MTU);
        int asked = peer.answer().psn;
        Packet packet = joined(Opcode.READ_FIRST, asked, 3 * MTU);
        packet.syndrome = Aeth.ACK;
        peer.send(packet);
        packet = peer.packet(Opcode.READ_LAST, asked + 3, 0);
        packet.addPiece(peer.payload().address() + 3 * MTU, MTU);
        packet.syndrome = Aeth.ACK;
        peer.send(packet);
        side.expect(5);
        assertWritten(4 * MTU);
    }

    /**
     * The region is deregistered while the window is full. The request fails at this end; the peer does not get a
     * message that is shorter.
     */
    @Test
    void deregisteredSourceOfALongMessageIsALocalProtectionError() {
        side.send(5, Ibv.WR_SEND, side, 0, 200 * MTU);
        Packet first = peer.answer();
        assertThat(first.packets()).isLessThan(200);
        side.verbs.deregMr(side.mr.handle());
        Packet acknowledge = peer.packet(Opcode.ACKNOWLEDGE, first.psn, 0);
        acknowledge.syndrome = Aeth.ACK;
        peer.send(acknowledge);
        side.expect(5, Ibv.WC_LOC_PROT_ERR);
        side.register();
    }
}
