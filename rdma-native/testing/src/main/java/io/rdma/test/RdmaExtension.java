package io.rdma.test;

import io.rdma.connect.RdmaResources;
import io.rdma.soft.LinkFaults;
import io.rdma.soft.SoftNetwork;
import io.rdma.verbs.RdmaDevice;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * JUnit extension that gives each test a network of its own: a software device that no other test uses. So tests may
 * run in parallel, and one test's faults do not reach another.
 *
 * <p>A test, its constructor and its methods for set-up take parameters of these types:
 *
 * <ul>
 *   <li>{@link SoftNetwork}: the network, with its faults, counters and captures
 *   <li>{@link RdmaDevice}: its device
 *   <li>{@link RdmaResources}: the device, opened
 *   <li>{@code RdmaServer} and {@code RdmaClient} of rdma-reactive: on this device and the loopback address. The server
 *       takes a free port. The client has the port of an {@link RdmaServerExtension}, if the class has one
 * </ul>
 *
 * <p>After a test its extension disposes the connections and servers that the parameters made, and closes the
 * resources. The test fails if the device then still has objects that are open: it kept a message, a buffer or a
 * region, or opened the device itself. If a method for the set-up of a whole class takes parameters, the network is
 * that of the class; its connections are disposed after each test, everything else after the last one. Tests on the
 * network of a class must not run at the same time: the second one fails with {@link IllegalStateException}.
 */
public class RdmaExtension implements BeforeEachCallback, AfterEachCallback, AfterAllCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(RdmaExtension.class);
    private static final String SEED = "io.rdma.soft.seed";

    /** Is called by JUnit. */
    public RdmaExtension() {}

    /** Returns the network of a context: that of its class, if the class has one, else its own. */
    static TestNetwork network(ExtensionContext context) {
        return store(context).computeIfAbsent(TestNetwork.class, ignored -> new TestNetwork(), TestNetwork.class);
    }

    private static Store store(ExtensionContext context) {
        return context.getStore(NAMESPACE);
    }

    /** Notes that a test has begun on the network of its class, whose connections and faults it ends. */
    private record OnNetworkOfTheClass(TestNetwork network) {}

    private static void begin(ExtensionContext context) {
        TestNetwork ofTheClass = store(context.getParent().orElseThrow()).get(TestNetwork.class, TestNetwork.class);
        if (ofTheClass == null || store(context).get(OnNetworkOfTheClass.class) != null) {
            return;
        }
        if (!ofTheClass.beginTest()) {
            throw new IllegalStateException("Another test runs on the network of the class: annotate the class with"
                    + " @Execution(ExecutionMode.SAME_THREAD), or give each test a network of its own, by a field of"
                    + " the RdmaServerExtension that is not static, and by parameters of tests only");
        }
        store(context).put(OnNetworkOfTheClass.class, new OnNetworkOfTheClass(ofTheClass));
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        begin(context);
        AnnotationSupport.findAnnotation(context.getElement(), FaultyLinks.class)
                .or(() -> context.getTestClass()
                        .flatMap(type -> AnnotationSupport.findAnnotation(
                                type, FaultyLinks.class, context.getEnclosingTestClasses())))
                .ifPresent(links -> {
                    long seed = Long.getLong(SEED, links.seed());
                    context.publishReportEntry(SEED, Long.toString(seed));
                    network(context).network().setFaults(faults(links).withSeed(seed));
                });
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
    public void afterEach(ExtensionContext context) throws Exception {
        close(context);
        OnNetworkOfTheClass begun = store(context).remove(OnNetworkOfTheClass.class, OnNetworkOfTheClass.class);
        if (begun != null) {
            begun.network().endTest();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        close(context);
    }

    private static void close(ExtensionContext context) {
        TestNetwork own = store(context).remove(TestNetwork.class, TestNetwork.class);
        if (own != null) {
            own.close();
        }
    }

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    // A class may have several of these extensions. JUnit wants one of them to resolve a parameter: the first asked.
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return Fixture.of(parameter.getParameter().getType()).isPresent()
                && store(context).computeIfAbsent(ParameterResolver.class, ignored -> this) == this;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Fixture.of(parameter.getParameter().getType()).orElseThrow().from(network(context));
    }
}
