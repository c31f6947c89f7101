package io.rdma.internal.soft.objects;

import static io.rdma.internal.ffi.Ibv.*;

import org.jspecify.annotations.Nullable;

/** One slot of a queue: a copy of what was posted, and the progress of it. Reused. */
public final class QueuedRequest {
    public long wrId;
    public int opcode;
    public boolean signaled;
    public boolean solicited;
    public boolean fence;
    public boolean inline;
    public int imm;
    public long remoteAddress;
    public int remoteSrqn; // XRC
    public int rkey;
    public long compareAdd;
    public long swap;
    /** Key that a local or remote invalidation ends. */
    public int invalidate;
    /** Of a binding. */
    @Nullable
    public Bind bind;

    public long length;
    public int numSge;
    public final long[] address;
    public final int[] bytes;
    public final int[] lkey;

    /** Whether it has its PSNs. */
    public boolean numbered;

    /** For a read: responses that were asked for so far. */
    public int asked;

    /** Packets that the peer has acknowledged. */
    public int acked;

    /** First packet sequence number, packets (responses for a read), and how many responses came. */
    public int firstPsn;

    public int packets;
    public int done;

    /** For datagrams: where to, and the keys there. */
    @Nullable
    public SoftAh ah;

    public int remoteQpn;
    public int remoteQkey;

    /**
     * For receives: {@code IBV_WC_*} of what arrived with the message, immediate data or an invalidated key;
     * {@link #imm} has it.
     */
    public int arrivedWith;

    /** For receives: the sender of a datagram. */
    int srcQpn;

    /** Where inline data is copied to; 0 if the queue has none. */
    public final long inlineData;

    QueuedRequest(int maxSge, long inlineData) {
        this.inlineData = inlineData;
        int n = Math.max(1, maxSge);
        address = new long[n];
        bytes = new int[n];
        lkey = new int[n];
    }

    public boolean answered() {
        return opcode >= WR_RDMA_READ && opcode <= WR_ATOMIC_FETCH_AND_ADD;
    }

    public boolean isAtomic() {
        return opcode == WR_ATOMIC_CMP_AND_SWP || opcode == WR_ATOMIC_FETCH_AND_ADD;
    }

    /** Whether no packet is needed for it. */
    public boolean isLocal() {
        return opcode == WR_LOCAL_INV || opcode == WR_BIND_MW;
    }

    public boolean isSend() {
        return opcode == WR_SEND || opcode == WR_SEND_WITH_IMM || opcode == WR_SEND_WITH_INV;
    }

    public boolean hasImm() {
        return opcode == WR_SEND_WITH_IMM || opcode == WR_RDMA_WRITE_WITH_IMM;
    }

    /** {@code IBV_WC_*} of its completion. */
    public int completionOpcode() {
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
