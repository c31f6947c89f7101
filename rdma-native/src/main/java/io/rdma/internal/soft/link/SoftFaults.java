package io.rdma.internal.soft.link;

import java.util.function.BooleanSupplier;

/**
 * Faults that a link applies to the packets that it sends.
 *
 * @param loss probability that a packet is lost, 0 to 1
 * @param duplicate probability that a packet is sent twice, 0 to 1
 * @param reorder probability that later packets overtake a packet, 0 to 1
 * @param corrupt probability that a bit of a packet is flipped, 0 to 1
 * @param delayNanos delay of each packet
 * @param jitterNanos upper bound of an additional random delay
 * @param bytesPerSecond capacity of the link, 0 for no limit
 * @param seed seed of the random choices: it determines them for a given sequence of packets
 * @param down whether the link is down and sends nothing; called for each packet
 */
public record SoftFaults(
        double loss,
        double duplicate,
        double reorder,
        double corrupt,
        long delayNanos,
        long jitterNanos,
        long bytesPerSecond,
        long seed,
        BooleanSupplier down) {
    /** A link without faults. */
    public static final SoftFaults NONE = new SoftFaults(0, 0, 0, 0);

    /** Creates the faults of a link that never goes down. */
    public SoftFaults(double loss, double duplicate, double reorder, long seed) {
        this(loss, duplicate, reorder, seed, () -> false);
    }

    public SoftFaults(double loss, double duplicate, double reorder, long seed, BooleanSupplier down) {
        this(loss, duplicate, reorder, 0, 0, 0, 0, seed, down);
    }

    /** Checks the ranges of all values. */
    public SoftFaults {
        if (!probable(loss) || !probable(duplicate) || !probable(reorder) || !probable(corrupt)) {
            throw new IllegalArgumentException("loss, duplicate, reorder and corrupt must be from 0 to 1: " + loss
                    + ", " + duplicate + ", " + reorder + ", " + corrupt);
        }
        if (delayNanos < 0 || jitterNanos < 0 || bytesPerSecond < 0) {
            throw new IllegalArgumentException("delayNanos, jitterNanos and bytesPerSecond must not be negative: "
                    + delayNanos + ", " + jitterNanos + ", " + bytesPerSecond);
        }
    }

    private static boolean probable(double value) {
        return value >= 0 && value <= 1;
    }
}
