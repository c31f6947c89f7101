package io.rdma.buffer;

import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.os.StackRoom;
import io.rdma.types.AccessFlag;
import io.rdma.types.RdmaException;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import java.lang.System.Logger;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - Every slot that was made is either in `free` or behind exactly one lease. The regions end when the pool is closed
// and all slots are in `free`. The thread that completes this condition closes them.
// - One thread at a time makes slots, and never the loop. It raises `growing` and then reads whether the pool is
// closed; a close sets its reason and then reads `growing`. Slots and regions are published under the monitor.
// - Waiters are served in order. `wip` admits one serving thread at a time, which also serves for the threads that it
// keeps out.

/**
 * Pool of equal buffers from registered slabs. A caller that finds it empty waits, without a thread, until a buffer is
 * given back. A pool may begin with a part of its buffers and register the others on demand. Thread-safe.
 */
public final class BufferPool implements AutoCloseable {
    private static final int SWEEP = 1024;

    private final ProtectionDomain domain;
    private final List<MemoryRegion> regions = new ArrayList<>(); // guarded by this
    private final int count;
    private final int size;
    private final MpmcVarHandleArrayQueue<Slot> free;
    private final Queue<BufferWaiter> waiters = new ConcurrentLinkedQueue<>();
    private final AtomicInteger wip = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicBoolean growing = new AtomicBoolean();
    private volatile int made;
    private volatile boolean full; // no further slots will be made
    private volatile @Nullable RuntimeException closedBecause;

    /** The memory of one buffer, and the owner that takes it back. */
    private final class Slot implements LeaseOwner {
        private final MemoryRegion region;
        private final MemorySegment memory;
        private final RegisteredBuffer exclusive;
        private boolean lent; // like the whole slot: accessed only by the thread that has the slot

        Slot(MemoryRegion region, MemorySegment memory, int index) {
            this.region = region;
            this.memory = memory;
            this.exclusive = new RegisteredBuffer(region, memory, this, index);
        }

        RegisteredBuffer lease(boolean isExclusive) {
            lent = true;
            return isExclusive ? exclusive.limit(size) : new RegisteredBuffer(region, memory, this);
        }

        @Override
        public void giveBack() {
            if (!lent) { // an exclusive lease was closed twice: the slot must not get two owners
                throw new IllegalStateException("the buffer is in its pool already: close each lease once");
            }
            lent = false;
            putBack(this);
        }
    }

    private void putBack(Slot slot) {
        free.add(slot);
        if (closedBecause != null) {
            closeRegionsLate();
        } else if (!waiters.isEmpty()) {
            drain();
        }
    }

    /**
     * Registers a slab with all buffers.
     *
     * @param domain where the memory is registered
     * @param count number of buffers
     * @param size bytes of each buffer
     */
    public BufferPool(ProtectionDomain domain, int count, int size) {
        this(domain, count, count, size);
    }

    /**
     * Registers a slab for the first buffers. When those do not suffice, further slabs follow, each of which makes the
     * pool at most four times as large.
     *
     * @param domain where the memory is registered; must stay open as long as {@link #isGrowing}
     * @param first number of buffers that are there at once, at least 1
     * @param count largest number of buffers
     * @param size bytes of each buffer
     */
    public BufferPool(ProtectionDomain domain, int first, int count, int size) {
        this.domain = domain;
        this.count = count;
        this.size = size;
        this.free = new MpmcVarHandleArrayQueue<>(Math.max(2, count));
        int atFirst = domain.usesHugePages() ? count : first;
        add(allocate(atFirst), atFirst);
    }

    private MemoryRegion allocate(int buffers) {
        return domain.allocate((long) buffers * size, domain.policy().forMessages(EnumSet.of(AccessFlag.LOCAL_WRITE)));
    }

    /** Publishes the slots of a slab, or closes the slab if the pool is closed. */
    private synchronized void add(MemoryRegion slab, int buffers) {
        if (closedBecause != null) {
            slab.close();
            return;
        }
        regions.add(slab);
        int first = made;
        made = first + buffers;
        full = made == count;
        for (int i = 0; i < buffers; i++) {
            free.add(new Slot(slab, slab.segment().asSlice((long) i * size, size), first + i));
        }
    }

    /**
     * Starts a separate thread that registers more buffers, if the pool may grow. The caller waits for one like any
     * other waiter.
     */
    private void grow() {
        if (full || !StackRoom.has(StackRoom.SIGNAL) || !growing.compareAndSet(false, true)) {
            return; // without room for the start of a thread, acquire() says so
        }
        if (closedBecause != null) {
            growing.set(false);
            return;
        }
        try {
            domain.environment().start("rdma-grow", this::growOnce);
        } catch (Throwable e) {
            growing.set(false);
            throw e;
        }
    }

    private void growOnce() {
        try {
            if (!full) { // else another thread has grown the pool meanwhile
                int more = Math.min(count - made, 3 * made);
                add(allocate(more), more);
            }
        } catch (Throwable e) { // such as no memory: the pool continues with the buffers it has
            full = true;
            report("a buffer pool cannot grow and stays at " + made + " of " + count + " buffers", e);
        } finally {
            growing.set(false);
        }
        drain();
        if (closedBecause != null) {
            closeRegionsLate();
        }
    }

    /**
     * Returns whether a thread is registering memory; the domain must not be closed meanwhile.
     *
     * @return after a close, once this was false, no thread registers memory any more
     */
    public boolean isGrowing() {
        return growing.get();
    }

    /**
     * Returns the size of each buffer.
     *
     * @return bytes
     */
    public int bufferSize() {
        return size;
    }

    /**
     * Returns the largest number of buffers.
     *
     * @return as given to the constructor
     */
    public int count() {
        return count;
    }

    /**
     * Returns the number of leased buffers.
     *
     * @return 0 when the pool is whole
     */
    public int leased() {
        return made - free.size();
    }

    /**
     * Asks for a buffer. The waiter is called before this returns or later, see {@link BufferWaiter}.
     *
     * @param waiter not used before
     * @throws StackOverflowError if the caller's stack is nearly full; the waiter does not wait then
     */
    public void acquire(BufferWaiter waiter) {
        // One test for all that follows, because a test takes longer than to lease a free buffer.
        if (StackRoom.has(StackRoom.CLOSE) && wip.compareAndSet(0, 1)) {
            boolean served = false;
            try {
                served = isServedAtOnce(waiter);
                if (!served) {
                    enqueue(waiter);
                }
            } finally {
                if (!served || !wip.compareAndSet(1, 0)) {
                    drainHeld();
                }
            }
        } else {
            StackRoom.require(StackRoom.SIGNAL); // the pool may grow
            enqueue(waiter);
            drain();
        }
    }

    private void enqueue(BufferWaiter waiter) {
        waiters.add(waiter);
        if (asked.incrementAndGet() % SWEEP == 0) {
            waiters.removeIf(BufferWaiter::isAbandoned); // else they would pile up while no buffer is given back
        }
    }

    /** Gives a waiter a free buffer, unless others wait or there is none. The caller has taken {@code wip}. */
    private boolean isServedAtOnce(BufferWaiter waiter) {
        Slot slot = waiters.isEmpty() ? take(false) : null;
        if (slot == null) {
            return false;
        }
        if (waiter.claim()) {
            tell(waiter, slot, null);
        } else {
            putBack(slot);
        }
        return true;
    }

    /**
     * Leases a buffer if one is free and no waiter is queued.
     *
     * @return a lease to be closed, or null: then call {@link #acquire}, which also reports that the pool is closed
     */
    public @Nullable RegisteredBuffer tryAcquire() {
        return tryLease(false, true);
    }

    /**
     * Leases a buffer like {@link #tryAcquire}, for a caller that passes it to the engine only. The lease is
     * {@linkplain RegisteredBuffer#place() exclusive} and makes no garbage.
     *
     * @return a lease to be closed exactly once, or null: then call {@link #acquire}
     */
    public @Nullable RegisteredBuffer tryAcquireExclusive() {
        return tryLease(true, true);
    }

    /**
     * Leases a buffer like {@link #tryAcquireExclusive}, but the pool does not grow for it. For a caller that can do
     * without.
     *
     * @return a lease to be closed exactly once, or null
     */
    public @Nullable RegisteredBuffer tryAcquireSpare() {
        return tryLease(true, false);
    }

    private @Nullable RegisteredBuffer tryLease(boolean exclusive, boolean grows) {
        if (!waiters.isEmpty() || closedBecause != null) {
            return null;
        }
        Slot slot = take(grows);
        return slot == null ? null : slot.lease(exclusive);
    }

    /**
     * Takes a free slot. Returns null if the pool is closed or has none.
     *
     * @param grows whether a pool that has none grows, if it may
     */
    private @Nullable Slot take(boolean grows) {
        Slot slot = free.poll();
        if (slot != null && closedBecause != null) { // else the closing thread saw that the slot is out
            putBack(slot);
            return null;
        }
        if (slot == null && grows) {
            grow();
        }
        return slot;
    }

    private void drain() {
        if (wip.getAndIncrement() != 0) {
            return;
        }
        if (StackRoom.has(StackRoom.CLOSE)) {
            drainHeld();
        } else { // too little for what other callers do with their buffers
            try {
                domain.environment().newThread("rdma-lend", this::drainHeld).start();
            } catch (Throwable e) { // no memory for a thread
                drainHeld();
            }
        }
    }

    private void drainHeld() {
        int missed = 1;
        do {
            try {
                serve();
            } catch (Throwable t) { // such as out of memory: the next buffer that comes back serves the waiters
                report("a buffer pool could not serve its waiters", t);
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    private void serve() {
        BufferWaiter waiter;
        while ((waiter = waiters.peek()) != null) {
            Slot slot = take(true);
            RuntimeException closed = closedBecause;
            if (slot == null && closed == null) {
                return;
            }
            if (waiters.remove(waiter) && waiter.claim()) { // else it was abandoned, and perhaps removed already
                tell(waiter, slot, closed);
            } else if (slot != null) {
                putBack(slot);
            }
        }
    }

    private void tell(BufferWaiter waiter, @Nullable Slot slot, @Nullable RuntimeException closed) {
        try {
            RegisteredBuffer buffer = null;
            RuntimeException failure = closed;
            if (slot != null) {
                try {
                    buffer = lease(slot, waiter.isExclusive());
                } catch (Throwable t) { // the waiter must hear of it
                    failure = new RdmaException("there is no memory for the handle of a buffer: " + t, t);
                }
            }
            if (buffer != null) {
                waiter.acquired(buffer);
            } else {
                waiter.failed(Objects.requireNonNull(failure));
            }
        } catch (Throwable t) { // an exception of one waiter must not stop the others
            report("a listener that waited for a buffer threw; the pool serves the others", t);
        }
    }

    private RegisteredBuffer lease(Slot slot, boolean exclusive) {
        try {
            return slot.lease(exclusive);
        } catch (Throwable t) { // no memory for the handle
            putBack(slot);
            throw t;
        }
    }

    /** Logs an error. If even that fails, the waiters that follow count for more. */
    private static void report(String message, Throwable error) {
        try {
            log().log(Logger.Level.ERROR, message, error);
        } catch (Throwable unlogged) {
            // nothing is left to be done
        }
    }

    /**
     * Closes the regions of a closed pool, on a thread that has not closed it. A refusal is no failure of what that
     * thread does, which is to end an operation. The domain tries again.
     */
    private void closeRegionsLate() {
        new CloseSteps().run(this::closeRegionsIfWhole).log(BufferPool.class, "a closed pool was not deregistered");
    }

    private synchronized void closeRegionsIfWhole() {
        if (free.size() == made) {
            CloseSteps steps = new CloseSteps();
            regions.forEach(region -> steps.run(region::close)); // a second close does nothing
            steps.report();
        }
    }

    /**
     * Closes the pool. Current and later waiters get the reason. Leased buffers stay valid until they are closed.
     *
     * @param reason given to waiters
     */
    public void close(RuntimeException reason) {
        if (closedBecause == null) {
            closedBecause = reason;
            drain();
            closeRegionsIfWhole();
        }
    }

    /** Closes the pool; current and later waiters get an {@link IllegalStateException}. */
    @Override
    public void close() {
        close(new IllegalStateException("buffer pool is closed"));
    }

    private static Logger log() {
        return System.getLogger(BufferPool.class.getName());
    }
}
