package io.rdma.buffer;

import io.rdma.verbs.AccessFlag;
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
// and all slots are in `free`: whoever brings that about closes them.
// - One thread at a time makes slots, without the loop's help: it raises `growing` and then looks whether the pool is
// closed, a close sets its reason and then looks at `growing`. Slots and regions are published under the monitor.
// - Waiters are served in order by whoever drains; `wip` lets one thread drain for all.

/**
 * Equal buffers from registered slabs. Who finds it empty waits, without a thread, until one is given back. A pool may
 * begin with a part of its buffers and register the others when they are asked for. Thread-safe.
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
    private volatile boolean full; // there will be no more slots than there are
    private volatile @Nullable RuntimeException closedBecause;

    /** The memory of one buffer, and who takes it back. */
    private final class Slot implements LeaseOwner {
        private final MemoryRegion region;
        private final MemorySegment memory;
        private final RegisteredBuffer exclusive;
        private boolean lent; // of who has the slot, like all of it

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
            if (!lent) { // an exclusive lease was closed twice: the slot must not have two owners
                throw new IllegalStateException("the buffer is in its pool already");
            }
            lent = false;
            putBack(this);
        }
    }

    private void putBack(Slot slot) {
        free.add(slot);
        if (closedBecause != null) {
            closeRegionsIfWhole();
        } else if (!waiters.isEmpty()) {
            drain();
        }
    }

    /**
     * Registers a slab.
     *
     * @param domain where
     * @param count buffers
     * @param size bytes of each
     */
    public BufferPool(ProtectionDomain domain, int count, int size) {
        this(domain, count, count, size);
    }

    /**
     * Registers a slab for the first buffers; others, four times as many each time, when those do not suffice.
     *
     * @param domain where; must stay open as long as {@link #isGrowing}
     * @param first buffers that are there at once, at least 1
     * @param count most buffers
     * @param size bytes of each
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
        return domain.allocate((long) buffers * size, EnumSet.of(AccessFlag.LOCAL_WRITE));
    }

    /** Publishes a slab's slots, unless the pool is closed: then it ends here. */
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
     * Has a thread of its own register more buffers, if there may be more; who asked for one waits for it as for any.
     */
    private void grow() {
        if (full || !growing.compareAndSet(false, true)) {
            return;
        }
        if (closedBecause != null) {
            growing.set(false);
            return;
        }
        Thread.ofVirtual().name("rdma-grow").start(this::growOnce);
    }

    private void growOnce() {
        try {
            if (!full) { // else somebody else was as quick
                int more = Math.min(count - made, 3 * made);
                add(allocate(more), more);
            }
        } catch (RuntimeException e) { // what there is has to do
            full = true;
            log().log(Logger.Level.WARNING, "a pool stays at " + made + " of " + count + " buffers", e);
        } finally {
            growing.set(false);
        }
        if (closedBecause != null) {
            closeRegionsIfWhole();
        }
        drain();
    }

    /**
     * Whether a thread is registering memory: the domain must not be closed under it.
     *
     * @return false for ever once it is false after a close
     */
    public boolean isGrowing() {
        return growing.get();
    }

    /**
     * Size of each buffer.
     *
     * @return bytes
     */
    public int bufferSize() {
        return size;
    }

    /**
     * Number of buffers that there may be.
     *
     * @return as given to the constructor
     */
    public int count() {
        return count;
    }

    /**
     * How many buffers are out.
     *
     * @return 0 when the pool is whole
     */
    public int leased() {
        return made - free.size();
    }

    /**
     * Asks for a buffer; the waiter is called at once or later, see there.
     *
     * @param waiter fresh
     */
    public void acquire(BufferWaiter waiter) {
        waiters.add(waiter);
        if (asked.incrementAndGet() % SWEEP == 0) {
            waiters.removeIf(BufferWaiter::isAbandoned); // else they would pile up while nothing comes back
        }
        drain();
    }

    /**
     * A buffer, if there is one for whoever asks now and nobody waits.
     *
     * @return a lease to be closed, or null: {@link #acquire} then, which also tells if the pool is closed
     */
    public @Nullable RegisteredBuffer tryAcquire() {
        return tryLease(false);
    }

    /**
     * As {@link #tryAcquire}, for who hands the buffer to nobody but the engine: an
     * {@linkplain RegisteredBuffer#place() exclusive} lease, which makes no garbage.
     *
     * @return a lease to be closed exactly once, or null: {@link #acquire} then
     */
    public @Nullable RegisteredBuffer tryAcquireExclusive() {
        return tryLease(true);
    }

    private @Nullable RegisteredBuffer tryLease(boolean exclusive) {
        if (!waiters.isEmpty() || closedBecause != null) {
            return null;
        }
        Slot slot = take();
        return slot == null ? null : slot.lease(exclusive);
    }

    /** A slot of the open pool. */
    private @Nullable Slot take() {
        Slot slot = free.poll();
        if (slot != null && closedBecause != null) { // else who closed saw that it is out
            putBack(slot);
            return null;
        }
        if (slot == null) {
            grow();
        }
        return slot;
    }

    private void drain() {
        if (wip.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            serve();
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    private void serve() {
        BufferWaiter waiter;
        while ((waiter = waiters.peek()) != null) {
            Slot slot = take();
            RuntimeException closed = closedBecause;
            if (slot == null && closed == null) {
                return;
            }
            if (waiters.remove(waiter) && waiter.claim()) { // else it was abandoned, and perhaps swept out meanwhile
                tell(waiter, slot, closed);
            } else if (slot != null) {
                putBack(slot);
            }
        }
    }

    private void tell(BufferWaiter waiter, @Nullable Slot slot, @Nullable RuntimeException closed) {
        try {
            if (slot != null) {
                waiter.acquired(slot.lease(waiter.isExclusive()));
            } else {
                waiter.failed(Objects.requireNonNull(closed));
            }
        } catch (Throwable t) { // a waiter's mistake must not stop the others
            log().log(Logger.Level.ERROR, "a waiter for a buffer threw; the pool goes on", t);
        }
    }

    private synchronized void closeRegionsIfWhole() {
        if (free.size() == made) {
            regions.forEach(MemoryRegion::close); // a second time does nothing
        }
    }

    /**
     * Closes with a reason that everybody who waits or asks later gets. Leased buffers stay valid until they are
     * closed.
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

    /** Closes; who waits or asks later gets an {@link IllegalStateException}. */
    @Override
    public void close() {
        close(new IllegalStateException("buffer pool is closed"));
    }

    private static Logger log() {
        return System.getLogger(BufferPool.class.getName());
    }
}
