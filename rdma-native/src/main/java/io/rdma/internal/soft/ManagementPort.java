package io.rdma.internal.soft;

import io.rdma.internal.ffi.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Queue pair 1, IB specification volume 1, 13.5: management datagrams to whoever manages, and his to others. In a turn. */
final class ManagementPort {
    static final int QPN = 1;
    private static final int QKEY = 0x80010000;

    /** Who manages; must not block. */
    interface Receiver {
        /** @return false if there is no room for it */
        boolean arrived(MadCodec.Mad mad, InetSocketAddress from);
    }

    private final SoftDevice device;
    private final UdpLink link;
    private final Receiver receiver;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(MadCodec.BYTES);
    private final long address = MemorySegment.ofBuffer(memory).address();
    private final Packet packet = new Packet();
    private int psn;

    ManagementPort(SoftDevice device, UdpLink link, Receiver receiver) {
        this.device = device;
        this.link = link;
        this.receiver = receiver;
    }

    void send(byte[] mad, InetSocketAddress to) {
        memory.put(0, mad);
        packet.reset(Opcode.SEND_ONLY, QPN, psn);
        psn = Psn.add(psn, 1);
        packet.transport = Opcode.UD;
        packet.qkey = QKEY;
        packet.srcQpn = QPN;
        packet.addPiece(address, MadCodec.BYTES);
        device.counters.count(Counter.SENT_PKTS);
        if (to.equals(link.local()) && !link.faulty()) {
            link.capture(packet);
            deliver(packet, link.endpoint());
        } else {
            link.send(packet, to);
        }
    }

    void deliver(Packet p, Endpoint from) {
        if (p.qkey != QKEY) {
            device.counters.count(Counter.QKEY_ERR);
            return;
        }
        MadCodec.Mad mad = p.srcQpn == QPN ? decoded(p) : null;
        if (mad == null) {
            device.counters.count(Counter.MALFORMED_PKTS);
        } else if (!receiver.arrived(mad, answersGoTo(from))) {
            device.counters.count(Counter.LOST_PKTS);
        }
    }

    private static MadCodec.@Nullable Mad decoded(Packet p) {
        if (p.payload != MadCodec.BYTES || p.pieces != 1) {
            return null;
        }
        byte[] bytes = new byte[MadCodec.BYTES];
        MemorySegment.copy(NativeMemory.ALL, ValueLayout.JAVA_BYTE, p.pieceAddress[0], bytes, 0, bytes.length);
        return MadCodec.decode(bytes);
    }

    /** On port 4791 a device may send from any port. */
    private InetSocketAddress answersGoTo(Endpoint from) {
        boolean ours = link.endpoint().port == SoftAddress.ROCE_PORT;
        return new InetSocketAddress(from.address(), ours ? SoftAddress.ROCE_PORT : from.port);
    }
}
