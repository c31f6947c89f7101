package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.IdleStrategy;
import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults that only a broken device or driver produces. Every operation ends once, with the right error, and nothing is
 * left.
 */
class FaultyDeviceTest extends FaultyConnectedContract {
    /** Checks {@code bad_wr}: the requests before it are posted and executed, the others are not. */
    @ParameterizedTest(name = "the request after {0} is refused, signal every {1}")
    @CsvSource({"0, 4", "1, 4", "5, 4", "5, 1", "11, 8", "12, 4", "15, 8"})
    void aPostThatIsRefusedMidwayFailsTheRestOfItsChain(int good, int signalEvery) {
        connect(small().withSignalEvery(signalEvery));
        int full = 16; // requests that the send queue holds
        int all = 2 * full;
        MemoryRegion there =
                resources.domain().allocate(all, Set.of(AccessFlag.REMOTE_WRITE)); // outlives the connection
        MemoryRegion here = client.memory().allocate(all, Set.of(AccessFlag.LOCAL_WRITE));
        List<RegisteredBuffer> sources = new ArrayList<>();
        for (int i = 0; i < all; i++) {
            here.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
            sources.add(RegisteredBuffer.of(here, i, 1));
        }
        List<Counted> operations = new ArrayList<>();
        CountDownLatch submitted = new CountDownLatch(1);
        // The loop is held, so the second half waits for room. It is posted as chains, each as long as a completion
        // makes room.
        client.loop().execute(() -> {
            faults.refuseSendAfter.set(full + good);
            for (int i = 0; i < all; i++) {
                operations.add(submit(
                        client, WorkRequest.write(sources.get(i), there.remote().slice(i, 1))));
            }
            submitted.countDown();
        });
        await().atMost(PATIENCE).until(() -> submitted.getCount() == 0);
        operations.forEach(Counted::ended);
        client.closed().join();
        assertThat(operations).allMatch(o -> o.ends.get() == 1);
        for (int i = 0; i < all; i++) {
            Counted operation = operations.get(i);
            if (i < full + good) { // posted, so it was executed; its completion may have come too late
                assertThat(operation.error == null
                                || operation.error instanceof ConnectionClosedException closed
                                        && closed.mayHaveExecuted())
                        .as("operation " + i + ": " + operation.error)
                        .isTrue();
            } else {
                assertThat(operation.error).as("operation " + i).isNotNull();
                assertThat(there.segment().get(ValueLayout.JAVA_BYTE, i)).isZero();
            }
        }
        assertThat(operations.get(full + good).error).isInstanceOfSatisfying(VerbsException.class, e -> {
            assertThat(e.call()).isEqualTo("ibv_post_send");
            assertThat(e.errno()).isEqualTo(Errno.ENOMEM);
        });
        sources.forEach(RegisteredBuffer::close);
        there.close();
    }

    /** Makes a completion queue fail: its loop ends at once with its connections, and gets no new ones. */
    @ParameterizedTest(name = "arming fails: {0}")
    @ValueSource(booleans = {false, true})
    void aQueueThatCannotBePolledOrArmedEndsItsLoop(boolean arming) {
        resources.close();
        resources = new DeviceResources(
                faults.device(), resourceOptions().withLoops(2).withIdleStrategy(IdleStrategy.SLEEP));
        connect(small().withDrainTimeout(Duration.ofDays(1))); // the end must not come from the drain timeout
        Endpoint lost = client;
        Counted waiting = submit(lost, WorkRequest.send(acquire(lost).limit(8), true));
        if (arming) {
            faults.failArming(lost.loop().completionQueues().getFirst());
        } else {
            faults.failPolls(lost.loop().completionQueues().getFirst());
        }
        lost.loop().execute(() -> {}); // wakes the loop
        assertThat(lost.closed()).succeedsWithin(PATIENCE);
        assertThat(lost.failure())
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
        waiting.ended();
        assertThat(server.closed()).succeedsWithin(PATIENCE);
        server.receives().discard();
        for (int i = 0; i < 3; i++) {
            connect(small());
            assertThat(List.of(client.loop(), server.loop())).doesNotContain(lost.loop());
            client.close();
            client.closed().join();
            server.close();
            server.closed().join();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
    void aFailedCompletionEndsTheConnectionWithItsStatus(WorkCompletionStatus status) {
        connect(small());
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer source = acquire(client).limit(8);
        assertThat(submit(client, WorkRequest.write(source, there.remote())).ended().error)
                .isNull();
        faults.nextSendStatus.set(status.code());
        List<Counted> operations = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            operations.add(submit(client, WorkRequest.write(source, there.remote())));
        }
        source.close();
        operations.forEach(Counted::ended);
        client.closed().join();
        assertThat(operations).allMatch(o -> o.ends.get() == 1);
        if (status == WorkCompletionStatus.WR_FLUSH_ERR) {
            assertThat(client.failure()).hasMessageContaining("ERR");
        } else {
            assertThat(client.failure()).isInstanceOfSatisfying(WorkCompletionException.class, e -> {
                assertThat(e.status()).isEqualTo(status);
                assertThat(e.vendorError()).isEqualTo(0x42);
            });
        }
        RuntimeException first = operations.stream() // operations before the failed one may be in the same chain
                .map(o -> o.error)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
        assertThat(first == client.failure() || first instanceof ConnectionClosedException)
                .isTrue();
    }

    /** Refuses the SEND that 50 messages share, which waited for credits. One of them is submitted again by its end. */
    @Test
    void messagesThatShareARefusedSendFailOnceEach() {
        connect(ConnectionOptions.DEFAULT.withReceiveBuffers(4, 4096).withSendBuffers(64, 4096));
        for (int i = 0; i < 4; i++) {
            assertThat(submit(client, message()).ended().error).isNull();
        }
        List<Counted> waiting = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waiting.add(i == 20 ? submitted(new Again(message())) : submit(client, message()));
        }
        faults.refuseSendAfter.set(0);
        for (int i = 0; i < 4; i++) {
            next(server.receives()::poll).close();
        }
        waiting.forEach(Counted::ended);
        client.closed().join();
        await().atMost(PATIENCE).until(() -> waiting.get(20).ends.get() == 2);
        for (int i = 0; i < 50; i++) {
            assertThat(waiting.get(i).ends).as("message %d", i).hasValue(i == 20 ? 2 : 1);
            assertThat(waiting.get(i).error).isInstanceOf(RdmaException.class);
        }
        assertThat(client.sendBuffers().leased()).isZero();
    }

    private WorkRequest message() {
        return WorkRequest.send(acquire(client).limit(8), true);
    }

    private Counted submitted(Counted operation) {
        client.submit(operation);
        return operation;
    }

    /** Operation that is submitted again at its first failure. */
    private final class Again extends Counted {
        Again(WorkRequest request) {
            super(WorkRequest.send(request.buffer(), false));
        }

        @Override
        protected void failed(RuntimeException reason) {
            boolean first = ends.get() == 0;
            super.failed(reason);
            if (first) {
                client.submit(this);
            } else {
                request().buffer().close();
            }
        }
    }
}
