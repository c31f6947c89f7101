package io.rdma.internal.engine;

import io.rdma.verbs.AddressHandle;
import io.rdma.verbs.AddressHandleAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - `users` is MAKING, then the number of operations that hold the handle, then CLOSED. The thread that changes it from
// 0 to CLOSED destroys the handle, once, and no operation retains it afterwards.
// - The handle is written before `users` leaves MAKING.

/** An address handle in the cache, with the number of operations that use it. */
final class CachedAddress {
    private static final int MAKING = -1;
    private static final int CLOSED = -2;

    private final AddressHandles cache;
    private final AddressHandleAttributes attributes;
    private final List<AddressHandles.Waiter> waiting = new ArrayList<>(); // guarded by the cache
    private final AtomicInteger users = new AtomicInteger(MAKING);
    private @Nullable AddressHandle handle;
    private volatile boolean usedLately;

    CachedAddress(AddressHandles cache, AddressHandleAttributes attributes) {
        this.cache = cache;
        this.attributes = attributes;
    }

    AddressHandleAttributes attributes() {
        return attributes;
    }

    /** Returns the waiters for the handle while it is being made. Under the cache's monitor. */
    List<AddressHandles.Waiter> waiting() {
        return waiting;
    }

    /** Sets the handle, which that many waiters hold from now on. */
    void made(AddressHandle made, int holders) {
        handle = made;
        usedLately = true;
        users.set(holders);
    }

    /**
     * Holds the handle for one more operation.
     *
     * @return false if it is not made yet, or is closed
     */
    boolean tryRetain() {
        for (int now = users.get(); now >= 0; now = users.get()) {
            if (users.compareAndSet(now, now + 1)) {
                usedLately = true;
                return true;
            }
        }
        return false;
    }

    /** Ends one hold. Any thread; does not block. */
    void release() {
        if (users.decrementAndGet() == 0) {
            cache.unused();
        }
    }

    /** Returns whether an operation holds it. */
    boolean isUsed() {
        return users.get() > 0;
    }

    /** Returns whether it is worth keeping for now: it is in use, or was used since the last call. */
    boolean isWorthKeeping() {
        boolean lately = usedLately;
        usedLately = false;
        return lately || users.get() != 0;
    }

    /**
     * Closes the entry, unless an operation holds it.
     *
     * @return true once: the caller then destroys the handle
     */
    boolean tryClose() {
        return users.compareAndSet(0, CLOSED);
    }

    /** Returns the handle of an entry that is held, or that the caller has closed. */
    AddressHandle handle() {
        return Objects.requireNonNull(handle);
    }
}
