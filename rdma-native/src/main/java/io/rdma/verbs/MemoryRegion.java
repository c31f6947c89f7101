package io.rdma.verbs;

import io.rdma.internal.ffi.Mr;
import io.rdma.internal.ffi.Verbs;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Registered memory, {@code ibv_reg_mr(3)}.
 *
 * <p>A region counts its users: work in flight holds it. {@link #close} refuses new users at once and deregisters when the last one is gone;
 * only then memory that the region owns is freed. So closing is safe at any time.
 */
public final class MemoryRegion implements AutoCloseable {
    // users: number of holders, the open region itself being one; 0 means deregistered.
    private final AtomicInteger users = new AtomicInteger(1);
    private final AtomicInteger closed = new AtomicInteger();
    private final Verbs verbs;
    private final Mr mr;
    private final MemorySegment segment;
    private final Runnable deregistered;

    /** @param deregistered frees what the memory needs; runs once */
    MemoryRegion(Verbs verbs, Mr mr, MemorySegment segment, Runnable deregistered) {
        this.verbs = verbs;
        this.mr = mr;
        this.segment = segment;
        this.deregistered = deregistered;
    }

    /** For calls that name the region. */
    long handle() {
        return mr.handle();
    }

    /**
     * The memory.
     *
     * @return the segment that was registered
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Length.
     *
     * @return bytes
     */
    public long length() {
        return segment.byteSize();
    }

    /**
     * Key for local work requests.
     *
     * @return lkey
     */
    public int lkey() {
        return mr.lkey();
    }

    /**
     * Key for peers.
     *
     * @return rkey
     */
    public int rkey() {
        return mr.rkey();
    }

    /**
     * The whole region as a peer names it; what the peer may do with it was decided at registration.
     *
     * @return to be sent to the peer
     */
    public RemoteMemory remote() {
        return new RemoteMemory(segment.address(), segment.byteSize(), mr.rkey());
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
            verbs.deregMr(mr.handle());
            deregistered.run();
        }
    }

    /** Refuses new work, and deregisters when the work in flight is done. A second call does nothing. Any thread; does not wait. */
    @Override
    public void close() {
        if (closed.compareAndSet(0, 1)) {
            release();
        }
    }
}
