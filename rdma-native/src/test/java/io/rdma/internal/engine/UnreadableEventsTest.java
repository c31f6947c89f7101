package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.soft.SoftVerbs;
import io.rdma.soft.SoftNetwork;
import io.rdma.testing.seam.FaultySeam;
import io.rdma.testing.seam.SeamFault;
import io.rdma.types.AsyncEventType;
import io.rdma.verbs.AsyncEvent;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events of a device whose reading fails, in passing or for good. */
class UnreadableEventsTest extends ConnectedContract {
    private final SoftNetwork network = SoftNetwork.ofThisProcess();

    @Override
    String device() {
        return "soft0";
    }

    @BeforeEach
    @Override
    void open() {} // each test with its faults

    /** Opens a device that reads one event, and then fails some times. */
    private void open(int failures) {
        FaultySeam seam = new FaultySeam(
                SoftVerbs.shared(),
                IntStream.range(0, failures)
                        .mapToObj(i -> new SeamFault("Verbs.pollAsyncEvents", 2 + i, SeamFault.Kind.ERROR))
                        .toList());
        resources = new DeviceResources(seam.device("soft0"), resourceOptions());
        connect(small());
    }

    private void changeGids(EventBuffer events) {
        network.changeGids();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            AsyncEvent next = events.poll();
            return next != null && next.type() == AsyncEventType.GID_CHANGE;
        });
    }

    @Test
    void aReadThatFailsIsTriedAgain() {
        open(2);
        try (EventBuffer events = resources.events(() -> {})) {
            changeGids(events);
            changeGids(events);
            assertThat(events.isEnded()).isFalse();
        }
        assertThat(client.failure()).isNull();
    }

    @Test
    void connectionsEndIfNoEventCanBeReadAnyMore() {
        open(3);
        try (EventBuffer events = resources.events(() -> {})) {
            network.changeGids();
            Awaitility.await().atMost(PATIENCE).until(events::isEnded);
            assertThat(events.failure()).hasRootCauseInstanceOf(SeamFault.ThrownError.class);
        }
        client.closed().join();
        server.closed().join();
        assertThat(client.failure()).hasRootCauseInstanceOf(SeamFault.ThrownError.class);
        assertThat(server.failure()).hasRootCauseInstanceOf(SeamFault.ThrownError.class);
    }
}
