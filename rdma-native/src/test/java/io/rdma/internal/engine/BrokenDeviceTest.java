package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.soft.SoftNetwork;
import io.rdma.types.AsyncEventType;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * Failures that a device reports. The affected connections end with the event, in bounded time and with every operation
 * ended. New connections work or are refused.
 */
class BrokenDeviceTest extends ConnectedContract {
    private final SoftNetwork network = SoftNetwork.ofThisProcess();

    @Override
    String device() {
        return "soft0";
    }

    /** Runs a failure, and submits more operations than the send queue holds, so some of them are not posted. */
    private void failUnderLoad(Runnable failure, AsyncEventType event) {
        try (EventBuffer events = resources.events(() -> {})) {
            MemoryRegion there = everything(server, 8);
            List<Counted> operations = new ArrayList<>();
            RegisteredBuffer source = acquire(client).limit(8);
            // Destroying a queue pair drops its events that were not read, as ibv_destroy_qp(3) does. So the loop,
            // which notices the end as well, waits until the event is there.
            boolean beforeItsEnd = event == AsyncEventType.QP_FATAL;
            CountDownLatch read = new CountDownLatch(beforeItsEnd ? 1 : 0);
            client.loop().execute(() -> hold(read));
            try {
                failure.run();
                if (beforeItsEnd) {
                    await(events, event);
                }
            } finally {
                read.countDown();
            }
            for (int i = 0; i < 40; i++) { // more than the send queue holds
                operations.add(submit(client, WorkRequest.write(source, there.remote())));
            }
            source.close();
            operations.forEach(Counted::ended);
            client.closed().orTimeout(60, TimeUnit.SECONDS).join();
            assertThat(operations).allMatch(o -> o.ends.get() == 1 && o.error != null);
            assertThat(client.failure()).isNotNull();
            if (!beforeItsEnd) {
                await(events, event);
            }
        }
    }

    private static void hold(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(EventBuffer events, AsyncEventType type) {
        Awaitility.await().atMost(PATIENCE).until(() -> {
            AsyncEvent next = events.poll();
            return next != null && next.type() == type;
        });
    }

    private void assertWorks() {
        MemoryRegion there = everything(server, 8);
        try (RegisteredBuffer source = acquire(client).limit(8)) {
            assertThat(submit(client, WorkRequest.write(source, there.remote())).ended().error)
                    .isNull();
        }
    }

    @Test
    void aQueuePairThatFailsEndsItsConnection() {
        connect(small());
        failUnderLoad(() -> network.failQueuePair(client.qpNumber()), AsyncEventType.QP_FATAL);
        server.close();
        server.closed().orTimeout(60, TimeUnit.SECONDS).join();
        connect(small());
        assertWorks();
    }

    @Test
    void aDeviceThatFailsEndsAllConnections() {
        connect(small());
        failUnderLoad(network::failDevice, AsyncEventType.DEVICE_FATAL);
        server.closed().orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(server.failure()).isNotNull();
    }

    @Test
    void aCompletionQueueThatFailsEndsItsConnections() {
        connect(small());
        failUnderLoad(network::failCompletionQueues, AsyncEventType.CQ_ERR);
        server.closed().orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(server.failure()).isNotNull();
    }

    @Test
    void aSharedReceiveQueueThatFailsEndsItsConnections() {
        reopen(resourceOptions().withSharedReceiveBuffers(64, 256));
        connect(small());
        failUnderLoad(network::failSharedReceiveQueues, AsyncEventType.SRQ_ERR);
        server.closed().orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(server.failure()).isNotNull();
        reopen(resourceOptions()); // the next check expects loops without entries of a shared receive queue
    }
}
