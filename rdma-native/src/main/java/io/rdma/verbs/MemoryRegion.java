package io.rdma.verbs;

import io.rdma.internal.ffi.Mr;
import io.rdma.internal.ffi.Verbs;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory, {@code ibv_reg_mr(3)}.
 *
 * <p>A region counts its users: work in flight holds it. {@link #close} refuses new users at once and deregisters when
 * the last one is gone; only then memory that the region owns is freed. So closing is safe at any time.
 */
public final class MemoryRegion implements AutoCloseable {
    // users: number of holders, the open region itself being one; 0 means deregistered.
    private final AtomicInteger users = new AtomicInteger(1);
    private final AtomicInteger closed = new AtomicInteger();
    private final Verbs verbs;
    private final Runnable deregistered;
    private final boolean fixed;
    private final Consumer<MemoryRegion> refused;
    private volatile Extent extent;

    /**
     * What a registration is of.
     *
     * @param mr handle and keys
     * @param segment the memory, empty where the CPU cannot reach it
     * @param address of the first byte, as work requests name it
     * @param length in bytes
     * @param budget of which the length was taken, or null
     */
    record Extent(
            Mr mr,
            MemorySegment segment,
            long address,
            long length,
            @Nullable RegistrationBudget budget) {}

    /**
     * @param fixed whether the memory cannot be exchanged, because somebody else owns it
     * @param deregistered frees what the memory needs; runs once
     * @param refused gets this region when the device refuses to deregister it; calls {@link #deregister} once more
     */
    MemoryRegion(Verbs verbs, Extent extent, boolean fixed, Runnable deregistered, Consumer<MemoryRegion> refused) {
        this.refused = refused;
        this.verbs = verbs;
        this.extent = extent;
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

    /** For calls that name the region. */
    long handle() {
        return extent.mr.handle();
    }

    /**
     * The memory.
     *
     * @return the segment that was registered; empty for memory that the CPU cannot reach
     */
    public MemorySegment segment() {
        return extent.segment;
    }

    /**
     * Length.
     *
     * @return bytes
     */
    public long length() {
        return extent.length;
    }

    /**
     * How work requests and peers name the first byte.
     *
     * @return the address of the memory, 0 for a zero-based region
     */
    public long address() {
        return extent.address;
    }

    /**
     * Key for local work requests.
     *
     * @return lkey
     */
    public int lkey() {
        return extent.mr.lkey();
    }

    /**
     * Key for peers.
     *
     * @return rkey
     */
    public int rkey() {
        return extent.mr.rkey();
    }

    /**
     * The whole region as a peer names it; what the peer may do with it was decided at registration.
     *
     * @return to be sent to the peer
     */
    public RemoteMemory remote() {
        Extent now = extent;
        return new RemoteMemory(now.address, now.length, now.mr.rkey());
    }

    /**
     * Whether {@link #close} was called.
     *
     * @return true if so, also while work still holds the region
     */
    public boolean isClosed() {
        return closed.get() != 0;
    }

    /**
     * Holds the region for one piece of work.
     *
     * @throws IllegalStateException if it is closed
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
     * Deregisters; where the device refuses that, its domain tries again. By the thread that has the region to itself.
     */
    void deregister() {
        try {
            verbs.deregMr(extent.mr.handle());
        } catch (Throwable e) { // the device may still use the memory, so that is kept
            refused.accept(this);
            throw e;
        }
        giveBack(extent);
        deregistered.run();
    }

    private static void giveBack(Extent of) {
        if (of.budget != null) {
            of.budget.giveBack(of.length);
        }
    }

    /**
     * Changes rights, memory or domain, {@code ibv_rereg_mr(3)}. Keys may change; what peers know of the old ones
     * fails. No work may use it, and no window be bound to it.
     *
     * @param change what
     * @throws IllegalStateException if it is closed or work holds it
     * @throws IllegalArgumentException if the memory is to change and the region owns it, or shares it
     * @throws VerbsException EOPNOTSUPP where the device cannot; where the message says so, only {@link #close} is left
     */
    public synchronized void reregister(ReregisterOptions change) {
        MemorySegment memory = change.memory();
        if (fixed && memory != null) {
            throw new IllegalArgumentException("only memory of the caller's can be exchanged: register it instead");
        }
        if (!users.compareAndSet(1, 0)) { // 0: nobody gets hold of it meanwhile
            throw new IllegalStateException(isClosed() ? "memory region is closed" : "work uses the memory region");
        }
        try {
            change(change, memory == null ? extent.segment : memory);
        } finally {
            users.set(1);
        }
    }

    private void change(ReregisterOptions change, MemorySegment memory) {
        Extent old = extent;
        RegistrationBudget budget = old.budget;
        ProtectionDomain domain = change.domain();
        if (budget != null) {
            budget.take(memory.byteSize());
        }
        Extent taken = new Extent(old.mr, memory, memory.address(), memory.byteSize(), budget);
        try {
            Mr mr = verbs.memory()
                    .reregMr(
                            old.mr.handle(),
                            change.flags(),
                            domain == null ? 0 : domain.handle(),
                            change.memory() == null ? 0 : memory.address(),
                            change.memory() == null ? 0 : memory.byteSize(),
                            change.accessCode());
            extent = new Extent(mr, memory, memory.address(), memory.byteSize(), budget);
            giveBack(old);
        } catch (Throwable e) {
            giveBack(taken);
            throw e;
        }
    }

    /**
     * Refuses new work, and deregisters when the work in flight is done. A second call does nothing. Any thread; does
     * not wait.
     */
    @Override
    public synchronized void close() {
        if (closed.compareAndSet(0, 1)) {
            release();
        }
    }
}
