package io.rdma.internal.soft.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.environment.Environment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A wait for events. As with {@code poll(2)}, an interrupt of the Java thread does not end it. */
class EventQueueTest {
    private final EventQueue<String> queue = new EventQueue<>(Environment.SYSTEM);

    @Test
    void anInterruptedThreadWaitsForTheEvent() throws Exception {
        CompletableFuture<Boolean> there = new CompletableFuture<>();
        CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
        Thread waiting = Thread.ofPlatform().start(() -> {
            Thread.currentThread().interrupt();
            there.complete(queue.await(-1));
            stillInterrupted.complete(Thread.interrupted());
        });
        await().atMost(Duration.ofSeconds(60))
                .until(() -> there.isDone()
                        || waiting.getState() == Thread.State.TIMED_WAITING
                        || waiting.getState() == Thread.State.WAITING);
        waiting.interrupt();
        queue.add("event");
        assertThat(there.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(stillInterrupted.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aWakeUpEndsOneWait() {
        queue.wake();
        assertThat(queue.await(-1)).isFalse();
        assertThat(queue.await(1)).isFalse();
        assertThat(queue.await(0)).isFalse();
    }
}
