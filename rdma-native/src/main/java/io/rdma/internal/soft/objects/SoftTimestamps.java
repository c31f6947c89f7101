package io.rdma.internal.soft.objects;

import io.rdma.internal.os.NativeMemory;
import java.time.Instant;

/**
 * Timestamps of a completion queue's entries: ticks of 1 ns since an arbitrary moment, or since 1970. Guarded by the
 * queue's monitor.
 */
final class SoftTimestamps {
    static final SoftTimestamps NONE = new SoftTimestamps(0, false);

    private static final long NANOS = 1_000_000_000;

    private final long[] times;
    private final boolean wallClock;

    SoftTimestamps(int entries, boolean wallClock) {
        times = new long[entries];
        this.wallClock = wallClock;
    }

    void take(int slot) {
        if (times.length > 0) {
            times[slot] = wallClock ? wallClock() : System.nanoTime();
        }
    }

    private static long wallClock() {
        Instant now = Instant.now();
        return now.getEpochSecond() * NANOS + now.getNano();
    }

    /** Returns timestamps for a number of entries. */
    SoftTimestamps resized(int entries) {
        return times.length == 0 ? NONE : new SoftTimestamps(entries, wallClock);
    }

    void copy(int slot, SoftTimestamps target, int targetSlot) {
        if (times.length > 0) {
            target.times[targetSlot] = times[slot];
        }
    }

    void copy(int slot, long address) {
        if (times.length > 0) {
            NativeMemory.putLong(address, times[slot]);
        }
    }
}
