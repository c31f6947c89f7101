package io.rdma.buffer;

import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import java.lang.System.Logger;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - Every slot is either in `free` or behind exactly one lease; each lease holds the region, so the memory outlives the
// pool's close.
// - Waiters are served in order by whoever drains; `wip` lets one thread drain for all.

/** Equal buffers from one registered slab. Who finds it empty waits, without a thread, until one is given back. Thread-safe. */
public final class BufferPool implements AutoCloseable {
    private static final Logger LOG = System.getLogger(BufferPool.class.getName());

    private static final int SWEEP = 1024;

    private final Lessor lessor = this::giveBack;
    private final MemoryRegion region;
    private final int count;
    private final int size;
    private final MpmcVarHandleArrayQueue<MemorySegment> free;
    private final Queue<BufferWaiter> waiters = new ConcurrentLinkedQueue<>();
    private final AtomicInteger wip = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile @Nullable RuntimeException closedBecause;

    /**
     * Registers a slab.
     *
     * @param domain where
     * @param count buffers
     * @param size bytes of each
     */
    public BufferPool(ProtectionDomain domain, int count, int size) {
        this.count = count;
        this.size = size;
        this.region = domain.allocate((long) count * size, EnumSet.of(AccessFlag.LOCAL_WRITE));
        this.free = new MpmcVarHandleArrayQueue<>(Math.max(2, count));
        for (int i = 0; i < count; i++) {
            free.add(region.segment().asSlice((long) i * size, size));
        }
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
     * How many buffers are out.
     *
     * @return 0 when the pool is whole
     */
    public int leased() {
        return count - free.size();
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
        if (!waiters.isEmpty() || closedBecause != null) {
            return null;
        }
        MemorySegment memory = free.poll();
        if (memory == null) {
            return null;
        }
        if (retained()) {
            return new RegisteredBuffer(region, memory, lessor);
        }
        free.add(memory); // the pool was closed meanwhile
        return null;
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
            RuntimeException closed = closedBecause;
            MemorySegment memory = closed == null ? free.poll() : null;
            if (closed == null && memory == null) {
                return;
            }
            waiters.remove();
            if (!waiter.claim()) {
                if (memory != null) {
                    free.add(memory);
                }
            } else {
                tell(waiter, memory, closed);
            }
        }
    }

    private void tell(BufferWaiter waiter, @Nullable MemorySegment memory, @Nullable RuntimeException closed) {
        try {
            if (memory != null && !retained()) {
                free.add(memory); // the pool was closed meanwhile
                waiter.failed(Objects.requireNonNull(closedBecause));
            } else if (memory != null) {
                waiter.acquired(new RegisteredBuffer(region, memory, lessor));
            } else {
                waiter.failed(Objects.requireNonNull(closed));
            }
        } catch (Throwable t) { // a waiter's mistake must not stop the others
            LOG.log(Logger.Level.ERROR, "a waiter for a buffer threw; the pool goes on", t);
        }
    }

    private boolean retained() {
        try {
            region.retain();
            return true;
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    private void giveBack(MemorySegment memory) {
        free.add(memory);
        region.release();
        drain();
    }

    /**
     * Closes with a reason that everybody who waits or asks later gets. Leased buffers stay valid until they are closed.
     *
     * @param reason given to waiters
     */
    public void close(RuntimeException reason) {
        if (closedBecause == null) {
            closedBecause = reason;
            drain();
            region.close();
        }
    }

    /** Closes; who waits or asks later gets an {@link IllegalStateException}. */
    @Override
    public void close() {
        close(new IllegalStateException("buffer pool is closed"));
    }
}
