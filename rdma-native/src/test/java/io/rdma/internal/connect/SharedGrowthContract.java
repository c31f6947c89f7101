package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.Endpoint;
import io.rdma.testing.NextMessage;
import io.rdma.types.HugePages;
import org.junit.jupiter.api.Test;

/** Growth of shared receive buffers, the same on every device. */
abstract class SharedGrowthContract extends SharedServerContract {
    private static final int LARGE = 4096;

    /** Lets all buffers be registered at once, and has a connection use more than it would get of the first quarter. */
    @Test
    void allReceivesAreLentIfHugePagesHoldThem() throws Exception {
        serve(ResourceOptions.DEFAULT.withHugePages(HugePages.TRANSPARENT).withSharedReceiveBuffers(COUNT, SIZE));
        assertThat(shared().made()).isEqualTo(COUNT);
        Endpoint server = connect();
        flood(server, 2 * COUNT);
        await().atMost(PATIENCE).until(() -> server.receives().window() > MOST / 4);
        assertThat(failure).hasValue(null);
    }

    /** Has room for the first buffers and the sends of connections, but not for as many buffers again. */
    @Test
    void aConnectionIsAcceptedIfThereIsNoMemoryForMoreReceives() throws Exception {
        serve(ResourceOptions.DEFAULT
                .withSharedReceiveBuffers(COUNT, LARGE)
                .withMaxRegisteredBytes((long) FIRST * LARGE * 7 / 4));
        for (int i = 0; i < 10; i++) { // ten first windows exceed the first buffers
            connect();
        }
        assertThat(shared().promised()).isGreaterThan(FIRST);
        assertThat(shared().made()).isEqualTo(FIRST);
        for (Endpoint server : served) {
            flood(server, 1);
            NextMessage.at(server).close();
        }
        assertThat(failure).hasValue(null);
    }
}
