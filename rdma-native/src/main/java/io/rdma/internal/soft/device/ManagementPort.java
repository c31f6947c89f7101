package io.rdma.internal.soft.device;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.Psn;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.internal.soft.wire.UdpAddress;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Queue pair 1, which sends and receives management datagrams for the connection manager. IB specification volume 1,
 * 13.5. In a turn.
 */
public final class ManagementPort {
    static final int QPN = 1;
    /** Length of a management datagram. */
    public static final int BYTES = 256;

    private static final int QKEY = 0x80010000;

    /** Outcome of a received management datagram. */
    public enum Outcome {
        TAKEN,
        MALFORMED,
        NO_ROOM
    }

    /** The connection manager, as receiver of management datagrams. Must not block. */
    public interface Receiver {
        /**
         * Takes a management datagram.
         *
         * @return the outcome, which the port counts
         */
        Outcome arrived(byte[] mad, InetSocketAddress from);
    }

    private final SoftDevice device;
    private final UdpLink link;
    private final Receiver receiver;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
    private final long address = MemorySegment.ofBuffer(memory).address();
    private final Packet packet = new Packet();
    private int psn;

    ManagementPort(SoftDevice device, UdpLink link, Receiver receiver) {
        this.device = device;
        this.link = link;
        this.receiver = receiver;
    }

    public void send(byte[] mad, InetSocketAddress to) {
        memory.put(0, mad);
        packet.reset(Opcode.SEND_ONLY, QPN, psn);
        psn = Psn.add(psn, 1);
        packet.transport = Opcode.UD;
        packet.qkey = QKEY;
        packet.srcQpn = QPN;
        packet.addPiece(address, BYTES);
        device.counters().count(Counter.SENT_PKTS);
        if (to.equals(link.local()) && !link.faulty()) {
            link.capture(packet, link.endpoint());
            deliver(packet, link.endpoint());
        } else {
            link.send(packet, to);
        }
    }

    void deliver(Packet p, UdpAddress from) {
        if (p.qkey != QKEY) {
            device.counters().count(Counter.QKEY_ERR);
            return;
        }
        byte[] mad = p.srcQpn == QPN ? bytes(p) : null;
        Outcome outcome = mad == null ? Outcome.MALFORMED : receiver.arrived(mad, answersGoTo(from));
        switch (outcome) {
            case TAKEN -> {}
            case MALFORMED -> device.counters().count(Counter.MALFORMED_PKTS);
            case NO_ROOM -> device.counters().count(Counter.LOST_PKTS);
        }
    }

    private static byte @Nullable [] bytes(Packet p) {
        if (p.payload != BYTES || p.pieces != 1) {
            return null;
        }
        byte[] bytes = new byte[BYTES];
        MemorySegment.copy(NativeMemory.ALL, ValueLayout.JAVA_BYTE, p.pieceAddress[0], bytes, 0, bytes.length);
        return bytes;
    }

    /** Returns the address for replies. A device that receives on port 4791 may send from any port. */
    private InetSocketAddress answersGoTo(UdpAddress from) {
        boolean ours = link.endpoint().port == SoftAddress.ROCE_PORT;
        return new InetSocketAddress(from.address(), ours ? SoftAddress.ROCE_PORT : from.port);
    }
}
