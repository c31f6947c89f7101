package io.rdma.verbs;

import io.rdma.internal.ibv.BindWr;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Sge;
import io.rdma.types.MemoryWindowType;
import io.rdma.types.PlacementType;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A chain of preallocated send work requests, {@code struct ibv_send_wr} with their scatter/gather lists. They are
 * filled one after the other and posted as one chain, with one doorbell. Not thread-safe: only one thread at a time may
 * fill it. It can be reused after {@link QueuePair#post(SendChain)} has returned.
 *
 * <p>Order of calls for each request: {@code add}, then as needed {@code remote}, {@code atomic} or
 * {@code destination}, {@code immediate}, flags such as {@code signaled}, and {@code entry}.
 */
public final class SendChain {

    private final MemorySegment memory; // keeps the automatic arena alive
    private final long base;
    private final long entries;
    private final int capacity;
    private final int maxSge;
    private final long entriesSize; // bytes of the entries of a request
    private final List<Bound> bindings = new ArrayList<>(0);
    private int size;
    private int operations; // WorkRequestOpcode.bit of each request
    private final BitSet addressed = new BitSet(); // indexes of the requests that have a destination
    private long current; // address of the last request
    private long entry; // address of its next entry
    private int opcode; // of the last request, as are the next three
    private int flags;
    private int count; // of its entries; as many as fit if there is no request
    private int attached; // immediate data or key, as its bytes are in memory
    private boolean ended; // whether the last request has no next one in memory

    private record Bound(int index, MemoryWindow window, int rkey) {}

    /**
     * Allocates an empty chain.
     *
     * @param capacity largest number of work requests
     * @param maxSge largest number of entries in each
     */
    public SendChain(int capacity, int maxSge) {
        this.capacity = capacity;
        this.maxSge = maxSge;
        long wrBytes = (long) capacity * SendWr.SIZE;
        this.memory = Arena.ofAuto().allocate(wrBytes + (long) capacity * maxSge * Sge.SIZE + Long.BYTES, 64);
        this.entriesSize = (long) maxSge * Sge.SIZE;
        this.base = memory.address();
        this.entries = base + wrBytes;
        for (int i = 0; i < capacity; i++) {
            long request = base + (long) i * SendWr.SIZE;
            SendWr.sgList(request, entriesOf(i));
            SendWr.next(request, request + SendWr.SIZE);
        }
        count = maxSge;
    }

    private long entriesOf(int index) {
        return entries + index * entriesSize;
    }

    /** Removes all requests. */
    public void clear() {
        reopen();
        size = 0;
        count = maxSge;
        if (hasBindings()) {
            bindings.clear();
        }
        operations = 0;
        addressed.clear();
        NativeMemory.putLong(badWr(), 0); // a provider may not write it
    }

    /**
     * Returns the number of requests added since {@link #clear}.
     *
     * @return number of requests
     */
    public int size() {
        return size;
    }

    /**
     * Returns whether the chain is full.
     *
     * @return true if no request can be added
     */
    public boolean isFull() {
        return size == capacity;
    }

    /**
     * Starts the next request.
     *
     * @param wrId returned in the completion
     * @param opcode operation
     * @return this
     */
    public SendChain add(long wrId, WorkRequestOpcode opcode) {
        if (size == capacity) {
            throw new IllegalStateException(
                    "chain is full with " + capacity + " requests: post it, or create a longer chain");
        }
        if (size > 0) {
            reopen();
            writeLast();
            current += SendWr.SIZE;
        } else {
            current = base;
        }
        entry = entriesOf(size);
        size++;
        operations |= opcode.bit();
        this.opcode = opcode.code();
        flags = 0;
        count = 0;
        attached = 0;
        SendWr.wrId(current, wrId);
        return this;
    }

    /** Writes what later calls for the last request may change, so that it is written once for each request. */
    private void writeLast() {
        SendWr.numSgeAndOpcode(current, count, opcode);
        SendWr.sendFlagsAndAttached(current, flags, attached);
    }

    /** Makes the last request the end of the chain in memory. */
    private void end() {
        if (size == 0) {
            throw new IllegalStateException("the chain has no work request: call add before the post");
        }
        writeLast();
        SendWr.next(current, 0);
        ended = true;
    }

    /** Undoes {@link #end}. Every request names the next one, except the last one of a chain that has ended. */
    private void reopen() {
        if (ended) {
            SendWr.next(current, current + SendWr.SIZE);
            ended = false;
        }
    }

    /**
     * Removes the request that was added last, because the rest of it could not be filled in.
     *
     * @return this
     */
    public SendChain removeLast() {
        reopen();
        size--;
        current -= SendWr.SIZE;
        if (size > 0) {
            opcode = SendWr.opcode(current);
            flags = SendWr.sendFlags(current);
            count = SendWr.numSge(current);
            attached = SendWr.invalidateRkey(current);
            entry = entriesOf(size - 1) + (long) count * Sge.SIZE;
        } else {
            count = maxSge;
        }
        addressed.clear(size);
        bindings.removeIf(bound -> bound.index() == size);
        operations = 0;
        for (int i = 0; i < size; i++) {
            operations |= WorkRequestOpcode.of(SendWr.opcode(base + (long) i * SendWr.SIZE))
                    .bit();
        }
        return this;
    }

    /**
     * Sets the peer's memory that the request writes or reads.
     *
     * @param address remote address
     * @param rkey remote key
     * @return this
     */
    public SendChain remote(long address, int rkey) {
        SendWr.rdmaRemoteAddr(current, address);
        SendWr.rdmaRkey(current, rkey);
        return this;
    }

    /**
     * Sets the operands of an atomic.
     *
     * @param address remote address, a multiple of 8
     * @param rkey remote key
     * @param compareAdd value to compare with, or to add
     * @param swap new value of a compare-and-swap
     * @return this
     */
    public SendChain atomic(long address, int rkey, long compareAdd, long swap) {
        SendWr.atomicRemoteAddr(current, address);
        SendWr.atomicRkey(current, rkey);
        SendWr.atomicCompareAdd(current, compareAdd);
        SendWr.atomicSwap(current, swap);
        return this;
    }

    /**
     * Sets the memory that a {@link WorkRequestOpcode#FLUSH} makes visible or persistent. It covers what earlier
     * requests of this queue pair wrote there. It has no entries.
     *
     * @param memory memory of the peer, at most 2 to the power of 31 bytes
     * @param type guarantee; the peer's region and queue pair need its {@link PlacementType#right}
     * @return this
     */
    public SendChain flush(RemoteMemory memory, PlacementType type) {
        if (memory.length() > MemoryPlacement.LONGEST_FLUSH) {
            throw new IllegalArgumentException("a FLUSH covers at most " + MemoryPlacement.LONGEST_FLUSH
                    + " bytes, not " + memory.length() + ": use several, or flushRegion");
        }
        remote(memory.address(), memory.rkey());
        SendWr.flush(current, type.code(), MemoryPlacement.FLUSH_RANGE, memory.length());
        return this;
    }

    /**
     * Sets the region that a {@link WorkRequestOpcode#FLUSH} makes visible or persistent as a whole.
     *
     * @param rkey remote key
     * @param type as for {@link #flush}
     * @return this
     */
    public SendChain flushRegion(int rkey, PlacementType type) {
        remote(0, rkey);
        SendWr.flush(current, type.code(), MemoryPlacement.FLUSH_MR, 0);
        return this;
    }

    /**
     * Sets the eight bytes of an {@link WorkRequestOpcode#ATOMIC_WRITE}. It has no entries.
     *
     * @param address remote address, a multiple of 8
     * @param rkey remote key of a region with {@link io.rdma.types.AccessFlag#REMOTE_WRITE}
     * @param value eight bytes in the byte order of this host
     * @return this
     */
    public SendChain atomicWrite(long address, int rkey, long value) {
        if ((address & (MemoryPlacement.ATOMIC_WRITE_BYTES - 1)) != 0) {
            throw new IllegalArgumentException(
                    "an atomic write needs an 8-byte boundary: 0x" + Long.toHexString(address));
        }
        remote(address, rkey);
        SendWr.atomicWriteValue(current, value);
        return this;
    }

    /**
     * Sets the destination of a datagram. Every request to a queue pair of type {@link QueuePairType#UD} needs
     * exactly one.
     *
     * @param path path to the destination; must stay open until the request has completed
     * @param qpNumber queue pair of the destination, 0xffffff for a multicast group
     * @param qkey QKey of the destination; if its highest bit is set, the QKey of the sending queue pair is
     *     used instead
     * @return this
     */
    public SendChain destination(AddressHandle path, int qpNumber, int qkey) {
        SendWr.udAh(current, path.handle());
        SendWr.udRemoteQpn(current, qpNumber);
        SendWr.udRemoteQkey(current, qkey);
        addressed.set(size - 1);
        return this;
    }

    /**
     * Sets the peer's shared receive queue that the request is for. Every request of an
     * {@link QueuePairType#XRC_SEND} queue pair needs one, also writes and reads: the peer's memory must belong to
     * the protection domain of that queue.
     *
     * @param number the peer's {@link SharedReceiveQueue#number}
     * @return this
     */
    public SendChain sharedReceiveQueue(int number) {
        SendWr.xrcRemoteSrqn(current, number);
        return this;
    }

    /**
     * Sets the immediate data, in host order.
     *
     * @param value 4 bytes
     * @return this
     */
    public SendChain immediate(int value) {
        attached = NativeMemory.inNetworkOrder(value);
        return this;
    }

    /**
     * Sets the key to invalidate: by this side's device for {@link WorkRequestOpcode#LOCAL_INV}, by the peer's
     * device for {@link WorkRequestOpcode#SEND_WITH_INV}. It is the key of a type 2 memory window that is bound to
     * the queue pair.
     *
     * @param rkey remote key
     * @return this
     */
    public SendChain invalidate(int rkey) {
        attached = rkey;
        return this;
    }

    /**
     * Sets the operands of a {@link WorkRequestOpcode#BIND_MW}. {@link MemoryWindow#remote} returns the result at once,
     * so that a later send of the chain can carry it to the peer. A chain may bind a window only once.
     *
     * @param window of type 2
     * @param binding memory to bind the window to
     * @return this
     * @throws IllegalArgumentException if the window is of type 1
     * @throws IllegalStateException if the region is closed
     */
    public SendChain bind(MemoryWindow window, MemoryWindowBinding binding) {
        window.requireType(MemoryWindowType.TYPE_2);
        window.hold(binding);
        int rkey = window.nextKey();
        attached = 0; // rdma_rxe refuses other values
        BindWr.mw(current, window.handle());
        BindWr.rkey(current, rkey);
        BindWr.mr(current, binding.region().handle());
        BindWr.addr(current, binding.address());
        BindWr.length(current, binding.length());
        BindWr.accessFlags(current, binding.accessCode());
        window.named(binding.remote(rkey));
        bindings.add(new Bound(size - 1, window, rkey));
        return this;
    }

    boolean hasBindings() {
        return !bindings.isEmpty();
    }

    /** Records that the first {@code requests} requests were posted. */
    void bindingsPosted(int requests) {
        for (Bound bound : bindings) {
            if (bound.index() < requests) {
                bound.window().posted(bound.rkey());
            }
        }
        bindings.clear();
    }

    /**
     * Asks for a completion of this request, {@code IBV_SEND_SIGNALED}.
     *
     * @return this
     */
    public SendChain signaled() {
        return flag(Ibv.SEND_SIGNALED);
    }

    /**
     * Copies the data when the request is posted, {@code IBV_SEND_INLINE}. Only sends and writes of up to
     * {@code maxInlineData} bytes.
     *
     * @return this
     */
    public SendChain inline() {
        return flag(Ibv.SEND_INLINE);
    }

    /**
     * Makes the request wait until earlier reads and atomics have completed, {@code IBV_SEND_FENCE}.
     *
     * @return this
     */
    public SendChain fence() {
        return flag(Ibv.SEND_FENCE);
    }

    /**
     * Asks for a solicited event at the peer, {@code IBV_SEND_SOLICITED}.
     *
     * @return this
     */
    public SendChain solicited() {
        return flag(Ibv.SEND_SOLICITED);
    }

    private SendChain flag(int bit) {
        flags |= bit;
        return this;
    }

    /**
     * Adds local memory to the current request.
     *
     * @param address first byte
     * @param length bytes, below 2 to the power of 31
     * @param lkey local key
     * @return this
     */
    public SendChain entry(long address, int length, int lkey) {
        if (count == maxSge) {
            throw new IllegalStateException(
                    size == 0
                            ? "the chain has no work request: call add first"
                            : "work request has its " + maxSge
                                    + " entries already: create the chain with a larger maxSge");
        }
        Sge.addr(entry, address);
        Sge.lengthAndLkey(entry, length, lkey);
        entry += Sge.SIZE;
        count++;
        return this;
    }

    /** Returns the address of the first request, after the last one is written. */
    long address() {
        end();
        return base;
    }

    long badWr() {
        return memory.address() + memory.byteSize() - Long.BYTES;
    }

    /** Returns the operations of all requests, as bits of {@link WorkRequestOpcode#bit}. */
    int operations() {
        return operations;
    }

    /**
     * Rejects a chain unless every request is a valid datagram.
     *
     * @param largest size of the largest datagram, in bytes
     */
    void requireDatagrams(int largest) {
        if (addressed.cardinality() != size) {
            throw new IllegalArgumentException("only " + addressed.cardinality() + " of " + size
                    + " requests have a destination: call SendChain.destination for each datagram");
        }
        end();
        for (int i = 0; i < size; i++) {
            long wr = base + (long) i * SendWr.SIZE;
            long bytes = 0;
            for (int entry = 0; entry < SendWr.numSge(wr); entry++) {
                bytes += Integer.toUnsignedLong(Sge.length(SendWr.sgList(wr) + (long) entry * Sge.SIZE));
            }
            if (bytes > largest) {
                throw new IllegalArgumentException("datagram of " + bytes + " bytes is larger than the port's MTU, "
                        + largest + ": send less, raise the MTU of the network interface, or use a connection");
            }
        }
    }

    /** Returns how many requests were posted before the one that {@link #badWr} names. */
    int postedBeforeBad() {
        long bad = NativeMemory.getLong(badWr());
        long index = (bad - base) / SendWr.SIZE;
        // A provider that does not write bad_wr has posted nothing.
        return bad < base || index >= size ? 0 : (int) index;
    }
}
