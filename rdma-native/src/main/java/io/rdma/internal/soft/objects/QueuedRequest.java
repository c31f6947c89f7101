package io.rdma.internal.soft.objects;

import static io.rdma.internal.ibv.Ibv.*;
import static io.rdma.internal.ibv.MemoryPlacement.WC_FLUSH;
import static io.rdma.internal.ibv.MemoryPlacement.WR_FLUSH;

import io.rdma.internal.ibv.MemoryPlacement;
import org.jspecify.annotations.Nullable;

/** One slot of a queue: a copy of the posted work request, and its progress. Reused. */
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
    /** Of a FLUSH: its header. Its range has the length {@link #swap}, and no data. */
    public int placement;
    /** Key to invalidate, here or at the peer. */
    public int invalidate;
    /** Parameters of a binding; null for other operations. */
    @Nullable
    public Bind bind;

    public long length;
    public int numSge;
    private final long[] entries; // two for each: the address, then length and key

    /** Whether its PSNs are assigned. */
    public boolean numbered;

    /** For a read: number of responses requested so far. */
    public int asked;

    /** Number of packets that the peer has acknowledged. */
    public int acked;

    /** First PSN; followed by the number of packets (for a read, of responses), and of responses received. */
    public int firstPsn;

    public int packets;
    public int done;

    /** For datagrams: the path, and the queue pair and QKey at the destination. */
    @Nullable
    public SoftAh ah;

    public int remoteQpn;
    public int remoteQkey;

    /**
     * For receives: the completion's flags, {@code IBV_WC_*}. If the message carried immediate data or a key to
     * invalidate, {@link #imm} holds it.
     */
    public int arrivedWith;

    /** For receives: queue pair number of a datagram's sender. */
    int srcQpn;

    /** Address of the copy of inline data; 0 for receives. */
    public final long inlineData;

    QueuedRequest(int maxSge, long inlineData) {
        this.inlineData = inlineData;
        entries = new long[2 * Math.max(1, maxSge)];
    }

    /** Sets an entry of the scatter/gather list. */
    public void entry(int index, long address, int bytes, int lkey) {
        entries[2 * index] = address;
        entries[2 * index + 1] = (long) bytes << 32 | Integer.toUnsignedLong(lkey);
    }

    /** Moves an entry to other memory of the same length. */
    public void move(int index, long address) {
        entries[2 * index] = address;
    }

    public long address(int index) {
        return entries[2 * index];
    }

    public int bytes(int index) {
        return (int) (entries[2 * index + 1] >> 32);
    }

    public int lkey(int index) {
        return (int) entries[2 * index + 1];
    }

    public boolean answered() {
        return opcode >= WR_RDMA_READ && opcode <= WR_ATOMIC_FETCH_AND_ADD || isPlacement();
    }

    /** Returns whether it belongs to the memory placement extensions, IB specification, annex A19. */
    public boolean isPlacement() {
        return MemoryPlacement.isPlacement(opcode);
    }

    public boolean isAtomic() {
        return opcode == WR_ATOMIC_CMP_AND_SWP || opcode == WR_ATOMIC_FETCH_AND_ADD;
    }

    /** Returns whether it is done without any packet. */
    public boolean isLocal() {
        return opcode == WR_LOCAL_INV || opcode == WR_BIND_MW;
    }

    public boolean isSend() {
        return opcode == WR_SEND || opcode == WR_SEND_WITH_IMM || opcode == WR_SEND_WITH_INV;
    }

    public boolean hasImm() {
        return opcode == WR_SEND_WITH_IMM || opcode == WR_RDMA_WRITE_WITH_IMM;
    }

    /** Returns the opcode of its completion, {@code IBV_WC_*}. */
    public int completionOpcode() {
        return switch (opcode) {
            case WR_RDMA_READ -> WC_RDMA_READ;
            case WR_ATOMIC_CMP_AND_SWP -> WC_COMP_SWAP;
            case WR_ATOMIC_FETCH_AND_ADD -> WC_FETCH_ADD;
            case WR_RDMA_WRITE, WR_RDMA_WRITE_WITH_IMM -> WC_RDMA_WRITE;
            case WR_LOCAL_INV -> WC_LOCAL_INV;
            case WR_BIND_MW -> WC_BIND_MW;
            case WR_FLUSH -> WC_FLUSH;
            case WR_ATOMIC_WRITE -> WC_ATOMIC_WRITE;
            default -> WC_SEND;
        };
    }
}
