package io.rdma.soft;

import io.rdma.internal.soft.link.SoftFaults;
import java.time.Duration;

/**
 * Faults of a link on which {@code soft0} sends packets; immutable. Start with {@link #NONE} and change the faults that
 * you want: {@code LinkFaults.NONE.withLoss(0.01).withDelay(Duration.ofMillis(2)).withSeed(42)}.
 *
 * <p>A random generator, started with the seed, decides the faults of each packet. The same seed makes the same
 * decisions for the same sequence of packets. Threads and clocks also influence which packets are sent, and when. So a
 * test of one connection with one request at a time repeats exactly, other tests nearly so.
 *
 * @param loss probability that a packet is lost, 0 to 1
 * @param duplication probability that a packet arrives twice, 0 to 1
 * @param reordering probability that a packet arrives a millisecond later, so that others overtake it, 0 to 1
 * @param corruption probability that one bit of a packet is flipped, 0 to 1; the receiver's ICRC check drops the packet
 * @param delay of each packet
 * @param jitter largest additional delay, evenly distributed; more than the time between two packets reorders them
 * @param bytesPerSecond bandwidth of the link, headers included, 0 for no limit; while 10,000 packets wait, further
 *     ones are lost
 * @param partitioned whether all packets are lost
 * @param seed of the random decisions
 */
public record LinkFaults(
        double loss,
        double duplication,
        double reordering,
        double corruption,
        Duration delay,
        Duration jitter,
        long bytesPerSecond,
        boolean partitioned,
        long seed) {
    /** Link without faults. */
    public static final LinkFaults NONE = new LinkFaults(0, 0, 0, 0, Duration.ZERO, Duration.ZERO, 0, false, 1);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a probability is not from 0 to 1, or a time or the rate is negative
     */
    public LinkFaults {
        if (!(loss >= 0 && loss <= 1)
                || !(duplication >= 0 && duplication <= 1)
                || !(reordering >= 0 && reordering <= 1)
                || !(corruption >= 0 && corruption <= 1)) {
            throw new IllegalArgumentException("loss, duplication, reordering and corruption must be from 0 to 1: "
                    + loss + ", " + duplication + ", " + reordering + ", " + corruption);
        }
        if (delay.isNegative() || jitter.isNegative() || bytesPerSecond < 0) {
            throw new IllegalArgumentException("delay, jitter and bytesPerSecond must not be negative: " + delay + ", "
                    + jitter + ", " + bytesPerSecond);
        }
    }

    /**
     * Returns a copy with another probability of loss.
     *
     * @param newLoss 0 to 1
     * @return a changed copy
     */
    public LinkFaults withLoss(double newLoss) {
        return new LinkFaults(
                newLoss, duplication, reordering, corruption, delay, jitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * Returns a copy with another probability of packets that arrive twice.
     *
     * @param newDuplication 0 to 1
     * @return a changed copy
     */
    public LinkFaults withDuplication(double newDuplication) {
        return new LinkFaults(
                loss, newDuplication, reordering, corruption, delay, jitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * Returns a copy with another probability of packets that others overtake.
     *
     * @param newReordering 0 to 1
     * @return a changed copy
     */
    public LinkFaults withReordering(double newReordering) {
        return new LinkFaults(
                loss, duplication, newReordering, corruption, delay, jitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * Returns a copy with another probability of a flipped bit.
     *
     * @param newCorruption 0 to 1
     * @return a changed copy
     */
    public LinkFaults withCorruption(double newCorruption) {
        return new LinkFaults(
                loss, duplication, reordering, newCorruption, delay, jitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * Returns a copy with another delay.
     *
     * @param newDelay not negative
     * @return a changed copy
     */
    public LinkFaults withDelay(Duration newDelay) {
        return new LinkFaults(
                loss, duplication, reordering, corruption, newDelay, jitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * Returns a copy with another jitter.
     *
     * @param newJitter not negative
     * @return a changed copy
     */
    public LinkFaults withJitter(Duration newJitter) {
        return new LinkFaults(
                loss, duplication, reordering, corruption, delay, newJitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * Returns a copy with another bandwidth.
     *
     * @param newBytesPerSecond 0 for no limit
     * @return a changed copy
     */
    public LinkFaults withBytesPerSecond(long newBytesPerSecond) {
        return new LinkFaults(
                loss, duplication, reordering, corruption, delay, jitter, newBytesPerSecond, partitioned, seed);
    }

    /**
     * Returns a copy whose link is partitioned or not.
     *
     * @param newPartitioned whether all packets are lost
     * @return a changed copy
     */
    public LinkFaults withPartitioned(boolean newPartitioned) {
        return new LinkFaults(
                loss, duplication, reordering, corruption, delay, jitter, bytesPerSecond, newPartitioned, seed);
    }

    /**
     * Returns a copy with another seed.
     *
     * @param newSeed any number
     * @return a changed copy
     */
    public LinkFaults withSeed(long newSeed) {
        return new LinkFaults(
                loss, duplication, reordering, corruption, delay, jitter, bytesPerSecond, partitioned, newSeed);
    }

    SoftFaults toInternal() {
        boolean down = partitioned;
        return new SoftFaults(
                loss,
                duplication,
                reordering,
                corruption,
                delay.toNanos(),
                jitter.toNanos(),
                bytesPerSecond,
                seed,
                () -> down);
    }
}
