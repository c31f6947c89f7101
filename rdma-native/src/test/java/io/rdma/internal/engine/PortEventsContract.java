package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.testing.TestDevice;
import io.rdma.types.AsyncEventType;
import io.rdma.types.PortState;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.MemoryRegion;
import org.junit.jupiter.api.Test;

/**
 * Port that goes down and comes up. Subscribers are notified. Only exhausted retries of the device end a connection;
 * the other connections go on.
 */
abstract class PortEventsContract extends ConnectedContract {
    /** Takes the link down. */
    abstract void down() throws Exception;

    /** Brings the link up, as it was. */
    abstract void up() throws Exception;

    /** Makes the table of GIDs change. */
    abstract void changeGids() throws Exception;

    private void expect(EventBuffer events, AsyncEventType type) {
        await().atMost(PATIENCE).until(() -> {
            for (AsyncEvent event; (event = events.poll()) != null; ) {
                if (event.type() == type) {
                    assertThat(event.port()).isEqualTo(port());
                    return true;
                }
            }
            return false;
        });
    }

    private void assertWorks() {
        MemoryRegion there = everything(server, 8);
        try (RegisteredBuffer source = acquire(client).limit(8)) {
            assertThat(submit(client, WorkRequest.write(source, there.remote())).ended().error)
                    .isNull();
        }
    }

    private int port() {
        return TestDevice.port(resources.context());
    }

    private PortState state() {
        return resources.context().queryPort(port()).state();
    }

    @Test
    void aConnectionOutlivesAPortThatComesBack() throws Exception {
        connect(small());
        assertWorks();
        try (EventBuffer events = resources.events(() -> {})) {
            try {
                down();
                expect(events, AsyncEventType.PORT_ERR);
                assertThat(state()).isEqualTo(PortState.DOWN);
            } finally {
                up();
            }
            expect(events, AsyncEventType.PORT_ACTIVE);
            await().atMost(PATIENCE).until(() -> state() == PortState.ACTIVE);
        }
        assertWorks();
        assertThat(client.failure()).isNull();
    }

    @Test
    void aConnectionOutlivesAChangeOfOtherGids() throws Exception {
        connect(small());
        try (EventBuffer events = resources.events(() -> {})) {
            changeGids();
            expect(events, AsyncEventType.GID_CHANGE);
        }
        assertWorks();
        assertThat(client.failure()).isNull();
    }
}
