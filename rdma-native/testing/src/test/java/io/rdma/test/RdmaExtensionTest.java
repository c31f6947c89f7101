package io.rdma.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.EventConditions.test;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.instanceOf;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.soft.LinkFaults;
import io.rdma.soft.SoftNetwork;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.RdmaDevice;
import java.net.ConnectException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.reactivestreams.Publisher;

/** Test of the extensions by classes of tests that JUnit's test kit runs. */
class RdmaExtensionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Names of the devices that the tests of the last class had. */
    private static final Set<String> DEVICES = ConcurrentHashMap.newKeySet();

    @BeforeEach
    void forget() {
        DEVICES.clear();
    }

    private static EngineExecutionResults run(Class<?> tests) {
        return EngineTestKit.engine("junit-jupiter")
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
                .selectors(selectClass(tests))
                .execute();
    }

    private static void passes(Class<?> tests, int count) {
        run(tests).testEvents().assertStatistics(all -> all.started(count).succeeded(count));
    }

    private static Publisher<Void> echo(RdmaConnection connection) {
        return connection.sendString(connection.receive().asString());
    }

    private static String echoed(RdmaConnection connection, String text) {
        connection.send(text).block(PATIENCE);
        return connection.receive().asString().blockFirst(PATIENCE);
    }

    @ExtendWith(RdmaExtension.class)
    @Execution(ExecutionMode.CONCURRENT)
    static class SideBySide {
        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        private static void meet() throws InterruptedException {
            try {
                BOTH.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (BrokenBarrierException | java.util.concurrent.TimeoutException e) {
                throw new AssertionError("the two tests do not run at the same time", e);
            }
        }

        @Test
        void one(SoftNetwork network) throws InterruptedException {
            DEVICES.add(network.device());
            network.partition();
            meet();
            meet();
        }

        @Test
        void other(SoftNetwork network, RdmaServer server, RdmaClient client) throws InterruptedException {
            DEVICES.add(network.device());
            meet();
            int port = server.handle(RdmaExtensionTest::echo).bindNow().port();
            assertThat(echoed(client.port(port).connectNow(), "hello")).isEqualTo("hello");
            meet();
        }
    }

    @Test
    void testsThatRunBesideEachOtherHaveNetworksOfTheirOwn() {
        passes(SideBySide.class, 2);
        assertThat(DEVICES).hasSize(2).doesNotContain("soft0");
    }

    @ExtendWith(RdmaExtension.class)
    static class EveryParameter {
        private final SoftNetwork ofTheConstructor;

        EveryParameter(SoftNetwork network) {
            ofTheConstructor = network;
        }

        @Test
        void isOnTheSameDevice(SoftNetwork network, RdmaDevice device, RdmaResources resources) {
            assertThat(network).isSameAs(ofTheConstructor);
            assertThat(device.name()).isEqualTo(network.device());
            assertThat(resources.context().name()).isEqualTo(network.device());
        }
    }

    @Test
    void parametersOfATestAndItsConstructorAreOfOneNetwork() {
        passes(EveryParameter.class, 1);
    }

    @ExtendWith(RdmaExtension.class)
    static class Leaking {
        @Test
        void keepsAMessage(RdmaServer server, RdmaClient client) {
            int port = server.handle(RdmaExtensionTest::echo).bindNow().port();
            RdmaConnection connection = client.port(port).connectNow();
            connection.send("kept").block(PATIENCE);
            kept = connection.receiveOwned().blockFirst(PATIENCE);
        }

        static ReceivedMessage kept;
    }

    @Test
    void aTestThatKeepsAMessageFails() {
        EngineExecutionResults results = run(Leaking.class);
        Leaking.kept.close();
        results.testEvents()
                .assertThatEvents()
                .haveExactly(
                        1,
                        event(
                                test(),
                                finishedWithFailure(
                                        instanceOf(AssertionError.class),
                                        message(text -> text.contains("1 ibv_mr") && text.contains("messages")))));
    }

    @ExtendWith(RdmaExtension.class)
    static class LeakingAndFailing {
        @Test
        void opensADevice(RdmaDevice device) {
            opened = device.open();
            throw new IllegalStateException("the test's own failure");
        }

        static DeviceContext opened;
    }

    @Test
    void aLeakDoesNotHideTheFailureOfTheTest() {
        EngineExecutionResults results = run(LeakingAndFailing.class);
        LeakingAndFailing.opened.close();
        results.testEvents()
                .assertThatEvents()
                .haveExactly(
                        1,
                        event(
                                test(),
                                finishedWithFailure(
                                        instanceOf(IllegalStateException.class), message("the test's own failure"))));
    }

    @FaultyLinks(loss = 0.2, seed = 7)
    static class OverBadLinks {
        @Test
        void losesPackets(SoftNetwork network, RdmaServer server, RdmaClient client) {
            int port = server.handle(RdmaExtensionTest::echo).bindNow(PATIENCE).port();
            RdmaConnection connection = client.port(port).connectNow(PATIENCE);
            for (int i = 0; i < 20; i++) {
                assertThat(echoed(connection, "message " + i)).isEqualTo("message " + i);
            }
            assertThat(network.counters().get("completer_retry_err")).isPositive();
        }

        @Nested
        class Inside {
            @Test
            void losesPackets(SoftNetwork network, RdmaServer server, RdmaClient client) {
                OverBadLinks.this.losesPackets(network, server, client);
            }
        }
    }

    @Test
    void faultsHoldForTheClassAndThoseNestedInItAndTheirSeedIsReported() {
        EngineExecutionResults results = run(OverBadLinks.class);
        results.testEvents().assertStatistics(all -> all.started(2).succeeded(2).reportingEntryPublished(2));
        assertThat(results.testEvents().reportingEntryPublished().list())
                .allMatch(entry -> entry.getPayload().orElseThrow().toString().contains("io.rdma.soft.seed"));
    }

    static class OneServerForAll {
        @RegisterExtension
        static final RdmaServerExtension SERVER =
                RdmaServerExtension.of(server -> server.handle(RdmaExtensionTest::echo));

        @Test
        void one(SoftNetwork network, RdmaClient client) {
            answers(network, client);
        }

        @Test
        void other(SoftNetwork network, RdmaClient client) {
            answers(network, client);
        }

        private static void answers(SoftNetwork network, RdmaClient client) {
            // The clients of the test before are closed; the server closes its ends when it has their farewells.
            await("the connections of the test before")
                    .atMost(PATIENCE)
                    .until(() -> network.openObjects().getOrDefault("ibv_qp", 0) == 0);
            DEVICES.add(network.device());
            assertThat(echoed(client.connectNow(), "hello")).isEqualTo("hello");
            assertThat(echoed(SERVER.client().connectNow(), "hello")).isEqualTo("hello");
            network.setFaults(LinkFaults.NONE.withLoss(1));
        }
    }

    @Test
    void aServerInAStaticFieldRunsForAllTestsOfTheClass() {
        passes(OneServerForAll.class, 2);
        assertThat(DEVICES).hasSize(1);
        Assertions.assertThatThrownBy(OneServerForAll.SERVER::server)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("@RegisterExtension");
    }

    static class OneServerForNestedClasses {
        static final Set<Integer> PORTS = ConcurrentHashMap.newKeySet();

        @RegisterExtension
        static final RdmaServerExtension SERVER = RdmaServerExtension.of(
                server -> server.handle(RdmaExtensionTest::echo).doOnBound(bound -> PORTS.add(bound.port())));

        private static void answers(RdmaClient client) {
            assertThat(echoed(client.connectNow(), "hello")).isEqualTo("hello");
            assertThat(PORTS).containsExactly(SERVER.server().port());
        }

        @Nested
        class First {
            @Test
            void isAnswered(RdmaClient client) {
                answers(client);
            }
        }

        @Nested
        class Second {
            @Test
            void isAnswered(RdmaClient client) {
                answers(client);
            }
        }
    }

    @Test
    void aServerInAStaticFieldRunsForNestedClassesToo() {
        passes(OneServerForNestedClasses.class, 2);
        Assertions.assertThatThrownBy(OneServerForNestedClasses.SERVER::server)
                .isInstanceOf(IllegalStateException.class);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ExtendWith(OneServerForTwo.Failures.class)
    static class OneServerForTwo {
        static final CountDownLatch FAILED = new CountDownLatch(1);

        @RegisterExtension
        static final RdmaServerExtension SERVER =
                RdmaServerExtension.of(server -> server.handle(RdmaExtensionTest::echo));

        static final class Failures implements TestWatcher {
            @Override
            public void testFailed(ExtensionContext context, Throwable cause) {
                FAILED.countDown();
            }
        }

        @Test
        void one(RdmaClient client) throws InterruptedException {
            answersAfterTheOtherFailed(client);
        }

        @Test
        void other(RdmaClient client) throws InterruptedException {
            answersAfterTheOtherFailed(client);
        }

        private static void answersAfterTheOtherFailed(RdmaClient client) throws InterruptedException {
            RdmaConnection connection = client.connectNow();
            assertThat(FAILED.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(echoed(connection, "hello")).isEqualTo("hello");
        }
    }

    @Test
    void ofTwoTestsAtATimeOnTheNetworkOfTheirClassTheSecondFails() {
        EngineExecutionResults results = run(OneServerForTwo.class);
        results.testEvents().assertStatistics(all -> all.started(2).succeeded(1).failed(1));
        results.testEvents()
                .assertThatEvents()
                .haveExactly(
                        1,
                        event(
                                test(),
                                finishedWithFailure(
                                        instanceOf(IllegalStateException.class),
                                        message(text -> text.contains("SAME_THREAD")))));
    }

    @FaultyLinks(loss = 0.01)
    @ExtendWith(RdmaExtension.class)
    static class AServerForEach {
        static final Set<Integer> PORTS = ConcurrentHashMap.newKeySet();

        @RegisterExtension
        final RdmaServerExtension server = RdmaServerExtension.of(made -> made.handle(RdmaExtensionTest::echo));

        @Test
        void one(SoftNetwork network, RdmaClient client) {
            answers(network, client);
        }

        @Test
        void other(SoftNetwork network, RdmaClient client) {
            answers(network, client);
        }

        private void answers(SoftNetwork network, RdmaClient client) {
            DEVICES.add(network.device());
            PORTS.add(server.server().port());
            assertThat(echoed(client.connectNow(), "hello")).isEqualTo("hello");
        }
    }

    @Test
    void aServerInAnotherFieldRunsForEachTestAndStopsBehindIt() {
        passes(AServerForEach.class, 2);
        assertThat(DEVICES).hasSize(2);
        List.copyOf(AServerForEach.PORTS)
                .forEach(port -> Assertions.assertThatThrownBy(() -> new Socket("127.0.0.1", port))
                        .isInstanceOf(ConnectException.class));
    }

    @ExtendWith(RdmaExtension.class)
    static class NetworkOfTheClass {
        @BeforeAll
        static void setUp(SoftNetwork network) {
            DEVICES.add(network.device());
        }

        @Test
        void isThatOfItsTests(SoftNetwork network) {
            DEVICES.add(network.device());
        }
    }

    @Test
    void aNetworkThatAMethodForTheWholeClassTakesIsThatOfTheClass() {
        passes(NetworkOfTheClass.class, 1);
        assertThat(DEVICES).hasSize(1);
    }
}
