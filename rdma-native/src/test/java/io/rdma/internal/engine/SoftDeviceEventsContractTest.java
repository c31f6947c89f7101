package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.testing.LimitEvents;
import org.junit.jupiter.api.Test;

class SoftDeviceEventsContractTest extends DeviceEventsContract {
    @Override
    String device() {
        return "soft0";
    }

    /** Runs on this device only, because it needs many events. */
    @Test
    void aFullBufferDropsTheOldestEventsAndCountsThem() {
        EventBuffer slow = resources.events(() -> {});
        int more = 3;
        try (LimitEvents first = new LimitEvents(resources.context(), resources.domain());
                LimitEvents others = new LimitEvents(resources.context(), resources.domain())) {
            for (int i = 0; i < more; i++) {
                first.raise();
            }
            for (int i = 0; i < EventBuffer.CAPACITY; i++) {
                others.raise();
            }
            await().atMost(PATIENCE).until(() -> slow.dropped() == more);
            for (int i = 0; i < EventBuffer.CAPACITY; i++) {
                assertThat(slow.poll().concerns(others.shared())).isTrue();
            }
            assertThat(slow.poll()).isNull();
        }
    }
}
