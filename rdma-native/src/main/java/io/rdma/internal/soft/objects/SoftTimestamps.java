package io.rdma.internal.soft.objects;

import io.rdma.internal.ibv.NativeMemory;
import java.util.function.LongSupplier;

/**
 * Timestamps of a completion queue's entries: ticks of 1 ns since an arbitrary moment, or since 1970. Guarded by the
 * queue's monitor.
 */
final class SoftTimestamps {
    static final SoftTimestamps NONE = new SoftTimestamps(0, () -> 0);

    private final long[] times;
    private final LongSupplier clock;

    SoftTimestamps(int entries, LongSupplier clock) {
        times = new long[entries];
        this.clock = clock;
    }

    void take(int slot) {
        if (times.length > 0) {
            times[slot] = clock.getAsLong();
        }
    }

    /** Returns timestamps for a number of entries. */
    SoftTimestamps resized(int entries) {
        return times.length == 0 ? NONE : new SoftTimestamps(entries, clock);
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
