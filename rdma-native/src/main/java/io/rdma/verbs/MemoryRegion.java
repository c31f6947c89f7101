package io.rdma.verbs;

import io.rdma.environment.Environment;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Mr;
import io.rdma.types.RemoteMemory;
import io.rdma.types.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A region of registered memory, {@code ibv_reg_mr(3)}.
 *
 * <p>A region counts its users: each operation in flight retains it. {@link #close} refuses new users at once. The
 * region is deregistered when the last user releases it, and only then is memory that the region owns freed. So closing
 * is safe at any time.
 */
public final class MemoryRegion implements AutoCloseable {
    // users: number of holders, of which the open region itself is one. 0 means deregistered, or being reregistered
    private final AtomicInteger users = new AtomicInteger(1);
    private final AtomicInteger closed = new AtomicInteger();
    private final Verbs verbs;
    private final Runnable deregistered;
    private final boolean fixed;
    private final Consumer<MemoryRegion> refused;
    private volatile Extent extent;
    private volatile int lkey; // of the extent; here because each work request needs it

    /**
     * The extent of a registration.
     *
     * @param mr handle and keys
     * @param segment the memory; empty if the CPU cannot reach it
     * @param address address of the first byte for work requests
     * @param length in bytes
     * @param budget budget from which the length was taken, or null
     */
    record Extent(
            Mr mr,
            MemorySegment segment,
            long address,
            long length,
            @Nullable RegistrationBudget budget) {}

    /**
     * @param fixed whether the memory cannot be replaced, because it does not belong to the caller alone
     * @param deregistered frees the resources behind the memory; runs once
     * @param refused gets this region if the device refuses to deregister it; calls {@link #deregister} once more
     */
    MemoryRegion(Verbs verbs, Extent extent, boolean fixed, Runnable deregistered, Consumer<MemoryRegion> refused) {
        this.refused = refused;
        this.verbs = verbs;
        this.extent = extent;
        this.lkey = extent.mr.lkey();
        this.fixed = fixed;
        this.deregistered = deregistered;
    }

    MemoryRegion(Verbs verbs, Mr mr, MemorySegment segment, Runnable deregistered) {
        this(
                verbs,
                new Extent(mr, segment, segment.address(), segment.byteSize(), null),
                true,
                deregistered,
                region -> {});
    }

    /**
     * Returns the clock, threads and randomness of the device. For this project's modules.
     *
     * @return the environment
     */
    public Environment environment() {
        return verbs.environment();
    }

    /** Returns the handle for calls that take the region. */
    long handle() {
        return extent.mr.handle();
    }

    /**
     * Returns the memory.
     *
     * @return the segment that was registered; empty if the CPU cannot reach the memory
     */
    public MemorySegment segment() {
        return extent.segment;
    }

    /**
     * Returns the length.
     *
     * @return bytes
     */
    public long length() {
        return extent.length;
    }

    /**
     * Returns the address by which work requests and peers refer to the first byte.
     *
     * @return the address of the memory; 0 for a zero-based region, until it is given other memory
     */
    public long address() {
        return extent.address;
    }

    /**
     * Returns the key for local work requests.
     *
     * @return lkey
     */
    public int lkey() {
        return lkey;
    }

    /**
     * Returns the key for peers.
     *
     * @return rkey
     */
    public int rkey() {
        return extent.mr.rkey();
    }

    /**
     * Returns the description of the whole region for a peer. The access flags of the registration decide what the peer
     * may do with it.
     *
     * @return the description, to be sent to the peer
     */
    public RemoteMemory remote() {
        Extent now = extent;
        return new RemoteMemory(now.address, now.length, now.mr.rkey());
    }

    /**
     * Returns whether {@link #close} was called.
     *
     * @return true if so, even while an operation still retains the region
     */
    public boolean isClosed() {
        return closed.get() != 0;
    }

    /**
     * Retains the region for one operation.
     *
     * @throws IllegalStateException if it is closed or being reregistered
     */
    public void retain() {
        for (; ; ) {
            int now = users.get();
            if (now == 0 || isClosed()) {
                throw new IllegalStateException("memory region is closed");
            }
            if (users.compareAndSet(now, now + 1)) {
                return;
            }
        }
    }

    /** Ends one {@link #retain}. */
    public void release() {
        int left = users.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("memory region released more often than retained");
        }
        if (left == 0) {
            deregister();
        }
    }

    /**
     * Deregisters the region. If the device refuses, the protection domain tries again later. Only the thread that has
     * exclusive use of the region may call this.
     */
    void deregister() {
        try {
            verbs.deregMr(extent.mr.handle());
        } catch (Throwable e) { // the device may still use the memory, so it is not freed
            refused.accept(this);
            throw e;
        }
        giveBack(extent);
        deregistered.run();
    }

    private static void take(Extent of) {
        if (of.budget != null) {
            of.budget.take(of.length);
        }
    }

    private static void giveBack(Extent of) {
        if (of.budget != null) {
            of.budget.giveBack(of.length);
        }
    }

    /**
     * Changes access flags, memory or protection domain, {@code ibv_rereg_mr(3)}. The keys may change; then peers
     * cannot use the old ones any more. No operation may use the region, and no window may be bound to it.
     *
     * @param change the changes
     * @throws IllegalStateException if it is closed or an operation retains it
     * @throws IllegalArgumentException if the memory is to change, but the region owns or shares it; if read-only
     *     memory would have a right to write, or the memory changes to read-only memory and the rights do not
     * @throws VerbsException EOPNOTSUPP if the device cannot reregister. If the message states it, {@link #close} is
     *     the only call left
     */
    public synchronized void reregister(ReregisterOptions change) {
        if (isClosed()) { // also while one operation still retains it, which looks like the open region's own hold
            throw new IllegalStateException("memory region is closed");
        }
        if (fixed && change.memory() != null) {
            throw new IllegalArgumentException(
                    "the memory of a region that owns or shares it cannot be exchanged: register the new memory");
        }
        change.requireWritable(extent.segment);
        if (!users.compareAndSet(1, 0)) { // 0: no thread can retain the region meanwhile
            throw new IllegalStateException("operations use the memory region: wait for their end");
        }
        try {
            change(change);
        } finally {
            users.set(1);
        }
    }

    private void change(ReregisterOptions change) {
        Extent old = extent;
        MemorySegment memory = change.memory();
        Extent wanted = old;
        if (memory != null) { // as in C, the address is that of the memory then, also if the region was zero-based
            wanted = new Extent(old.mr, memory, memory.address(), memory.byteSize(), old.budget);
            take(wanted);
        }
        try {
            LongFunction<Mr> call = pd -> verbs.memory()
                    .reregMr(
                            old.mr.handle(),
                            change.flags(),
                            pd,
                            memory == null ? 0 : memory.address(),
                            memory == null ? 0 : memory.byteSize(),
                            change.accessCode());
            ProtectionDomain domain = change.domain();
            Mr mr = domain == null ? call.apply(0) : domain.call(call);
            extent = new Extent(mr, wanted.segment, wanted.address, wanted.length, wanted.budget);
            lkey = mr.lkey();
        } catch (Throwable e) {
            if (memory != null) {
                giveBack(wanted);
            }
            throw e;
        }
        if (memory != null) {
            giveBack(old);
        }
    }

    /**
     * Refuses new users, and deregisters the region when the operations in flight have ended. A second call does
     * nothing. Any thread. Does not wait.
     */
    @Override
    public synchronized void close() {
        if (closed.compareAndSet(0, 1)) {
            release();
        }
    }
}
