package io.rdma.internal.soft;

import static io.rdma.internal.ffi.Ibv.*;

/** One slot of a queue: a copy of what was posted, and the progress of it. Reused. */
final class WorkRequest {
    long wrId;
    int opcode;
    boolean signaled;
    boolean solicited;
    boolean fence;
    boolean inline;
    int imm;
    long remoteAddress;
    int rkey;
    long compareAdd;
    long swap;
    long length;
    int numSge;
    final long[] address;
    final int[] bytes;
    final int[] lkey;

    /** Whether it has its PSNs. */
    boolean numbered;

    /** For a read: responses that were asked for so far. */
    int asked;

    /** Packets that the peer has acknowledged. */
    int acked;

    /** First packet sequence number, packets (responses for a read), and how many responses came. */
    int firstPsn;

    int packets;
    int done;

    /** For receives: whether immediate data arrived; {@link #imm} has it. */
    boolean immArrived;

    /** Where inline data is copied to; 0 if the queue has none. */
    final long inlineData;

    WorkRequest(int maxSge, long inlineData) {
        this.inlineData = inlineData;
        int n = Math.max(1, maxSge);
        address = new long[n];
        bytes = new int[n];
        lkey = new int[n];
    }

    boolean answered() {
        return opcode >= WR_RDMA_READ;
    }

    boolean isSend() {
        return opcode == WR_SEND || opcode == WR_SEND_WITH_IMM;
    }

    boolean hasImm() {
        return opcode == WR_SEND_WITH_IMM || opcode == WR_RDMA_WRITE_WITH_IMM;
    }
}
