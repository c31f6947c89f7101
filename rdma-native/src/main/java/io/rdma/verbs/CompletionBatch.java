package io.rdma.verbs;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.Wc;
import io.rdma.types.CompletionTimestamp;
import io.rdma.types.WorkCompletionStatus;
import java.lang.foreign.Arena;

/**
 * A preallocated array for the completions of one poll, {@code struct ibv_wc[]}. One thread. The accessors take an
 * index below the result of {@link CompletionQueue#poll}. For a failed work request only {@link #wrId},
 * {@link #status}, {@link #qpNumber} and {@link #vendorError} are valid.
 */
public final class CompletionBatch {
    private final long address;
    private final int capacity;

    /**
     * Allocates room for completions.
     *
     * @param capacity largest number of completions of one poll, at least 1
     */
    public CompletionBatch(int capacity) {
        this.capacity = capacity;
        // Reachability keeps the memory alive. The device never accesses it: the library copies into it during a poll.
        this.memory = Arena.ofAuto().allocate((long) capacity * (Wc.SIZE + Long.BYTES), 64);
        this.address = memory.address();
    }

    @SuppressWarnings({"unused", "FieldCanBeLocal"}) // keeps the automatic arena alive
    private final java.lang.foreign.MemorySegment memory;

    /**
     * Returns the largest number of completions of one poll.
     *
     * @return the capacity
     */
    public int capacity() {
        return capacity;
    }

    long address() {
        return address;
    }

    /** Returns the address of the timestamps, which follow the completions: one for each. */
    long timestamps() {
        return address + (long) capacity * Wc.SIZE;
    }

    private long at(int index) {
        return address + (long) java.util.Objects.checkIndex(index, capacity) * Wc.SIZE;
    }

    /**
     * Returns the 64 bits that the work request carried.
     *
     * @param index index of the completion
     * @return {@code wr_id}
     */
    public long wrId(int index) {
        return Wc.wrId(at(index));
    }

    /**
     * Returns the status as a number; 0 is success.
     *
     * @param index index of the completion
     * @return code of a {@link WorkCompletionStatus}
     */
    public int status(int index) {
        return Wc.status(at(index));
    }

    /**
     * Returns the operation; undefined on failure.
     *
     * @param index index of the completion
     * @return {@code IBV_WC_*}
     */
    public int opcode(int index) {
        return Wc.opcode(at(index));
    }

    /**
     * Returns whether a write with immediate data consumed the receive, so that the data is not in the receive buffer;
     * undefined on failure.
     *
     * @param index index of the completion
     * @return true if so
     */
    public boolean isReceiveOfWrite(int index) {
        return opcode(index) == Ibv.WC_RECV_RDMA_WITH_IMM;
    }

    /**
     * Returns the number of bytes received, read or fetched; undefined on failure.
     *
     * @param index index of the completion
     * @return bytes
     */
    public int byteLength(int index) {
        return Wc.byteLen(at(index));
    }

    /**
     * Returns whether {@link #immediate} is valid.
     *
     * @param index index of the completion
     * @return true if the peer sent immediate data
     */
    public boolean hasImmediate(int index) {
        return (Wc.wcFlags(at(index)) & Ibv.WC_WITH_IMM) != 0;
    }

    /**
     * Returns the immediate data in host byte order.
     *
     * @param index index of the completion
     * @return the 4 bytes
     */
    public int immediate(int index) {
        return Wc.immData(at(index));
    }

    /**
     * Returns whether {@link #invalidatedKey} is valid.
     *
     * @param index index of the completion
     * @return true if the peer sent with invalidate
     */
    public boolean hasInvalidatedKey(int index) {
        return (Wc.wcFlags(at(index)) & Ibv.WC_WITH_INV) != 0;
    }

    /**
     * Returns the remote key of this side that the peer invalidated.
     *
     * @param index index of the completion
     * @return the rkey
     */
    public int invalidatedKey(int index) {
        return Wc.invalidatedRkey(at(index));
    }

    /**
     * Returns the number of the local queue pair.
     *
     * @param index index of the completion
     * @return queue pair number
     */
    public int qpNumber(int index) {
        return Wc.qpNum(at(index));
    }

    /**
     * Returns the error code of the vendor.
     *
     * @param index index of the completion
     * @return the code
     */
    public int vendorError(int index) {
        return Wc.vendorErr(at(index));
    }

    /**
     * Returns whether the first 40 bytes of the receive hold a {@link GlobalRoutingHeader}, {@code IBV_WC_GRH}.
     * Datagrams only.
     *
     * @param index index of the completion
     * @return true if so
     */
    public boolean hasGlobalRoute(int index) {
        return (Wc.wcFlags(at(index)) & Ibv.WC_GRH) != 0;
    }

    /**
     * Returns the queue pair that sent a datagram.
     *
     * @param index index of the completion
     * @return queue pair number, 24 bits
     */
    public int sourceQueuePair(int index) {
        return Wc.srcQp(at(index));
    }

    /**
     * Returns the LID of the port that sent a datagram. InfiniBand only.
     *
     * @param index index of the completion
     * @return LID
     */
    public int sourceLid(int index) {
        return Wc.slid(at(index));
    }

    /**
     * Returns the service level of a datagram.
     *
     * @param index index of the completion
     * @return 0 to 15
     */
    public int serviceLevel(int index) {
        return Wc.sl(at(index));
    }

    /**
     * Returns the path bits of the LID to which a datagram was sent. InfiniBand only.
     *
     * @param index index of the completion
     * @return 0 to 127
     */
    public int destinationPathBits(int index) {
        return Wc.dlidPathBits(at(index));
    }

    /**
     * Returns the partition of a datagram to the management queue pair.
     *
     * @param index index of the completion
     * @return index in the partition table
     */
    public int pkeyIndex(int index) {
        return Wc.pkeyIndex(at(index));
    }

    /**
     * Returns the time at which the operation completed; undefined on failure. Only completion queues that were created
     * with a {@link CompletionTimestamp} record it.
     *
     * @param index index of the completion
     * @return ticks of the device's clock, or nanoseconds since 1970
     */
    public long timestamp(int index) {
        return NativeMemory.getLong(timestamps() + (long) java.util.Objects.checkIndex(index, capacity) * Long.BYTES);
    }
}
