package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.internal.loop.RunOnly;
import io.rdma.types.Errno;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
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
        Counted small = sendSmall(client, 8);
        assertThat(large.ended().error)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
        assertThat(isBack(buffer)).isTrue();
        assertNext(server, 8);
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

    /** Error that is as good as a JVM without memory for a text about it. */
    private static final class Undescribed extends OutOfMemoryError {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            throw new OutOfMemoryError("a test's");
        }
    }

    @Test
    void anErrorThatCannotBeDescribedEndsTheMessageAlone() {
        RegisteredBuffer buffer = connected();
        faults.nextThrows.put("regMr", new Undescribed());
        Counted large = submit(client, WorkRequest.send(buffer, false));
        RuntimeException error = large.ended().error;
        assertThat(error.getMessage()).contains(LARGE + " bytes was not registered");
        assertThat(error.getCause() instanceof Undescribed).isTrue();
        exchange(client, server);
        buffer.close();
    }

    @Test
    void aCancelDuringTheCallKeepsTheBufferUntilItHasReturned() {
        RegisteredBuffer buffer = connected();
        holdNext();
        Counted large = submit(client, WorkRequest.send(buffer, false));
        assertThat(registering.join()).isNotSameAs(Thread.currentThread());
        Counted small = sendSmall(client, 8);
        assertThat(large.abandon()).isTrue();
        assertThat(isBack(buffer)).as("it is being registered").isFalse();
        goOn.complete(null);
        assertNext(server, 8);
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
        assertThat(client.left()).succeedsWithin(PATIENCE);
        assertThat(server.closed()).succeedsWithin(PATIENCE);
        await().atMost(PATIENCE)
                .until(() ->
                        onLoop(() -> client.inFlight() == 0 && client.receives().isDrained()));
        assertThat(onLoop(client::finishIfDrained))
                .as("all but the registration has ended")
                .isFalse();
        assertThat(client.closed()).isNotDone();
        assertThat(large.ends).hasValue(0);
        goOn.complete(null);
        assertThat(large.ended().error).isInstanceOf(ConnectionClosedException.class);
        assertThat(client.closed()).succeedsWithin(PATIENCE);
        assertThat(isBack(buffer)).isTrue();
        buffer.close();
    }

    private boolean onLoop(BooleanSupplier question) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        client.loop().execute(() -> answer.complete(question.getAsBoolean()));
        return answer.join();
    }

    @Test
    void aListenerMayWaitForTheCloseThatEndedItsMessage() {
        RegisteredBuffer buffer = connected();
        holdNext();
        CompletableFuture<Void> waited = new CompletableFuture<>();
        client.submit(new Operation(WorkRequest.send(buffer, false)) {
            @Override
            protected void completed(long value) {}

            @Override
            protected void failed(RuntimeException error) {
                client.closed()
                        .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join();
                waited.complete(null);
            }
        });
        registering.join();
        client.close();
        assertThat(client.left()).succeedsWithin(PATIENCE); // the message is released
        goOn.complete(null);
        assertThat(waited).succeedsWithin(PATIENCE);
        buffer.close();
    }

    @Test
    void aListenerMayWaitForAnotherMessageAfterAFailedRead() {
        RegisteredBuffer buffer = connected();
        Counted large = submit(client, WorkRequest.send(buffer, true));
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 1); // announced
        faults.nextThrows.put("regMr", new OutOfMemoryError("a test's"));
        CompletableFuture<Void> waited = new CompletableFuture<>();
        server.receives().listener(() -> {
            if (server.isClosing()) {
                CompletableFuture<Void> other = new CompletableFuture<>();
                server.loop().slowTasks().fetches().execute("rdma-test", new RunOnly(() -> other.complete(null)));
                other.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
                waited.complete(null);
            }
        });
        assertThat(server.receives().poll()).isNull();
        assertThat(waited).succeedsWithin(PATIENCE);
        assertThat(large.ended().error).isInstanceOf(ConnectionClosedException.class);
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
        assertNext(server, LARGE);
        await().atMost(PATIENCE).until(() -> isBack(buffer));
        buffer.close();
    }
}
