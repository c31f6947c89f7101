package io.rdma.soft;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * All links of this process's {@code soft0} are so bad while a JUnit test runs, and good afterwards. On a class it
 * holds for all tests of it, on a method for that one. A test may take a {@link SoftNetwork} as parameter to change
 * them while it runs.
 *
 * <p>The seed is published as report entry {@code io.rdma.soft.seed}; the system property of that name replaces it, to
 * repeat a run or to have another one.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SoftNetworkExtension.class)
public @interface FaultyLinks {
    /**
     * Probability that a packet is lost.
     *
     * @return 0 to 1
     */
    double loss() default 0;

    /**
     * Probability that a packet arrives twice.
     *
     * @return 0 to 1
     */
    double duplication() default 0;

    /**
     * Probability that others overtake a packet.
     *
     * @return 0 to 1
     */
    double reordering() default 0;

    /**
     * Probability that a bit is flipped.
     *
     * @return 0 to 1
     */
    double corruption() default 0;

    /**
     * How long each packet takes.
     *
     * @return microseconds
     */
    long delayMicros() default 0;

    /**
     * How much longer it takes at most.
     *
     * @return microseconds
     */
    long jitterMicros() default 0;

    /**
     * What a link carries.
     *
     * @return bytes per second, 0 for anything
     */
    long bytesPerSecond() default 0;

    /**
     * Seed of the decisions.
     *
     * @return any number
     */
    long seed() default 1;
}
