package io.rdma.internal.soft.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

// Wire format, IB specification volume 1, chapter 9 and annex A17: UDP payload = BTH, extended headers, payload, pad to
// 4 bytes, ICRC. A packet that does not parse causes no allocation and no exception.

/** Codec of packets, without their ICRC. */
public final class PacketCodec {
    private static final int BTH = 12;
    private static final int DEFAULT_PKEY = 0xffff;

    private PacketCodec() {}

    /**
     * Writes a packet.
     *
     * @param b direct buffer, at {@code base} in memory
     * @return number of bytes from BTH to pad
     */
    public static int encode(Packet p, ByteBuffer b, long base, int at) {
        int pad = -p.payload & 3;
        b.limit(b.capacity()).position(at);
        b.put((byte) Opcode.wire(p.transport, p.opcode))
                .put((byte) ((p.solicited ? 0x80 : 0) | (p.migrated ? 0x40 : 0) | pad << 4))
                .putShort((short) DEFAULT_PKEY);
        b.putInt(p.destQpn & 0xffffff).putInt((p.ackRequest ? 0x80000000 : 0) | p.psn & Psn.MASK);
        if (p.transport == Opcode.UD) {
            b.putInt(p.qkey).putInt(p.srcQpn);
        }
        if (Opcode.hasXrceth(p.transport, p.opcode)) {
            b.putInt(p.srqn & 0xffffff);
        }
        if (p.opcode == Opcode.FLUSH) {
            b.putInt(p.placement);
        }
        if (Opcode.hasReth(p.opcode)) {
            b.putLong(p.remoteAddress).putInt(p.rkey).putInt((int) p.length);
        }
        if (Opcode.hasImm(p.opcode)) {
            b.putInt(p.imm);
        }
        if (Opcode.hasIeth(p.opcode)) {
            b.putInt(p.invalidate);
        }
        if (Opcode.isAtomic(p.opcode)) {
            b.putLong(p.remoteAddress).putInt(p.rkey).putLong(p.swapAdd).putLong(p.compare);
        }
        if (Opcode.hasAeth(p.opcode)) {
            b.putInt(p.syndrome << 24 | p.msn & 0xffffff);
        }
        if (p.opcode == Opcode.ATOMIC_ACKNOWLEDGE) {
            b.putLong(p.original);
        } else if (p.opcode == Opcode.ATOMIC_WRITE) {
            b.putLong(asBytes(p.swapAdd));
        }
        int header = b.position();
        p.copyOut(0, base + header, p.payload);
        int end = header + p.payload;
        for (int i = 0; i < pad; i++) {
            b.put(end++, (byte) 0);
        }
        return end - at;
    }

    /** Swaps the bytes of an atomic write, a payload, between those of memory and those of a big-endian number. */
    private static long asBytes(long value) {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Long.reverseBytes(value) : value;
    }

    /**
     * Reads a packet. Its payload stays in the buffer.
     *
     * @param in direct buffer, at {@code base} in memory
     * @param length number of bytes from BTH to pad
     * @return false if it is not a valid packet
     */
    public static boolean decode(Packet p, ByteBuffer in, long base, int at, int length) {
        if (length < BTH || (length & 3) != 0) {
            return false;
        }
        int transport = Opcode.transport(in.get(at) & 0xff);
        int opcode = Opcode.operation(in.get(at) & 0xff);
        int flags = in.get(at + 1);
        int header = Opcode.headerBytes(transport, opcode);
        int pad = flags >> 4 & 3;
        int payload = length - header - pad;
        if (!Opcode.known(transport, opcode)
                || (flags & 0xf) != 0
                || (in.getShort(at + 2) & 0x7fff) != (DEFAULT_PKEY & 0x7fff)
                || payload < 0
                || payload > 0 && !Opcode.hasPayload(opcode)) {
            return false;
        }
        p.reset(opcode, in.getInt(at + 4) & 0xffffff, in.getInt(at + 8) & Psn.MASK);
        p.transport = transport;
        p.solicited = (flags & 0x80) != 0;
        p.migrated = (flags & 0x40) != 0;
        p.ackRequest = in.getInt(at + 8) < 0;
        in.limit(in.capacity()).position(at + BTH);
        if (transport == Opcode.UD) {
            p.qkey = in.getInt();
            p.srcQpn = in.getInt() & 0xffffff;
        }
        if (Opcode.hasXrceth(transport, opcode)) {
            p.srqn = in.getInt() & 0xffffff;
        }
        if (opcode == Opcode.FLUSH) {
            p.placement = in.getInt();
        }
        if (Opcode.hasReth(opcode)) {
            p.remoteAddress = in.getLong();
            p.rkey = in.getInt();
            p.length = Integer.toUnsignedLong(in.getInt());
        }
        if (Opcode.hasImm(opcode)) {
            p.imm = in.getInt();
        }
        if (Opcode.hasIeth(opcode)) {
            p.invalidate = in.getInt();
        }
        if (Opcode.isAtomic(opcode)) {
            p.remoteAddress = in.getLong();
            p.rkey = in.getInt();
            p.swapAdd = in.getLong();
            p.compare = in.getLong();
        }
        if (Opcode.hasAeth(opcode)) {
            int aeth = in.getInt();
            p.syndrome = aeth >>> 24;
            p.msn = aeth & 0xffffff;
        }
        if (opcode == Opcode.ATOMIC_ACKNOWLEDGE) {
            p.original = in.getLong();
        } else if (opcode == Opcode.ATOMIC_WRITE) {
            p.swapAdd = asBytes(in.getLong());
        }
        p.addPiece(base + at + header, payload);
        return true;
    }
}
