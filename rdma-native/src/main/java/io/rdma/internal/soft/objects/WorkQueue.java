package io.rdma.internal.soft.objects;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A ring of work requests. {@code posted} grows under the monitor. {@code taken} belongs to the device thread.
 * {@code retired} grows when a completion is polled; a slot is occupied from the post until then.
 * {@code retired <= taken <= posted}.
 */
public final class WorkQueue {
    final int depth;
    private final MemorySegment inline; // keeps the automatic arena alive
    private final QueuedRequest[] slots;
    private volatile long posted;
    private volatile long retired;
    private boolean staging; // guarded by the monitor
    private int staged; // guarded by the monitor

    /** Position of the oldest request without an outcome. */
    public long taken;

    WorkQueue(int depth, int maxSge, int maxInline) {
        this.depth = depth;
        inline = Arena.ofAuto().allocate(Math.max(1L, (long) depth * maxInline), 8);
        slots = new QueuedRequest[depth];
        for (int i = 0; i < depth; i++) {
            slots[i] = new QueuedRequest(maxSge, inline.address() + (long) i * maxInline);
        }
    }

    public boolean full() {
        return posted + staged - retired >= depth;
    }

    int freeIndex() {
        return (int) ((posted + staged) % depth);
    }

    public QueuedRequest free() {
        return slots[freeIndex()];
    }

    /** Posts, or stages, the request in the slot that {@link #free} returned. The caller holds the monitor. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    public void publish() {
        if (staging) {
            staged++;
        } else {
            posted = posted + 1;
        }
    }

    /** Defers the posting of published requests until {@link #commit}. The caller holds the monitor until then. */
    public void stage() {
        staging = true;
    }

    /**
     * Ends {@link #stage}.
     *
     * @param all whether all staged requests are posted, or none
     */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    public void commit(boolean all) {
        if (all) {
            posted = posted + staged;
        }
        staged = 0;
        staging = false;
    }

    public long posted() {
        return posted;
    }

    public QueuedRequest at(long index) {
        return slots[(int) (index % depth)];
    }

    void retire(long upTo) {
        if (upTo > retired) {
            retired = upTo;
        }
    }

    synchronized void clear() {
        taken = posted;
        retired = posted;
    }
}
