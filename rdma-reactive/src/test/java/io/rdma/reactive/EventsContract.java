package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.RdmaResources;
import io.rdma.testing.LimitEvents;
import io.rdma.testing.TestDevice;
import io.rdma.types.AsyncEventType;
import io.rdma.verbs.AsyncEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** Contract of a device's events as a Flux, the same on every device. */
abstract class EventsContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private RdmaResources resources;
    private LimitEvents limit;

    abstract String device();

    @BeforeEach
    void open() {
        resources = RdmaResources.open(TestDevice.assumed(device()));
        limit = new LimitEvents(resources.context(), resources.domain());
    }

    @AfterEach
    void close() {
        if (limit != null) {
            limit.close();
            resources.close();
        }
    }

    @Test
    void subscribersGetEventsOnDemandAndCompleteWhenTheResourcesClose() {
        AtomicBoolean ended = new AtomicBoolean();
        List<AsyncEvent> others = new CopyOnWriteArrayList<>();
        RdmaEvents.events(resources).doOnComplete(() -> ended.set(true)).subscribe(others::add);
        StepVerifier.create(RdmaEvents.events(resources), 0)
                .then(limit::raise)
                .then(limit::raise)
                .thenRequest(1)
                .assertNext(event -> {
                    assertThat(event.type()).isEqualTo(AsyncEventType.SRQ_LIMIT_REACHED);
                    assertThat(event.concerns(limit.shared())).isTrue();
                })
                .thenRequest(1)
                .expectNextCount(1)
                .then(this::close)
                .expectComplete()
                .verify(PATIENCE);
        await().atMost(PATIENCE).until(ended::get);
        assertThat(others).hasSize(2);
    }

    @Test
    void aCancelledSubscriptionDoesNotEndTheOthers() {
        StepVerifier.create(RdmaEvents.events(resources)
                        .mergeWith(RdmaEvents.events(resources).take(1))
                        .take(3))
                .then(limit::raise)
                .expectNextCount(2)
                .then(limit::raise)
                .expectNextCount(1)
                .expectComplete()
                .verify(PATIENCE);
    }
}
