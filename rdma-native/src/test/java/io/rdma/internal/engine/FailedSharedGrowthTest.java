package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.ResourceOptions;
import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Shared receive buffers for whose growth there is no memory. */
class FailedSharedGrowthTest extends FaultyConnectedContract {
    private static final int COUNT = 512;
    private static final int FIRST = COUNT / 4;
    private static final int SIZE = 256;

    private final AtomicInteger attempts = new AtomicInteger();
    private volatile boolean refuses = true;

    @Override
    ResourceOptions resourceOptions() {
        return super.resourceOptions().withSharedReceiveBuffers(COUNT, SIZE);
    }

    @AfterEach
    @Override
    void nothingIsLeft() {
        for (Endpoint endpoint : List.of(client, server)) {
            endpoint.close();
            assertThat(endpoint.closed()).succeedsWithin(PATIENCE);
            endpoint.receives().discard();
        }
        assertThat(shared().outstanding()).isZero();
        assertThat(shared().promised()).isZero();
        assertThat(CompletableFuture.runAsync(resources::close)).succeedsWithin(PATIENCE);
    }

    private void refuse() {
        faults.nextRuns.put("regMr", () -> {
            if (!refuses) {
                return;
            }
            attempts.incrementAndGet();
            refuse();
            throw new VerbsException("ibv_reg_mr", Errno.ENOMEM, null);
        });
    }

    private SharedReceives shared() {
        return resources.sharedReceives(client.loop());
    }

    /** Sends messages, which use half of a window again and again, and takes those that arrived. */
    private void flood(RegisteredBuffer buffer) {
        for (int i = 0; i < 64; i++) {
            submit(client, WorkRequest.send(buffer, false));
        }
        for (int i = 0; i < 64; i++) {
            ReceivedMessage message = next(server.receives()::poll);
            message.close();
        }
    }

    @Test
    void itIsTriedAgainAfterAPauseOnly() {
        connect(ConnectionOptions.DEFAULT.withReceiveBuffers(COUNT / 2, SIZE).withSendBuffers(4, SIZE));
        RegisteredBuffer buffer =
                RegisteredBuffer.of(client.memory().allocate(4, Set.of(AccessFlag.LOCAL_WRITE)), 0, 4);
        long begin = System.nanoTime();
        refuse();
        await().pollInSameThread().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> {
            shared().growth().limitReached();
            return attempts.get() > 0;
        });
        for (int i = 0; i < 200; i++) {
            flood(buffer);
            shared().growth().limitReached();
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
        assertThat(attempts.get()).isLessThanOrEqualTo((int) seconds + 1);
        assertThat(shared().made()).isEqualTo(FIRST);
        refuses = false;
        await().atMost(PATIENCE).until(() -> shared().made() > FIRST);
        buffer.close();
    }

    @Test
    void resourcesAreClosedAfterAnErrorOfTheJvmWhileTheyGrew() {
        connect(small());
        CompletableFuture<Void> thrown = new CompletableFuture<>();
        faults.nextRuns.put("regMr", () -> {
            thrown.complete(null);
            throw new OutOfMemoryError("a test's");
        });
        shared().growth().limitReached();
        assertThat(thrown).succeedsWithin(PATIENCE);
        assertThat(shared().made()).isEqualTo(FIRST);
    }
}
