package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.IdleStrategy;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.verbs.DeviceOf;
import io.rdma.verbs.MemoryRegion;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Contract of the calls that a loop makes for a turn in which it sleeps. Each of them is a system call on a device that
 * is software, so a loop that makes one more is slower there by the time of a call, and one less is a lost wake-up.
 */
abstract class LoopCallsContract extends ConnectedContract {
    private static final int OPERATIONS = 100;

    /** Events of a queue that a loop acknowledges together. */
    private static final int ACKNOWLEDGED = 16;

    /**
     * Makes each operation wait for the one before, so that the loop falls asleep in between whenever it may. Checks
     * the order of its calls: before it sleeps it arms the queue once and polls once. It waits only if that poll found
     * nothing. It takes one event for each wait that ended by an event.
     */
    @Test
    void aLoopThatSleepsMakesNoCallThatIsNotNeeded() {
        LoopCalls calls = new LoopCalls(device());
        resources.close();
        resources = new DeviceResources(
                DeviceOf.named(calls.verbs(), device()), resourceOptions().withIdleStrategy(IdleStrategy.SLEEP));
        connect(small());
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer buffer = acquire(client).limit(8);
        CompletionLoop loop = client.loop();
        run(loop, calls::begin);
        for (int i = 0; i < OPERATIONS; i++) {
            assertThat(submit(client, WorkRequest.write(buffer, there.remote())).ended().error)
                    .isNull();
        }
        run(loop, calls::end);
        buffer.close();
        String made = calls.made();
        // An empty poll, arm, poll, wait, take. A wait that a task or the time ends has no event.
        assertThat(made.replaceAll("[nk]", "")).matches("(C|pa(C|p(w|Wt)))*(pap)?[Cp]?");
        assertThat(count(made, 'k')).as(made).isLessThanOrEqualTo(count(made, 't') / ACKNOWLEDGED + 1);
        assertThat(count(made, 'n'))
                .as("reads of the clock: one before each sleep, and one for many turns, of " + made)
                .isLessThanOrEqualTo(count(made, 'a') + 1);
    }

    /** Runs a task on the loop, between two of its turns. */
    private static void run(CompletionLoop loop, Runnable task) {
        CompletableFuture<Void> ran = new CompletableFuture<>();
        loop.execute(() -> {
            task.run();
            ran.complete(null);
        });
        assertThat(ran).succeedsWithin(PATIENCE);
    }

    private static int count(String calls, char call) {
        return (int) calls.chars().filter(one -> one == call).count();
    }
}
