package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.types.AccessFlag;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.QueuePairType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Orderly closes of unreliable connections whose posted requests do not leave, on the thread of the loop. The peer must
 * not take them for an orderly end.
 */
class UnreliableCloseTest extends FaultyConnectedContract {
    private static ConnectionOptions unreliable() {
        return small().withQueuePairType(QueuePairType.UC);
    }

    private <T> T onLoop(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, client.loop()::execute).join();
    }

    private void assertPeerLost() {
        assertThat(client.failure()).as("the close came first").isNull();
        assertThat(server.closed()).succeedsWithin(PATIENCE);
        assertThat(server.failure()).hasMessageContaining("without a farewell");
    }

    @Test
    void aPostedMessageThatFails() {
        connect(unreliable());
        try (RegisteredBuffer message = acquire(client).limit(8)) {
            faults.nextSendStatus.set(WorkCompletionStatus.LOC_QP_OP_ERR.code());
            Counted last = onLoop(() -> {
                Counted sent = submit(client, WorkRequest.send(message, false));
                client.close();
                return sent;
            });
            assertThat(last.ended().error).isInstanceOf(WorkCompletionException.class);
        }
        assertPeerLost();
    }

    @Test
    void aMessageThatTheDeviceRefuses() {
        connect(unreliable());
        AtomicReference<Counted> refused = new AtomicReference<>();
        try (RegisteredBuffer message = acquire(client).limit(8)) {
            Counted first = onLoop(() -> {
                faults.behindPost =
                        () -> { // the loop posts, so it takes no notice of the close until it has posted all
                            faults.behindPost = () -> {};
                            refused.set(submit(client, WorkRequest.send(message, false)));
                            client.close();
                            faults.refuseSendAfter.set(0);
                        };
                return submit(client, WorkRequest.send(message, false));
            });
            assertThat(first.ended().error).isNull();
            assertThat(refused.get().ended().error).isInstanceOf(VerbsException.class);
        }
        assertPeerLost();
    }

    @Test
    void requestsThatHaveNotLeftInTime() {
        connect(unreliable().withDrainTimeout(Duration.ofNanos(1)));
        int bytes = 4 << 20;
        try (MemoryRegion there = resources.domain().allocate(bytes, Set.of(AccessFlag.REMOTE_WRITE));
                MemoryRegion here = resources.domain().allocate(bytes, Set.of(AccessFlag.LOCAL_WRITE));
                RegisteredBuffer source = RegisteredBuffer.of(here, 0, bytes)) {
            List<Counted> writes = onLoop(() -> {
                List<Counted> posted = Stream.generate(() -> submit(client, WorkRequest.write(source, there.remote())))
                        .limit(16)
                        .toList();
                client.close();
                return posted;
            });
            assertThat(writes.getLast().ended().error).isNotNull();
            assertPeerLost();
        }
    }
}
