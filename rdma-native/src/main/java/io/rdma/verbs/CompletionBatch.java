package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.Wc;
import io.rdma.internal.os.NativeMemory;
import java.lang.foreign.Arena;

/**
 * Preallocated room for the completions of one poll, {@code struct ibv_wc[]}. One thread. The accessors take an index
 * below what {@link CompletionQueue#poll} returned; on failure only {@link #wrId}, {@link #status}, {@link #qpNumber}
 * and {@link #vendorError} are valid.
 */
public final class CompletionBatch {
    private final long address;
    private final int capacity;

    /**
     * Room for some completions.
     *
     * @param capacity at least 1
     */
    public CompletionBatch(int capacity) {
        this.capacity = capacity;
        // Reachability keeps the memory, which the device never sees: the library copies into it during a poll.
        this.memory = Arena.ofAuto().allocate((long) capacity * (Wc.SIZE + Long.BYTES), 64);
        this.address = memory.address();
    }

    @SuppressWarnings({"unused", "FieldCanBeLocal"}) // keeps the automatic arena alive
    private final java.lang.foreign.MemorySegment memory;

    /**
     * Most completions of one poll.
     *
     * @return capacity
     */
    public int capacity() {
        return capacity;
    }

    long address() {
        return address;
    }

    /** One for each completion, behind them. */
    long timestamps() {
        return address + (long) capacity * Wc.SIZE;
    }

    private long at(int index) {
        return address + (long) java.util.Objects.checkIndex(index, capacity) * Wc.SIZE;
    }

    /**
     * What the work request carried.
     *
     * @param index of the completion
     * @return wr_id
     */
    public long wrId(int index) {
        return Wc.wrId(at(index));
    }

    /**
     * Status as a number, 0 is success.
     *
     * @param index of the completion
     * @return code of a {@link WorkCompletionStatus}
     */
    public int status(int index) {
        return Wc.status(at(index));
    }

    /**
     * Operation; undefined on failure.
     *
     * @param index of the completion
     * @return {@code IBV_WC_*}
     */
    public int opcode(int index) {
        return Wc.opcode(at(index));
    }

    /**
     * Whether a receive was consumed by a WRITE_WITH_IMM, so that the data is not in the receive buffer; undefined on
     * failure.
     *
     * @param index of the completion
     * @return true if so
     */
    public boolean isReceiveOfWrite(int index) {
        return opcode(index) == Ibv.WC_RECV_RDMA_WITH_IMM;
    }

    /**
     * Bytes received, read or fetched; undefined on failure.
     *
     * @param index of the completion
     * @return bytes
     */
    public int byteLength(int index) {
        return Wc.byteLen(at(index));
    }

    /**
     * Whether {@link #immediate} is valid.
     *
     * @param index of the completion
     * @return true if the peer sent immediate data
     */
    public boolean hasImmediate(int index) {
        return (Wc.wcFlags(at(index)) & Ibv.WC_WITH_IMM) != 0;
    }

    /**
     * Immediate data in host order.
     *
     * @param index of the completion
     * @return the 4 bytes
     */
    public int immediate(int index) {
        return Wc.immData(at(index));
    }

    /**
     * Whether {@link #invalidatedKey} is valid.
     *
     * @param index of the completion
     * @return true if the peer sent with invalidate
     */
    public boolean hasInvalidatedKey(int index) {
        return (Wc.wcFlags(at(index)) & Ibv.WC_WITH_INV) != 0;
    }

    /**
     * The remote key of this side that the peer invalidated.
     *
     * @param index of the completion
     * @return the key
     */
    public int invalidatedKey(int index) {
        return Wc.invalidatedRkey(at(index));
    }

    /**
     * Local queue pair.
     *
     * @param index of the completion
     * @return number
     */
    public int qpNumber(int index) {
        return Wc.qpNum(at(index));
    }

    /**
     * The vendor's error code.
     *
     * @param index of the completion
     * @return code
     */
    public int vendorError(int index) {
        return Wc.vendorErr(at(index));
    }

    /**
     * Whether the first 40 bytes of the receive hold a {@link GlobalRoutingHeader}, {@code IBV_WC_GRH}; datagrams only.
     *
     * @param index of the completion
     * @return true if so
     */
    public boolean hasGlobalRoute(int index) {
        return (Wc.wcFlags(at(index)) & Ibv.WC_GRH) != 0;
    }

    /**
     * Who sent a datagram.
     *
     * @param index of the completion
     * @return queue pair number, 24 bits
     */
    public int sourceQueuePair(int index) {
        return Wc.srcQp(at(index));
    }

    /**
     * Where a datagram was sent from, InfiniBand only.
     *
     * @param index of the completion
     * @return LID
     */
    public int sourceLid(int index) {
        return Wc.slid(at(index));
    }

    /**
     * Service level of a datagram.
     *
     * @param index of the completion
     * @return 0 to 15
     */
    public int serviceLevel(int index) {
        return Wc.sl(at(index));
    }

    /**
     * Path bits of the LID that a datagram was sent to, InfiniBand only.
     *
     * @param index of the completion
     * @return 0 to 127
     */
    public int destinationPathBits(int index) {
        return Wc.dlidPathBits(at(index));
    }

    /**
     * Partition of a datagram to the management queue pair.
     *
     * @param index of the completion
     * @return index in the table
     */
    public int pkeyIndex(int index) {
        return Wc.pkeyIndex(at(index));
    }

    /**
     * When the operation completed; of a queue that was created with a {@link CompletionTimestamp} only, undefined on
     * failure.
     *
     * @param index of the completion
     * @return ticks of the device's clock, or nanoseconds since 1970
     */
    public long timestamp(int index) {
        return NativeMemory.getLong(timestamps() + (long) java.util.Objects.checkIndex(index, capacity) * Long.BYTES);
    }
}
