package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.types.Errno;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Registration of the memory of a large message that the device refuses, or during which the message ends. */
class FaultyRegistrationTest extends FaultyConnectedContract {
    private static final int LARGE = 1 << 16;

    private final CompletableFuture<Thread> registering = new CompletableFuture<>();
    private final CompletableFuture<Void> goOn = new CompletableFuture<>();

    private RegisteredBuffer connected() {
        connect(small().withMaxMessageSize(LARGE));
        return client.memory().allocateBuffer(LARGE);
    }

    private void holdNext() {
        faults.nextRuns.put("regMr", () -> {
            registering.complete(Thread.currentThread());
            goOn.join();
        });
    }

    private Counted sendSmall() {
        return submit(client, WorkRequest.send(acquire(client).limit(8), true));
    }

    private void assertNext(int bytes) {
        try (ReceivedMessage message = next(server.receives()::poll)) {
            assertThat(message.length()).isEqualTo(bytes);
        }
    }

    private static boolean isBack(RegisteredBuffer buffer) {
        return !buffer.segment().isReadOnly();
    }

    @ParameterizedTest
    @ValueSource(ints = {Errno.ENOMEM, Errno.EPERM})
    void aRefusalEndsTheMessageAlone(int errno) {
        RegisteredBuffer buffer = connected();
        faults.nextRuns.put("regMr", () -> {
            throw new VerbsException("ibv_reg_mr", errno, null);
        });
        Counted large = submit(client, WorkRequest.send(buffer, false));
        Counted small = sendSmall();
        assertThat(large.ended().error)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
        assertThat(isBack(buffer)).isTrue();
        assertNext(8);
        assertThat(small.ended().error).isNull();
        assertThat(large.ends).hasValue(1);
        buffer.close();
    }

    @Test
    void anErrorOfTheJvmEndsTheMessageAlone() {
        RegisteredBuffer buffer = connected();
        faults.nextThrows.put("regMr", new OutOfMemoryError("a test's"));
        Counted large = submit(client, WorkRequest.send(buffer, false));
        assertThat(large.ended().error)
                .isInstanceOf(RdmaException.class)
                .hasRootCauseInstanceOf(OutOfMemoryError.class);
        exchange(client, server);
        buffer.close();
    }

    @Test
    void aCancelDuringTheCallKeepsTheBufferUntilItHasReturned() {
        RegisteredBuffer buffer = connected();
        holdNext();
        Counted large = submit(client, WorkRequest.send(buffer, false));
        assertThat(registering.join()).isNotSameAs(Thread.currentThread());
        Counted small = sendSmall();
        assertThat(large.abandon()).isTrue();
        assertThat(isBack(buffer)).as("it is being registered").isFalse();
        goOn.complete(null);
        assertNext(8);
        assertThat(small.ended().error).isNull();
        await().atMost(PATIENCE).until(() -> isBack(buffer));
        assertThat(large.ends).hasValue(0);
        buffer.close();
    }

    @Test
    void aCloseDuringTheCallWaitsForIt() {
        RegisteredBuffer buffer = connected();
        holdNext();
        Counted large = submit(client, WorkRequest.send(buffer, false));
        registering.join();
        client.close();
        assertThat(client.ending()).succeedsWithin(PATIENCE);
        exchangeTasks();
        assertThat(client.closed()).isNotDone();
        assertThat(large.ends).hasValue(0);
        goOn.complete(null);
        assertThat(large.ended().error).isInstanceOf(ConnectionClosedException.class);
        assertThat(client.closed()).succeedsWithin(PATIENCE);
        assertThat(isBack(buffer)).isTrue();
        buffer.close();
    }

    /** Lets the loop run everything that was due. */
    private void exchangeTasks() {
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Void> ran = new CompletableFuture<>();
            client.loop().execute(() -> ran.complete(null));
            ran.join();
        }
    }

    @Test
    void theLoopRegistersNothing() {
        RegisteredBuffer buffer = connected();
        holdNext();
        CompletableFuture<Thread> loop = new CompletableFuture<>();
        client.loop().execute(() -> {
            submit(client, WorkRequest.send(buffer, false));
            loop.complete(Thread.currentThread());
        });
        assertThat(registering.join()).isNotSameAs(loop.join());
        goOn.complete(null);
        assertNext(LARGE);
        await().atMost(PATIENCE).until(() -> isBack(buffer));
        buffer.close();
    }
}
