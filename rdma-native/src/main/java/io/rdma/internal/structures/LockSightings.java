package io.rdma.internal.structures;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

// Invariant: a word that was seen at two moments was there all the time between them, because it does not come back
// (LockWord). That has a bound, so moments that lie too far apart are not compared.

/**
 * The moments since which one client has seen locks held. All calls of the client share them, so that one that does not
 * wait can find a lease to be over that an earlier one has seen. Thread-safe.
 */
final class LockSightings {
    private static final int MARGIN = 8;

    /** Leases between two looks. In so many a holder that renews as often as is useful does so 3,072 times. */
    private static final int FORGOTTEN = 1 << 10;

    private record Sighting(LockWord word, long first, long last) {}

    private final long leaseNanos;
    private final Map<Integer, Sighting> held = new ConcurrentHashMap<>(); // by index; the locks that were not free

    LockSightings(Duration lease) {
        leaseNanos = lease.toNanos();
    }

    /**
     * Notes a look at a lock.
     *
     * @param now time by the client's clock behind the look
     * @return whether the client may acquire the lock: nobody holds it, or its lease is over
     */
    boolean isFree(int index, LockWord word, long now) {
        if (word.holder() == 0) {
            held.remove(index);
            return true;
        }
        Sighting seen = Objects.requireNonNull(
                held.compute(index, (i, before) -> new Sighting(word, first(before, word, now), now)));
        return now - seen.first() > leaseNanos + leaseNanos / MARGIN;
    }

    private long first(@Nullable Sighting before, LockWord word, long now) {
        if (before == null || !before.word().equals(word) || now - before.last() >= FORGOTTEN * leaseNanos) {
            return now;
        }
        return before.first();
    }
}
