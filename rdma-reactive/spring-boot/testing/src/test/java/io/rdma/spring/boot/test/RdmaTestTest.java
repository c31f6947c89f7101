package io.rdma.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.soft.SoftNetwork;
import io.rdma.spring.boot.RdmaAutoConfiguration;
import io.rdma.spring.boot.RdmaConnectionDetails;
import io.rdma.spring.boot.RdmaOptions;
import io.rdma.spring.boot.RdmaProperties;
import io.rdma.spring.boot.RdmaServerLifecycle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;

/** Tests of the slice, which runs classes of tests and judges what they report. */
class RdmaTestTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> DEVICES = new CopyOnWriteArrayList<>();

    @RdmaTest
    @DirtiesContext
    static class EchoTests {
        @Autowired
        private RdmaClient client;

        @Autowired
        private ApplicationContext context;

        @Test
        void theClientReachesTheServer() {
            RdmaConnection connection = client.connectNow(PATIENCE);
            connection.send("hello").block(PATIENCE);
            assertThat(connection.receive().asString().blockFirst(PATIENCE)).isEqualTo("hello");
            connection.disposeNow(PATIENCE);
        }

        @Test
        void onlyPartsOfRdmaAreThere() {
            assertThat(context.getBeansOfType(Components.Echo.class)).hasSize(1);
            assertThat(context.getBeansOfType(Components.Unrelated.class)).isEmpty();
        }

        @Test
        void portsOfTheApplicationAreNotUsed(@Autowired RdmaProperties properties) {
            assertThat(properties.server().port()).isZero();
            assertThat(properties.rsocket().port()).isZero();
        }

        @Test
        void theDeviceIsThatOfTheContext(@Autowired SoftNetwork network, @Autowired RdmaResources resources) {
            assertThat(resources.context().name()).isEqualTo(network.device()).isNotEqualTo("soft0");
            DEVICES.add(network.device());
        }
    }

    @RdmaTest(properties = "rdma.connection.receive-buffers=77")
    @DirtiesContext
    static class OtherTests {
        @BeforeEach
        void noteTheDevice(@Autowired SoftNetwork network) {
            DEVICES.add(network.device());
        }

        @Test
        void propertiesOfTheTestAreUsed(@Autowired RdmaServerLifecycle server, @Autowired RdmaOptions options) {
            assertThat(options.server().receiveBuffers()).isEqualTo(77);
            assertThat(server.address().getAddress().isLoopbackAddress()).isTrue();
        }
    }

    @RdmaTest
    @TestPropertySource(locations = "classpath:own-port.properties")
    @DirtiesContext
    static class OwnAddressTests {
        @DynamicPropertySource
        static void address(DynamicPropertyRegistry properties) {
            properties.add("rdma.rsocket.host", () -> "127.0.0.3");
        }

        @Test
        void propertiesOfTheTestAreUsed(@Autowired RdmaProperties properties) {
            assertThat(properties.rsocket()).isEqualTo(new RdmaProperties.RSocket("127.0.0.3", 7473));
        }
    }

    @RdmaTest(
            useDefaultFilters = false,
            properties = {"rdma.client.host=192.0.2.7", "rdma.client.port=4711"})
    @DirtiesContext
    static class ClientTests {
        @Test
        void withoutAServerTheClientHasItsProperties(@Autowired RdmaClient client) {
            assertThat(client.address()).hasToString("192.0.2.7/<unresolved>:4711");
        }
    }

    @RdmaTest(properties = "rdma.enabled=false")
    @DirtiesContext
    static class DisabledTests {
        @Test
        void thereAreNoBeans(@Autowired ApplicationContext context) {
            assertThat(context.getBeansOfType(RdmaConnectionDetails.class)).isEmpty();
            assertThat(context.getBeansOfType(RdmaClient.class)).isEmpty();
        }
    }

    @RdmaTest(properties = "rdma.connection.receive-buffers=0")
    static class FailingTests {
        @Test
        void isNotReached(@Autowired RdmaClient client) {
            assertThat(client).isNull();
        }
    }

    private static EngineExecutionResults results(Class<?> tests) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(tests))
                .execute();
    }

    private static List<String> failures(EngineExecutionResults results) {
        return results.testEvents().failed().stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class))
                .map(result -> Throwables.getStackTrace(result.getThrowable().orElseThrow()))
                .toList();
    }

    @Test
    void partsOfRdmaAreTestedOnADeviceOfTheirOwn() {
        EngineExecutionResults echo = results(EchoTests.class);
        assertThat(failures(echo)).isEmpty();
        echo.testEvents().assertStatistics(counts -> counts.succeeded(4));
        EngineExecutionResults others = results(OtherTests.class);
        assertThat(failures(others)).isEmpty();
        others.testEvents().assertStatistics(counts -> counts.succeeded(1));
        assertThat(DEVICES).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void propertiesOfTheTestWin() {
        EngineExecutionResults own = results(OwnAddressTests.class);
        assertThat(failures(own)).isEmpty();
        own.testEvents().assertStatistics(counts -> counts.succeeded(1));
    }

    @Test
    void anApplicationWithoutAServerConnectsToThatOfItsProperties() {
        EngineExecutionResults clients = results(ClientTests.class);
        assertThat(failures(clients)).isEmpty();
        clients.testEvents().assertStatistics(counts -> counts.succeeded(1));
    }

    @Test
    void anApplicationThatIsDisabledStarts() {
        EngineExecutionResults disabled = results(DisabledTests.class);
        assertThat(failures(disabled)).isEmpty();
        disabled.testEvents().assertStatistics(counts -> counts.succeeded(1));
    }

    @Test
    void aBuildAheadOfTimeLeavesItToTheStartWhetherRdmaIsEnabled() {
        ApplicationContextRunner building = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RdmaTestAutoConfiguration.class, RdmaAutoConfiguration.class))
                .withSystemProperties("spring.aot.processing=true")
                .withPropertyValues("rdma.device=soft0", "rdma.enabled=false");
        building.run(context -> assertThat(context).hasBean("rdmaTestConnectionDetails"));
        // Every condition is met, as at the start of an application that was processed.
        building.withSystemProperties("spring.aot.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RdmaConnectionDetails.class));
    }

    @Test
    void aContextThatDoesNotStartFailsTheTestWithTheReason() {
        assertThat(failures(results(FailingTests.class)))
                .singleElement()
                .asString()
                .contains("Property rdma.connection.receive-buffers with value '0' is invalid");
    }
}
