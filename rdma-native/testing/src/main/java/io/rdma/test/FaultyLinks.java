package io.rdma.test;

import io.rdma.soft.SoftNetwork;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Faults of all links of the {@linkplain RdmaExtension test's network} while a JUnit test runs; the links are good
 * again afterwards. On a class the annotation applies to all its tests, and to those of nested classes, on a method to
 * that test only. A test can take a {@link SoftNetwork} as parameter and change the faults while it runs.
 *
 * <p>The seed is published as report entry {@code io.rdma.soft.seed}. The system property of that name replaces the
 * seed, to repeat a run or to vary it.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RdmaExtension.class)
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
     * Probability that other packets overtake a packet.
     *
     * @return 0 to 1
     */
    double reordering() default 0;

    /**
     * Probability that one bit of a packet is flipped.
     *
     * @return 0 to 1
     */
    double corruption() default 0;

    /**
     * Delay of each packet.
     *
     * @return microseconds
     */
    long delayMicros() default 0;

    /**
     * Largest additional delay of a packet.
     *
     * @return microseconds
     */
    long jitterMicros() default 0;

    /**
     * Bandwidth of a link.
     *
     * @return bytes per second, 0 for no limit
     */
    long bytesPerSecond() default 0;

    /**
     * Seed of the random decisions.
     *
     * @return any number
     */
    long seed() default 1;
}
