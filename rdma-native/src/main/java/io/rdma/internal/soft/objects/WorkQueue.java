package io.rdma.internal.soft.objects;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A ring of work requests. {@code posted} grows under the monitor. {@code taken} belongs to the device thread.
 * {@code retired} grows when a completion is polled; a slot is occupied from the post until then.
 * {@code retired <= taken <= posted}. A slot gets its request object when it is first used.
 */
public final class WorkQueue {
    private static final QueuedRequest NEVER_POSTED = new QueuedRequest(0, 0);

    final int depth;
    private final int maxSge;
    private final int maxInline;
    private final MemorySegment inline; // keeps the automatic arena alive
    private final @Nullable QueuedRequest[] slots;
    private volatile long posted;
    private volatile long retired;
    private boolean staging; // guarded by the monitor
    private int staged; // guarded by the monitor

    /** Position of the oldest request without an outcome. */
    public long taken;

    WorkQueue(int depth, int maxSge, int maxInline) {
        this.depth = depth;
        this.maxSge = maxSge;
        this.maxInline = maxInline;
        long bytes = (long) depth * maxInline;
        inline = bytes == 0 ? MemorySegment.NULL : Arena.ofAuto().allocate(bytes, 8);
        slots = new @Nullable QueuedRequest[depth];
    }

    public boolean full() {
        return posted + staged - retired >= depth;
    }

    int freeIndex() {
        return (int) ((posted + staged) % depth);
    }

    /** Returns the slot that is posted next. The caller holds the monitor. */
    public QueuedRequest free() {
        int index = freeIndex();
        QueuedRequest request = slots[index];
        if (request == null) {
            request = new QueuedRequest(maxSge, inline.address() + (long) index * maxInline);
            slots[index] = request;
        }
        return request;
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

    /** Returns the request at a position; one without content if nothing was ever posted there. */
    public QueuedRequest at(long index) {
        QueuedRequest request = slots[(int) (index % depth)];
        return request == null ? NEVER_POSTED : request;
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
