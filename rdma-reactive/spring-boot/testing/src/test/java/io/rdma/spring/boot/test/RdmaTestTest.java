package io.rdma.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.soft.SoftNetwork;
import io.rdma.spring.boot.RdmaOptions;
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
import org.springframework.context.ApplicationContext;
import org.springframework.test.annotation.DirtiesContext;

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
        echo.testEvents().assertStatistics(counts -> counts.succeeded(3));
        EngineExecutionResults others = results(OtherTests.class);
        assertThat(failures(others)).isEmpty();
        others.testEvents().assertStatistics(counts -> counts.succeeded(1));
        assertThat(DEVICES).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void aContextThatDoesNotStartFailsTheTestWithTheReason() {
        assertThat(failures(results(FailingTests.class)))
                .singleElement()
                .asString()
                .contains("Property rdma.connection.receive-buffers with value '0' is invalid");
    }
}
