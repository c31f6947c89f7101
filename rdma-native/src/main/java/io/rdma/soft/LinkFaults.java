package io.rdma.soft;

import io.rdma.internal.soft.link.SoftFaults;
import java.time.Duration;

/**
 * What a link does to the packets that {@code soft0} sends over it. Start with {@link #NONE} and change what you want
 * to be bad: {@code LinkFaults.NONE.withLoss(0.01).withDelay(Duration.ofMillis(2)).withSeed(42)}. Immutable.
 *
 * <p>Faults are decided packet by packet with a random generator that the seed starts: the same seed decides the same
 * for the same sequence of packets. Which packets are sent, and when, depends on threads and clocks too, so a test of
 * one connection with one request at a time repeats exactly, others nearly.
 *
 * @param loss probability that a packet is lost, 0 to 1
 * @param duplication probability that a packet arrives twice, 0 to 1
 * @param reordering probability that a packet arrives a millisecond later, so that others overtake it, 0 to 1
 * @param corruption probability that one bit of a packet is flipped, 0 to 1; the receiver's ICRC finds and drops it
 * @param delay how long each packet takes
 * @param jitter how much longer it takes at most, evenly distributed; more than the time between two packets reorders
 *     them
 * @param bytesPerSecond what the link carries, headers included, 0 for no limit; what waits for more than 10,000
 *     packets is lost
 * @param partitioned whether nothing arrives at all
 * @param seed of the decisions
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
    /** A good link. */
    public static final LinkFaults NONE = new LinkFaults(0, 0, 0, 0, Duration.ZERO, Duration.ZERO, 0, false, 1);

    /**
     * Checks.
     *
     * @throws IllegalArgumentException if a probability is not from 0 to 1, a time or the rate negative
     */
    public LinkFaults {
        if (!(loss >= 0 && loss <= 1)
                || !(duplication >= 0 && duplication <= 1)
                || !(reordering >= 0 && reordering <= 1)
                || !(corruption >= 0 && corruption <= 1)) {
            throw new IllegalArgumentException("probabilities must be from 0 to 1");
        }
        if (delay.isNegative() || jitter.isNegative() || bytesPerSecond < 0) {
            throw new IllegalArgumentException("times and rates must not be negative");
        }
    }

    /**
     * With another probability of loss.
     *
     * @param newLoss 0 to 1
     * @return a changed copy
     */
    public LinkFaults withLoss(double newLoss) {
        return new LinkFaults(
                newLoss, duplication, reordering, corruption, delay, jitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * With another probability of packets that arrive twice.
     *
     * @param newDuplication 0 to 1
     * @return a changed copy
     */
    public LinkFaults withDuplication(double newDuplication) {
        return new LinkFaults(
                loss, newDuplication, reordering, corruption, delay, jitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * With another probability of packets that others overtake.
     *
     * @param newReordering 0 to 1
     * @return a changed copy
     */
    public LinkFaults withReordering(double newReordering) {
        return new LinkFaults(
                loss, duplication, newReordering, corruption, delay, jitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * With another probability of a flipped bit.
     *
     * @param newCorruption 0 to 1
     * @return a changed copy
     */
    public LinkFaults withCorruption(double newCorruption) {
        return new LinkFaults(
                loss, duplication, reordering, newCorruption, delay, jitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * With another time that packets take.
     *
     * @param newDelay not negative
     * @return a changed copy
     */
    public LinkFaults withDelay(Duration newDelay) {
        return new LinkFaults(
                loss, duplication, reordering, corruption, newDelay, jitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * With another variation of the time that packets take.
     *
     * @param newJitter not negative
     * @return a changed copy
     */
    public LinkFaults withJitter(Duration newJitter) {
        return new LinkFaults(
                loss, duplication, reordering, corruption, delay, newJitter, bytesPerSecond, partitioned, seed);
    }

    /**
     * With another rate.
     *
     * @param newBytesPerSecond 0 for no limit
     * @return a changed copy
     */
    public LinkFaults withBytesPerSecond(long newBytesPerSecond) {
        return new LinkFaults(
                loss, duplication, reordering, corruption, delay, jitter, newBytesPerSecond, partitioned, seed);
    }

    /**
     * Up or down.
     *
     * @param newPartitioned whether nothing arrives
     * @return a changed copy
     */
    public LinkFaults withPartitioned(boolean newPartitioned) {
        return new LinkFaults(
                loss, duplication, reordering, corruption, delay, jitter, bytesPerSecond, newPartitioned, seed);
    }

    /**
     * With other decisions.
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
