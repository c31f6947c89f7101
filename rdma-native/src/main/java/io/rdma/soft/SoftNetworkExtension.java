package io.rdma.soft;

import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * JUnit 5 extension that gives tests a {@link SoftNetwork}, sets the faults of {@link FaultyLinks} before each test,
 * and heals all links after it. JUnit is an optional dependency of this library; only users of this class need it.
 * Tests with this extension share one device, so they must not run in parallel in one process.
 */
public final class SoftNetworkExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static final String SEED = "io.rdma.soft.seed";

    /** Is called by JUnit. */
    public SoftNetworkExtension() {}

    @Override
    public void beforeEach(ExtensionContext context) {
        SoftNetwork network = SoftNetwork.ofThisProcess();
        Optional<FaultyLinks> wanted = annotation(context.getElement());
        if (wanted.isEmpty()) {
            wanted = context.getTestClass().flatMap(SoftNetworkExtension::ofClass);
        }
        wanted.ifPresent(links -> {
            long seed = Long.getLong(SEED, links.seed());
            context.publishReportEntry(SEED, Long.toString(seed));
            network.setFaults(faults(links).withSeed(seed));
        });
    }

    private static Optional<FaultyLinks> ofClass(Class<?> type) {
        return annotation(Optional.of(type));
    }

    private static Optional<FaultyLinks> annotation(Optional<? extends AnnotatedElement> element) {
        return element.map(found -> found.getAnnotation(FaultyLinks.class));
    }

    private static LinkFaults faults(FaultyLinks links) {
        return LinkFaults.NONE
                .withLoss(links.loss())
                .withDuplication(links.duplication())
                .withReordering(links.reordering())
                .withCorruption(links.corruption())
                .withDelay(Duration.of(links.delayMicros(), ChronoUnit.MICROS))
                .withJitter(Duration.of(links.jitterMicros(), ChronoUnit.MICROS))
                .withBytesPerSecond(links.bytesPerSecond());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        SoftNetwork.ofThisProcess().heal();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == SoftNetwork.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return SoftNetwork.ofThisProcess();
    }
}
