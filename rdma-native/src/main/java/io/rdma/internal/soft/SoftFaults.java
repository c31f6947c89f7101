package io.rdma.internal.soft;

import java.util.function.BooleanSupplier;

/**
 * What a link does to the packets that it sends.
 *
 * @param loss probability that a packet is lost, 0 to 1
 * @param duplicate probability that a packet is sent twice, 0 to 1
 * @param reorder probability that a packet is kept until after the next one, 0 to 1
 * @param seed of the choices: the same seed makes the same ones
 * @param down whether the link is down now: nothing is sent; asked for each packet
 */
record SoftFaults(double loss, double duplicate, double reorder, long seed, BooleanSupplier down) {
    static final SoftFaults NONE = new SoftFaults(0, 0, 0, 0);

    /** Of a link that never goes down. */
    SoftFaults(double loss, double duplicate, double reorder, long seed) {
        this(loss, duplicate, reorder, seed, () -> false);
    }

    SoftFaults {
        if (!(loss >= 0 && loss <= 1 && duplicate >= 0 && duplicate <= 1 && reorder >= 0 && reorder <= 1)) {
            throw new IllegalArgumentException("probabilities must be from 0 to 1");
        }
    }
}
