package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.Psn;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.internal.soft.wire.UdpAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Peer of a queue pair, which a test plays packet by packet. It names the memory of the queue pair's side. */
final class PacketPeer implements AutoCloseable {
    private static final int QPN = 0x4711;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Packet packet = new Packet();
    private final Packet answer = new Packet();
    private final UdpLink link = new UdpLink(SoftConfig.loopback(), new Counters());
    private final SoftSide side;
    private final InetSocketAddress device;
    private final MemorySegment payload;

    /**
     * Connects the queue pair of a side to this peer.
     *
     * @param psn of the first packet in both directions
     * @param retransmitAfter wait for an acknowledge: 4.096 µs times 2 to the power of this
     */
    PacketPeer(Arena arena, SoftSide side, int psn, int retransmitAfter) {
        this.side = side;
        device = SoftAddress.of(side.gid());
        payload = arena.allocate(Packet.LONGEST_JOINED, 8);
        for (long i = 0; i < payload.byteSize(); i += Integer.BYTES) {
            payload.set(ValueLayout.JAVA_INT, i, (int) (i * 0x9e3779b1L));
        }
        side.connect(SoftAddress.gid(link.local()), QPN, psn, retransmitAfter);
    }

    /** Bytes that packets carry, from the first on. */
    MemorySegment payload() {
        return payload;
    }

    /** Returns a packet that announces what it carries, to be changed and {@link #send sent}. */
    Packet packet(int opcode, int psn, int bytes) {
        packet.reset(opcode, side.qp.qpNum(), psn & Psn.MASK);
        packet.ackRequest = true;
        packet.remoteAddress = side.memory.address();
        packet.rkey = side.mr.rkey();
        packet.length = bytes;
        packet.swapAdd = 1;
        packet.addPiece(payload.address(), bytes);
        return packet;
    }

    void send(Packet made) {
        link.sendConnected(made, device, new UdpAddress(device));
        link.flushAll();
    }

    /** Awaits the next packet of the device. */
    Packet answer() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (link.receive(answer) == null) {
            assertThat(System.nanoTime()).as("an answer in time").isLessThan(deadline);
            link.await(1_000_000, true);
        }
        return answer;
    }

    /** Awaits an acknowledge or refusal. */
    void expect(int syndrome, int psn) {
        Packet got = answer();
        assertThat(got.opcode).isEqualTo(Opcode.ACKNOWLEDGE);
        assertThat(got.syndrome).isEqualTo(syndrome);
        assertThat(got.psn).isEqualTo(psn & Psn.MASK);
    }

    /** Returns whether packets to the device may be joined. */
    boolean joins() {
        return link.joins(device);
    }

    @Override
    public void close() {
        link.close();
    }
}
