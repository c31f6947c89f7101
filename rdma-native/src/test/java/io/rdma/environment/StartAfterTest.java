package io.rdma.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tasks that are due when no thread can be started. They end connections, grants and exchanges, so they run. */
class StartAfterTest {
    @Test
    void aTaskRunsOnTheThreadOfTheTimersIfItGetsNoneOfItsOwn() {
        AtomicInteger runs = new AtomicInteger();
        new WithoutThreads().startAfter(1, "task", runs::incrementAndGet);
        assertThat(runs).hasValue(1);
    }

    /** A future would keep the error of its executor to itself, and its connection would never end. */
    @Test
    void aTaskOfAnExecutorRunsOnTheCallersThreadIfItGetsNoneOfItsOwn() {
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<Void> ended = CompletableFuture.<Void>completedFuture(null)
                .thenRunAsync(runs::incrementAndGet, new WithoutThreads().executor("task"));
        assertThat(runs).hasValue(1);
        assertThat(ended).isCompleted();
    }
}
