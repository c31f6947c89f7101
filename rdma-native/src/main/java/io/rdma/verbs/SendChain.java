package io.rdma.verbs;

import io.rdma.internal.ffi.BindWr;
import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.SendWr;
import io.rdma.internal.ffi.Sge;
import io.rdma.internal.os.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Preallocated send work requests, {@code struct ibv_send_wr} with their scatter/gather lists, filled one after the
 * other and posted as one chain, that is one doorbell. Not thread-safe: one filler at a time. Reusable after
 * {@link QueuePair#post(SendChain)} returned.
 *
 * <p>Order per request: {@code add}, then as needed {@code remote}, {@code atomic} or {@code destination},
 * {@code immediate}, {@code flags}, {@code entry}…
 */
public final class SendChain {
    private final MemorySegment memory; // keeps the automatic arena alive
    private final long base;
    private final long entries;
    private final int capacity;
    private final int maxSge;
    private final List<Bound> bindings = new ArrayList<>(0);
    private int size;
    private int operations; // WorkRequestOpcode.bit of what was added
    private int addressed; // requests that name a destination of their own
    private long current;

    private record Bound(int index, MemoryWindow window, int rkey) {}

    /**
     * Room for a chain.
     *
     * @param capacity most work requests
     * @param maxSge most entries of each
     */
    public SendChain(int capacity, int maxSge) {
        this.capacity = capacity;
        this.maxSge = maxSge;
        long wrBytes = (long) capacity * SendWr.SIZE;
        this.memory = Arena.ofAuto().allocate(wrBytes + (long) capacity * maxSge * Sge.SIZE + Long.BYTES, 64);
        this.base = memory.address();
        this.entries = base + wrBytes;
        for (int i = 0; i < capacity; i++) {
            SendWr.sgList(base + (long) i * SendWr.SIZE, entriesOf(i));
        }
    }

    private long entriesOf(int index) {
        return entries + (long) index * maxSge * Sge.SIZE;
    }

    /** Forgets all requests. */
    public void clear() {
        size = 0;
        if (hasBindings()) {
            bindings.clear();
        }
        operations = 0;
        addressed = 0;
        NativeMemory.putLong(badWr(), 0); // a provider may leave it alone
    }

    /**
     * Requests added since {@link #clear}.
     *
     * @return number
     */
    public int size() {
        return size;
    }

    /**
     * Whether no more can be added.
     *
     * @return true if so
     */
    public boolean isFull() {
        return size == capacity;
    }

    /**
     * Starts the next request.
     *
     * @param wrId comes back in the completion
     * @param opcode what to do
     * @return this
     */
    public SendChain add(long wrId, WorkRequestOpcode opcode) {
        if (size == capacity) {
            throw new IllegalStateException("chain is full: " + capacity);
        }
        long next = base + (long) size * SendWr.SIZE;
        if (size > 0) {
            SendWr.next(current, next);
        }
        current = next;
        size++;
        operations |= opcode.bit();
        SendWr.wrId(next, wrId);
        SendWr.next(next, 0);
        SendWr.numSge(next, 0);
        SendWr.opcode(next, opcode.code());
        SendWr.sendFlags(next, 0);
        return this;
    }

    /**
     * Forgets the request that was added last, since the rest of it could not be.
     *
     * @return this
     */
    public SendChain removeLast() {
        size--;
        current -= SendWr.SIZE;
        if (size > 0) {
            SendWr.next(current, 0);
        }
        return this;
    }

    /**
     * Target or source at the peer.
     *
     * @param address remote
     * @param rkey remote key
     * @return this
     */
    public SendChain remote(long address, int rkey) {
        SendWr.rdmaRemoteAddr(current, address);
        SendWr.rdmaRkey(current, rkey);
        return this;
    }

    /**
     * Operands of an atomic.
     *
     * @param address remote, multiple of 8
     * @param rkey remote key
     * @param compareAdd what to compare with, or to add
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
     * Destination of a datagram; every request to a queue pair of type {@link QueuePairType#UD} needs one, once.
     *
     * @param path to it, open until the request completed
     * @param qpNumber queue pair there, 0xffffff for a multicast group
     * @param qkey of the queue pair there; one with the highest bit set stands for the sender's own
     * @return this
     */
    public SendChain destination(AddressHandle path, int qpNumber, int qkey) {
        SendWr.udAh(current, path.handle());
        SendWr.udRemoteQpn(current, qpNumber);
        SendWr.udRemoteQkey(current, qkey);
        addressed++;
        return this;
    }

    /**
     * The shared receive queue of the peer that the request is for; of every request of an
     * {@link QueuePairType#XRC_SEND} queue pair, writes and reads too: its protection domain is that of the peer's
     * memory.
     *
     * @param number of the peer's {@link SharedReceiveQueue#number}
     * @return this
     */
    public SendChain sharedReceiveQueue(int number) {
        SendWr.xrcRemoteSrqn(current, number);
        return this;
    }

    /**
     * Immediate data in host order.
     *
     * @param value 4 bytes
     * @return this
     */
    public SendChain immediate(int value) {
        SendWr.immData(current, value);
        return this;
    }

    /**
     * The key that a {@link WorkRequestOpcode#LOCAL_INV} of this side's, or a {@link WorkRequestOpcode#SEND_WITH_INV}
     * of the peer's, invalidates: of a type 2 memory window that is bound to the queue pair.
     *
     * @param rkey remote key
     * @return this
     */
    public SendChain invalidate(int rkey) {
        SendWr.invalidateRkey(current, rkey);
        return this;
    }

    /**
     * What a {@link WorkRequestOpcode#BIND_MW} does; {@link MemoryWindow#remote} has the result at once, so that a send
     * behind it can carry that to the peer. A chain binds a window once.
     *
     * @param window of type 2
     * @param binding to what
     * @return this
     * @throws IllegalArgumentException if the window is of type 1
     * @throws IllegalStateException if the region is closed
     */
    public SendChain bind(MemoryWindow window, MemoryWindowBinding binding) {
        window.requireType(MemoryWindowType.TYPE_2);
        window.hold(binding);
        int rkey = window.nextKey();
        SendWr.immData(current, 0); // rdma_rxe refuses another
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

    /** The first so many requests were posted. */
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
     * Copies the data at the post, {@code IBV_SEND_INLINE}: sends and writes only, up to {@code maxInlineData}.
     *
     * @return this
     */
    public SendChain inline() {
        return flag(Ibv.SEND_INLINE);
    }

    /**
     * Waits for reads and atomics before it, {@code IBV_SEND_FENCE}.
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
        SendWr.sendFlags(current, SendWr.sendFlags(current) | bit);
        return this;
    }

    /**
     * Adds local memory.
     *
     * @param address first byte
     * @param length bytes, below 2 to the power of 31
     * @param lkey local key
     * @return this
     */
    public SendChain entry(long address, int length, int lkey) {
        int count = SendWr.numSge(current);
        if (count == maxSge) {
            throw new IllegalStateException("work request has its " + maxSge + " entries already");
        }
        long sge = SendWr.sgList(current) + (long) count * Sge.SIZE;
        Sge.addr(sge, address);
        Sge.length(sge, length);
        Sge.lkey(sge, lkey);
        SendWr.numSge(current, count + 1);
        return this;
    }

    long address() {
        return base;
    }

    long badWr() {
        return memory.address() + memory.byteSize() - Long.BYTES;
    }

    /** What was added, as {@link WorkRequestOpcode#bit} each. */
    int operations() {
        return operations;
    }

    /**
     * Refuses requests that are no datagrams.
     *
     * @param largest bytes of one
     */
    void requireDatagrams(int largest) {
        if (addressed != size) {
            throw new IllegalArgumentException("of " + size + " requests only " + addressed
                    + " have a destination: datagrams need one each, SendChain.destination");
        }
        for (int i = 0; i < size; i++) {
            long wr = base + (long) i * SendWr.SIZE;
            long bytes = 0;
            for (int entry = 0; entry < SendWr.numSge(wr); entry++) {
                bytes += Integer.toUnsignedLong(Sge.length(SendWr.sgList(wr) + (long) entry * Sge.SIZE));
            }
            if (bytes > largest) {
                throw new IllegalArgumentException("a datagram of " + bytes + " bytes is larger than the port's MTU, "
                        + largest + ": send less, or use a connection");
            }
        }
    }

    /** How many were posted before the request that {@link #badWr} names. */
    int postedBeforeBad() {
        long bad = NativeMemory.getLong(badWr());
        long index = (bad - base) / SendWr.SIZE;
        // A provider that leaves bad_wr alone has posted nothing.
        return bad < base || index >= size ? 0 : (int) index;
    }
}
