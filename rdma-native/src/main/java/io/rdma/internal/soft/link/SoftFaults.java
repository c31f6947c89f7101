package io.rdma.internal.soft.link;

import java.util.function.BooleanSupplier;

/**
 * What a link does to the packets that it sends.
 *
 * @param loss probability that a packet is lost, 0 to 1
 * @param duplicate probability that a packet is sent twice, 0 to 1
 * @param reorder probability that packets which are sent later overtake a packet, 0 to 1
 * @param corrupt probability that a bit of a packet is flipped, 0 to 1
 * @param delayNanos how long each packet takes
 * @param jitterNanos how much longer it takes at most
 * @param bytesPerSecond what the link carries, 0 for anything
 * @param seed of the choices: the same seed makes the same ones for the same sequence of packets
 * @param down whether the link is down now: nothing is sent; asked for each packet
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
    /** A good link. */
    public static final SoftFaults NONE = new SoftFaults(0, 0, 0, 0);

    /** Of a link that never goes down. */
    public SoftFaults(double loss, double duplicate, double reorder, long seed) {
        this(loss, duplicate, reorder, seed, () -> false);
    }

    public SoftFaults(double loss, double duplicate, double reorder, long seed, BooleanSupplier down) {
        this(loss, duplicate, reorder, 0, 0, 0, 0, seed, down);
    }

    /** Checks. */
    public SoftFaults {
        if (!probable(loss) || !probable(duplicate) || !probable(reorder) || !probable(corrupt)) {
            throw new IllegalArgumentException("probabilities must be from 0 to 1");
        }
        if (delayNanos < 0 || jitterNanos < 0 || bytesPerSecond < 0) {
            throw new IllegalArgumentException("times and rates must not be negative");
        }
    }

    private static boolean probable(double value) {
        return value >= 0 && value <= 1;
    }
}
