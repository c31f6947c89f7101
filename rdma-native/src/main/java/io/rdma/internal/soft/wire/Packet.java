package io.rdma.internal.soft.wire;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.os.ProcessMemory;

/**
 * One packet: header fields, and the payload as a list of pieces of process memory. Reused; owned by the device thread.
 * Where no datagram carries it, it may be a joined one, which stands for the packets that its payload has path MTUs.
 *
 * <p>Invariant: {@code payload} is the sum of the piece lengths. A receiver must consume the payload before it returns.
 */
public final class Packet {
    /** Bytes of payload of the longest joined packet. */
    public static final int LONGEST_JOINED = 64 << 10;

    private static final int MAX_PIECES = 32;
    // FETH: four bits, then two; the others are reserved, and ignored.
    private static final int TYPES = 0xf;
    private static final int LEVEL_SHIFT = 4;
    private static final int LEVELS = 3;

    public int transport; // Opcode.RC, UC, UD or XRC
    public int opcode;
    public int destQpn;
    public int psn;
    public boolean ackRequest;
    public boolean solicited;
    public boolean migrated; // the MigReq bit
    int pad;
    public long remoteAddress;
    public int rkey;
    public long length;
    public int imm;
    public int invalidate;
    public int syndrome;
    public int msn;
    public long swapAdd;
    public long compare;
    public long original;

    /** Of a FLUSH: its extended transport header. Of an ATOMIC WRITE {@link #swapAdd} is what it writes. */
    public int placement;

    public int qkey;
    public int srcQpn;
    public int srqn;

    /** Path MTU of a joined packet; 0 for one that stands for itself alone. */
    public int mtu;

    public int payload;
    public int pieces;
    public final long[] pieceAddress = new long[MAX_PIECES];
    final int[] pieceLength = new int[MAX_PIECES];

    /** Returns the bytes of a path MTU given as {@code IBV_MTU_*}. */
    public static int mtuBytes(int code) {
        return 128 << code;
    }

    /** Resets to an empty packet, of a reliable connection until {@link #transport} is set. */
    public void reset(int newOpcode, int newDestQpn, int newPsn) {
        transport = Opcode.RC;
        opcode = newOpcode;
        destQpn = newDestQpn;
        psn = newPsn;
        ackRequest = false;
        solicited = false;
        migrated = true;
        pad = 0;
        mtu = 0;
        payload = 0;
        pieces = 0;
    }

    /** Returns the number of packets of a path MTU for so many bytes, at least one: so many PSNs they take. */
    public static int packets(long bytes, int mtu) {
        return (int) Math.max(1, (bytes + mtu - 1) / mtu);
    }

    /** Returns the number of packets that it stands for. */
    public int packets() {
        return mtu == 0 ? 1 : packets(payload, mtu);
    }

    /** Drops the first of the packets that it stands for, at most all but one. */
    public void skip(int count) {
        opcode = Opcode.part(opcode, false, true);
        psn = Psn.add(psn, count);
        int left = mtu * count;
        payload -= left;
        int kept = 0;
        for (int i = 0; i < pieces; i++) {
            int dropped = Math.min(left, pieceLength[i]);
            left -= dropped;
            if (dropped < pieceLength[i]) {
                pieceAddress[kept] = pieceAddress[i] + dropped;
                pieceLength[kept++] = pieceLength[i] - dropped;
            }
        }
        pieces = kept;
    }

    /** Makes another packet one of those that this one stands for. Its payload is the same memory. */
    public void split(int index, Packet into) {
        boolean first = index == 0;
        boolean last = index == packets() - 1;
        into.reset(Opcode.part(opcode, first, last), destQpn, Psn.add(psn, index));
        into.transport = transport;
        into.ackRequest = last && ackRequest;
        into.solicited = last && solicited;
        into.migrated = migrated;
        into.remoteAddress = remoteAddress;
        into.rkey = rkey;
        into.length = length;
        into.imm = imm;
        into.invalidate = invalidate;
        into.syndrome = syndrome;
        into.msn = msn;
        into.swapAdd = swapAdd;
        into.compare = compare;
        into.original = original;
        into.placement = placement;
        into.qkey = qkey;
        into.srcQpn = srcQpn;
        into.srqn = srqn;
        int skip = mtu * index;
        int left = Math.min(payload - skip, mtu == 0 ? payload : mtu);
        for (int i = 0; i < pieces && left > 0; i++) {
            int from = Math.min(skip, pieceLength[i]);
            int bytes = Math.min(pieceLength[i] - from, left);
            into.addPiece(pieceAddress[i] + from, bytes);
            skip -= from;
            left -= bytes;
        }
    }

    /** Returns the extended transport header of a FLUSH. */
    public static int placement(int types, int level) {
        return level << LEVEL_SHIFT | types;
    }

    /** Returns the placement types that a FLUSH asks for, including bits that name no type. */
    public int flushTypes() {
        return placement & TYPES;
    }

    /** Returns the selectivity level of a FLUSH. */
    public int flushLevel() {
        return placement >> LEVEL_SHIFT & LEVELS;
    }

    public void addPiece(long address, int bytes) {
        if (bytes == 0) {
            return;
        }
        pieceAddress[pieces] = address;
        pieceLength[pieces++] = bytes;
        payload += bytes;
    }

    /** Copies {@code bytes} of the payload from {@code offset} on to native memory that the caller has checked. */
    public void copyOut(int offset, long to, int bytes) {
        copy(offset, to, bytes, false);
    }

    /**
     * Does the same with memory that may be unmapped.
     *
     * @return false if not all of it can be written
     */
    public boolean copyOutIfMapped(int offset, long to, int bytes) {
        return copy(offset, to, bytes, true);
    }

    private boolean copy(int offset, long to, int bytes, boolean checked) {
        int skip = offset;
        int left = bytes;
        long target = to;
        for (int i = 0; i < pieces && left > 0; i++) {
            int size = pieceLength[i];
            if (skip >= size) {
                skip -= size;
                continue;
            }
            int n = Math.min(size - skip, left);
            if (!checked) {
                NativeMemory.copy(pieceAddress[i] + skip, target, n);
            } else if (!ProcessMemory.write(pieceAddress[i] + skip, target, n)) {
                return false;
            }
            target += n;
            left -= n;
            skip = 0;
        }
        return true;
    }
}
