package io.rdma.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Hooks;

/**
 * Tests of Reactor's context propagation, which is switched for the whole process. Reactor looks for Micrometer's
 * library once, and does not find it where another test hides it.
 */
@Tag("alone")
class ContextPropagationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ObservationRegistry observations = ObservationRegistry.create();
    private final Observation request = Observation.createNotStarted("request", observations);
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(RdmaAutoConfiguration.class, RdmaObservationAutoConfiguration.class))
            .withPropertyValues(
                    "rdma.device=soft0",
                    "rdma.server.host=127.0.0.1",
                    "rdma.server.port=0",
                    "rdma.server.shutdown-timeout=100ms")
            .withBean(ObservationRegistry.class, () -> observations)
            .withBean(
                    RdmaConnectionHandler.class,
                    () -> connection ->
                            connection.sendString(connection.receive().asString()));

    @BeforeEach
    void asReactorDoesByItself() {
        Hooks.disableAutomaticContextPropagation();
    }

    /** Returns the observation that is current where a send ends, which is on a completion loop. */
    private Optional<Observation> seenOnTheLoop(String... properties) {
        AtomicReference<Optional<Observation>> seen = new AtomicReference<>(Optional.empty());
        contexts.withPropertyValues(properties).run(context -> {
            RdmaConnection connection = context.getBean(RdmaClient.class)
                    .host("127.0.0.1")
                    .port(context.getBean(RdmaServerLifecycle.class).address().getPort())
                    .connectNow(PATIENCE);
            seen.set(Objects.requireNonNull(connection
                    .send("hello")
                    .thenReturn("sent")
                    .map(sent -> Optional.ofNullable(observations.getCurrentObservation()))
                    .contextWrite(values -> values.put(ObservationThreadLocalAccessor.KEY, request))
                    .block(PATIENCE)));
            connection.disposeNow(PATIENCE);
        });
        return seen.get();
    }

    @Test
    void theObservationOfASubscriberIsCurrentOnTheLoop() {
        assertThat(seenOnTheLoop()).containsSame(request);
    }

    @Test
    void propertiesSwitchThatOff() {
        assertThat(seenOnTheLoop("spring.reactor.context-propagation=limited")).isEmpty();
        assertThat(seenOnTheLoop("rdma.observations.enabled=false")).isEmpty();
    }
}
