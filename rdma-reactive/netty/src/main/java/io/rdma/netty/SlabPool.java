package io.rdma.netty;

import io.rdma.internal.close.CloseSteps;
import io.rdma.types.AccessFlag;
import io.rdma.types.RdmaException;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import java.lang.System.Logger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

// Invariants
// - A slab is registered as a whole and cut into pieces of one size class. A piece is in one free list, or behind one
// buffer.
// - `own` of a class is used by the event loop only. Other threads take from and give back to `shared`, and the event
// loop takes from there when `own` is empty.
// - After close() no piece is given out. A region is closed when all its pieces are back: buffers may outlive the event
// loop. `back` is counted under the monitor.

/** Registered memory of one event loop, from which the buffers of its channels are cut. */
final class SlabPool {
    private static final int SMALLEST = 256;
    private static final int LARGEST = 1 << 20;
    private static final int SLAB = 1 << 20;

    /** Time after which a device that refused to register memory is asked again. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int CLASSES = Integer.numberOfTrailingZeros(LARGEST / SMALLEST) + 1;

    /** Pieces of one size that are free. */
    private static final class SizeClass {
        private final Deque<SlabPiece> own = new ArrayDeque<>(); // (event loop)
        private final Queue<SlabPiece> shared = new ConcurrentLinkedQueue<>();
    }

    private final ProtectionDomain domain;
    private final long most;
    private final BooleanSupplier onLoop;
    private final SizeClass[] classes = new SizeClass[CLASSES];
    private volatile MemoryRegion[] slabs = {};
    private long registered; // guarded by this
    private boolean refused; // guarded by this; the last attempt to register
    private long refusedAt; // guarded by this; nanoTime
    private int made; // guarded by this
    private int back; // guarded by this; counted from the close on
    private volatile boolean closed;

    /**
     * Creates an empty pool.
     *
     * @param domain domain of the channels' connections
     * @param most bytes that are registered at most; 0 for none
     * @param onLoop whether the caller is the event loop
     */
    SlabPool(ProtectionDomain domain, long most, BooleanSupplier onLoop) {
        this.domain = domain;
        this.most = most;
        this.onLoop = onLoop;
        for (int i = 0; i < CLASSES; i++) {
            classes[i] = new SizeClass();
        }
    }

    /** Returns the domain in which the memory is registered. */
    ProtectionDomain domain() {
        return domain;
    }

    /**
     * Takes a piece. Registers memory if there is none.
     *
     * @return of at least that many bytes; null if it would be too large, or if no more memory may be registered
     */
    @Nullable
    SlabPiece take(int bytes) {
        if (bytes > LARGEST || closed) {
            return null;
        }
        int index = index(bytes);
        SizeClass sizes = classes[index];
        SlabPiece piece = onLoop.getAsBoolean() ? sizes.own.poll() : null;
        if (piece == null) {
            piece = sizes.shared.poll();
        }
        return piece != null ? piece : cut(index);
    }

    private static int index(int bytes) {
        return bytes <= SMALLEST ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros((bytes - 1) / SMALLEST);
    }

    private synchronized @Nullable SlabPiece cut(int index) {
        int size = SMALLEST << index;
        int bytes = Math.max(SLAB, size);
        if (closed || registered + bytes > most || isRefusedStill()) {
            return null;
        }
        MemoryRegion slab;
        try {
            slab = domain.allocate(bytes, EnumSet.of(AccessFlag.LOCAL_WRITE));
        } catch (RdmaException e) { // the limit of registered memory, or of the process
            refusedAt = System.nanoTime();
            refused = true;
            log().log(
                            Logger.Level.WARNING,
                            "no more memory is registered for the buffers of an event loop, so what is written from"
                                    + " others is copied: " + e.getMessage());
            return null;
        }
        refused = false;
        registered += bytes;
        MemoryRegion[] more = new MemoryRegion[slabs.length + 1];
        System.arraycopy(slabs, 0, more, 0, slabs.length);
        more[slabs.length] = slab;
        slabs = more;
        SlabPiece first = new SlabPiece(this, index, slab.segment().asSlice(0, size));
        made++;
        for (long at = size; at < bytes; at += size) {
            classes[index].shared.add(new SlabPiece(this, index, slab.segment().asSlice(at, size)));
            made++;
        }
        return first;
    }

    /** Returns whether registering was refused a moment ago: an attempt costs more than many copies. */
    private boolean isRefusedStill() {
        return refused && System.nanoTime() - refusedAt < RETRY_NANOS;
    }

    private static Logger log() {
        return System.getLogger(SlabPool.class.getName());
    }

    /** Gives a piece back. Any thread. */
    void giveBack(SlabPiece piece) {
        if (closed) {
            closeIfAllAreBack(1);
        } else if (onLoop.getAsBoolean()) {
            classes[piece.sizeClass()].own.push(piece);
        } else {
            classes[piece.sizeClass()].shared.add(piece);
            if (closed && classes[piece.sizeClass()].shared.remove(piece)) { // close() did not count it
                closeIfAllAreBack(1);
            }
        }
    }

    /**
     * Returns the region that has registered some bytes.
     *
     * @return null if they are not in memory of this pool
     */
    @Nullable
    MemoryRegion regionOf(long address, int length) {
        for (MemoryRegion slab : slabs) {
            long offset = address - slab.address();
            if (offset >= 0 && offset + length <= slab.length()) {
                return slab;
            }
        }
        return null;
    }

    /** Closes the memory, once all pieces are back. Event loop. */
    void close() {
        closed = true;
        int free = 0;
        for (SizeClass sizes : classes) {
            free += sizes.own.size();
            sizes.own.clear();
            while (sizes.shared.poll() != null) {
                free++;
            }
        }
        closeIfAllAreBack(free);
    }

    private void closeIfAllAreBack(int more) {
        List<MemoryRegion> ended = new ArrayList<>();
        synchronized (this) {
            back += more;
            if (back == made) {
                ended.addAll(List.of(slabs));
                slabs = new MemoryRegion[0];
            }
        }
        CloseSteps steps = new CloseSteps();
        ended.forEach(slab -> steps.run(slab::close));
        steps.log(SlabPool.class, "registered memory of an event loop was not freed");
    }
}
