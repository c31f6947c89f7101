package io.rdma.internal.engine;

import io.rdma.engine.IdleStrategy;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.loop.CompletionQueueLimits;
import io.rdma.internal.loop.InFlightTable;
import io.rdma.internal.loop.LoopThread;
import io.rdma.testing.Interleavings;
import io.rdma.testing.Stress;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.ModelVerbs;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Model of a loop that falls asleep while tasks and completions arrive. A lost wake-up makes a test hang, which the
 * model checker reports with the interleaving.
 */
@Tag("model")
class CompletionLoopModelTest {
    @Test
    void noTaskWaitsForEver() {
        explore(2, 0);
    }

    @Test
    void noCompletionWaitsForEver() {
        explore(0, 2);
    }

    @Test
    void taskAndCompletionTogether() {
        explore(1, 1);
    }

    private static void explore(int tasks, int completions) {
        race(tasks, completions); // loads the classes, which would otherwise count in the model checker's time limit
        Interleavings.explore(Stress.times(60), () -> race(tasks, completions));
    }

    private static void race(int tasks, int completions) {
        ModelVerbs device = new ModelVerbs();
        CompletionLoop loop = new CompletionLoop(device.context(), CompletionQueueLimits.fixed(2), "loop");
        LoopThread.start(loop, IdleStrategy.SLEEP);
        CountDownLatch done = new CountDownLatch(tasks + completions);
        InFlightTable.Slots slots = loop.table().add(2, new InFlightTable.Owner() {
            @Override
            public void completed(int slot, CompletionBatch batch, int index) {
                done.countDown();
            }

            @Override
            public void interrupted(RuntimeException cause) {
                throw cause;
            }
        });
        Thread other = new Thread(() -> {
            if (tasks > 0) {
                loop.execute(done::countDown);
            } else {
                device.complete(slots.issue(0));
            }
        });
        other.start();
        if (tasks > 1) {
            loop.execute(done::countDown);
        }
        if (completions > 0) {
            device.complete(slots.issue(1));
        }
        try {
            done.await();
            other.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        loop.close();
        if (loop.counters().listenerErrors() != 0) {
            throw new AssertionError("the loop met an error");
        }
    }
}
