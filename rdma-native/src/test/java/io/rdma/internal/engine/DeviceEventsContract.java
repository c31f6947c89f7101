package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.testing.LimitEvents;
import io.rdma.testing.TestDevice;
import io.rdma.types.AsyncEventType;
import io.rdma.verbs.AsyncEvent;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events of a device that its subscribers receive, the same on every device. */
abstract class DeviceEventsContract {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Runnable NOTHING = () -> {};

    DeviceResources resources;
    private LimitEvents limit;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        resources = new DeviceResources(TestDevice.assumedInfiniBand(device()));
        limit = new LimitEvents(resources.context(), resources.domain());
    }

    @AfterEach
    void close() {
        if (limit != null) {
            limit.close();
            resources.close();
            TestDevice.awaitClosed(resources.context());
        }
    }

    @Test
    void eachSubscriberGetsEachEvent() {
        try (EventBuffer first = resources.events(NOTHING);
                EventBuffer second = resources.events(NOTHING)) {
            limit.raise();
            for (EventBuffer buffer : new EventBuffer[] {first, second}) {
                await().atMost(PATIENCE).until(() -> !buffer.isEmpty());
                AsyncEvent event = buffer.poll();
                assertThat(event.type()).isEqualTo(AsyncEventType.SRQ_LIMIT_REACHED);
                assertThat(event.concerns(limit.shared())).isTrue();
                assertThat(buffer.poll()).isNull();
            }
        }
    }

    @Test
    void aClosedSubscriptionGetsNoMoreAndTheOthersDo() {
        EventBuffer closed = resources.events(NOTHING);
        EventBuffer open = resources.events(NOTHING);
        closed.close();
        closed.close();
        limit.raise();
        await().atMost(PATIENCE).until(() -> !open.isEmpty());
        assertThat(closed.isEmpty()).isTrue();
        assertThat(closed.isEnded()).isTrue();
        assertThat(open.isEnded()).isFalse();
    }

    @Test
    void theListenerRunsAfterEachEventAndAfterTheEnd() throws InterruptedException {
        Semaphore changes = new Semaphore(0);
        EventBuffer buffer = resources.events(changes::release);
        limit.raise();
        assertThat(changes.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        assertThat(buffer.poll()).isNotNull();
        assertThat(buffer.poll()).isNull();
        limit.raise();
        assertThat(changes.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        limit.close();
        resources.close();
        assertThat(changes.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        assertThat(buffer.isEnded()).isTrue();
        assertThat(buffer.failure()).isNull();
        assertThat(buffer.poll()).as("told before the end").isNotNull();
    }

    @Test
    void aSubscriptionToClosedResourcesHasEnded() {
        limit.close();
        resources.close();
        EventBuffer buffer = resources.events(NOTHING);
        await().atMost(PATIENCE).until(buffer::isEnded);
        assertThat(buffer.isEmpty()).isTrue();
    }

    @Test
    void aSubscriberThatThrowsLosesItsSubscriptionOnly() {
        EventBuffer bad = resources.events(() -> {
            throw new IllegalStateException("a subscriber's fault");
        });
        EventBuffer good = resources.events(NOTHING);
        limit.raise();
        await().atMost(PATIENCE).until(() -> !good.isEmpty());
        assertThat(good.poll()).isNotNull();
        limit.raise();
        await().atMost(PATIENCE).until(() -> !good.isEmpty());
        assertThat(bad.isEnded()).isTrue();
    }
}
