package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.FlowControl;
import io.rdma.engine.LoopCounters;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Probes of a quiet connection whose peer is alive. They cost the peer nothing, and the connection goes on. */
abstract class ProbeContract extends ConnectedContract {
    private static final int PROBES = 10;

    @ParameterizedTest
    @EnumSource
    void aQuietConnectionIsProbedAndGoesOn(FlowControl flowControl) {
        connect(small().withFlowControl(flowControl).withProbeInterval(Duration.ofMillis(20)));
        awaitFirstFrame();
        LoopCounters counters = client.loop().counters();
        long before = counters.posted();
        long used = counters.reposted();
        await().atMost(PATIENCE).until(() -> counters.posted() >= before + PROBES);
        assertThat(client.isClosing()).isFalse();
        assertThat(server.isClosing()).isFalse();
        assertThat(counters.reposted()).as("receives that were used").isEqualTo(used);
        try (var source = acquire(client).limit(1)) {
            assertThat(submit(client, WorkRequest.send(source, false)).ended().error)
                    .isNull();
        }
        next(server.receives()::poll).close();
    }
}
