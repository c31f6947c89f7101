package io.rdma.internal.soft.wire;

import io.rdma.internal.ibv.NativeMemory;

/**
 * One packet: header fields, and the payload as a list of pieces of process memory. Reused; owned by the device thread.
 *
 * <p>Invariant: {@code payload} is the sum of the piece lengths. A receiver must consume the payload before it returns.
 */
public final class Packet {
    private static final int MAX_PIECES = 32;

    public int transport; // Opcode.RC, UC, UD or XRC
    public int opcode;
    public int destQpn;
    public int psn;
    public boolean ackRequest;
    public boolean solicited;
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
    public int qkey;
    public int srcQpn;
    public int srqn;

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
        pad = 0;
        payload = 0;
        pieces = 0;
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
            NativeMemory.copy(pieceAddress[i] + skip, target, n);
            target += n;
            left -= n;
            skip = 0;
        }
    }
}
