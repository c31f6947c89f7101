package io.rdma.verbs;

import io.rdma.types.CompletionTimestamp;

/**
 * A mapping from the clock of a device, {@link CompletionTimestamp#DEVICE_CLOCK}, to {@link System#nanoTime}. It is
 * accurate to within {@link #uncertaintyNanos} when it is made. From then on the clocks drift apart, by up to some
 * microseconds in each second: make a new one from time to time. Immutable.
 */
public final class DeviceClock {
    private static final int SAMPLES = 16;
    private static final double NANOS_TIMES_KHZ = 1_000_000;

    private final long ticks;
    private final long nanos;
    private final long uncertaintyNanos;
    private final long mask;
    private final double nanosPerTick;

    private DeviceClock(long ticks, long nanos, long uncertaintyNanos, long mask, long kiloHertz) {
        this.ticks = ticks;
        this.nanos = nanos;
        this.uncertaintyNanos = uncertaintyNanos;
        this.mask = mask;
        nanosPerTick = NANOS_TIMES_KHZ / kiloHertz;
    }

    /**
     * Creates the mapping from the closest of some readings of both clocks.
     *
     * @param mask valid bits of a timestamp, contiguous from the lowest
     */
    static DeviceClock compare(DeviceContext device, long mask, long kiloHertz) {
        DeviceClock best = null;
        for (int i = 0; i < SAMPLES; i++) {
            long before = device.environment().nanoTime();
            long ticks = device.queryRawClock();
            long between = device.environment().nanoTime() - before;
            if (best == null || between < 2 * best.uncertaintyNanos) {
                best = new DeviceClock(ticks, before + between / 2, (between + 1) / 2, mask, kiloHertz);
            }
        }
        return java.util.Objects.requireNonNull(best);
    }

    /**
     * Returns when an operation completed.
     *
     * @param timestamp {@link CompletionBatch#timestamp} of a queue with the device's clock, at most half a turn of
     *     that clock away from the moment when this mapping was made
     * @return the time that {@link System#nanoTime} showed then
     */
    public long nanoTime(long timestamp) {
        int unused = Long.numberOfLeadingZeros(mask);
        long since = (timestamp - ticks) << unused >> unused; // the clock begins again at 0 when all its bits are 1
        return nanos + Math.round(since * nanosPerTick);
    }

    /**
     * Returns the largest error of {@link #nanoTime} at the moment when this mapping was made.
     *
     * @return half the time that a reading of the device's clock took, in nanoseconds
     */
    public long uncertaintyNanos() {
        return uncertaintyNanos;
    }
}
