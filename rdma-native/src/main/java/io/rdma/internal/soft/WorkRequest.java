package io.rdma.internal.soft;

import static io.rdma.internal.ffi.Ibv.*;

import org.jspecify.annotations.Nullable;

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
    int remoteSrqn; // XRC
    int rkey;
    long compareAdd;
    long swap;
    /** Key that a local or remote invalidation ends. */
    int invalidate;
    /** Of a binding. */
    @Nullable
    Bind bind;

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

    /** For datagrams: where to, and the keys there. */
    @Nullable
    SoftAh ah;

    int remoteQpn;
    int remoteQkey;

    /** For receives: {@code IBV_WC_*} of what arrived with the message, immediate data or an invalidated key; {@link #imm} has it. */
    int arrivedWith;

    /** For receives: the sender of a datagram. */
    int srcQpn;

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
        return opcode >= WR_RDMA_READ && opcode <= WR_ATOMIC_FETCH_AND_ADD;
    }

    boolean isAtomic() {
        return opcode == WR_ATOMIC_CMP_AND_SWP || opcode == WR_ATOMIC_FETCH_AND_ADD;
    }

    /** Whether no packet is needed for it. */
    boolean isLocal() {
        return opcode == WR_LOCAL_INV || opcode == WR_BIND_MW;
    }

    boolean isSend() {
        return opcode == WR_SEND || opcode == WR_SEND_WITH_IMM || opcode == WR_SEND_WITH_INV;
    }

    boolean hasImm() {
        return opcode == WR_SEND_WITH_IMM || opcode == WR_RDMA_WRITE_WITH_IMM;
    }

    /** {@code IBV_WC_*} of its completion. */
    int completionOpcode() {
        return switch (opcode) {
            case WR_RDMA_READ -> WC_RDMA_READ;
            case WR_ATOMIC_CMP_AND_SWP -> WC_COMP_SWAP;
            case WR_ATOMIC_FETCH_AND_ADD -> WC_FETCH_ADD;
            case WR_RDMA_WRITE, WR_RDMA_WRITE_WITH_IMM -> WC_RDMA_WRITE;
            case WR_LOCAL_INV -> WC_LOCAL_INV;
            case WR_BIND_MW -> WC_BIND_MW;
            default -> WC_SEND;
        };
    }
}
