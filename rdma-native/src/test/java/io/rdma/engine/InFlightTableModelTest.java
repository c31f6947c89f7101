package io.rdma.engine;

import io.rdma.testing.Stress;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.ModelVerbs;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Slots that change hands: a completion reaches the queue that armed it, or nobody. */
@Tag("model")
class InFlightTableModelTest {
    /** A queue that counts what reaches it. */
    private static final class Queue implements InFlightTable.Owner {
        final AtomicInteger got = new AtomicInteger();

        @Override
        public void completed(int slot, CompletionBatch batch, int index) {
            got.incrementAndGet();
        }
    }

    @Test
    void aStaleCompletionReachesNobody() {
        handOver(); // loads the classes, which the model checker's time limit would count
        Lincheck.runConcurrentTest(Stress.times(200), InFlightTableModelTest::handOver);
    }

    /** The loop ends one queue, and polls a completion of it that is late, while another thread makes the next queue out of its slot. */
    private static void handOver() {
        ModelVerbs device = new ModelVerbs();
        CompletionQueue completions = device.context().createCompletionQueue(1, null);
        CompletionBatch batch = new CompletionBatch(1);
        InFlightTable table = new InFlightTable(1);
        Queue first = new Queue();
        Queue second = new Queue();
        int base = table.reserve(1, first);
        long early = table.arm(base);
        long late = table.arm(base);
        long[] ofSecond = {0};
        Thread other = new Thread(() -> {
            if (table.reserve(1, second) >= 0) {
                ofSecond[0] = table.arm(0);
            }
        });
        other.start();
        check(!dispatch(device, completions, table, batch, early), "the slot was armed again since");
        check(dispatch(device, completions, table, batch, late), "in flight");
        table.release(base, 1);
        check(!dispatch(device, completions, table, batch, late), "its queue is gone");
        try {
            other.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        check(!dispatch(device, completions, table, batch, late), "its slot may have another owner");
        if (ofSecond[0] != 0) {
            check(dispatch(device, completions, table, batch, ofSecond[0]), "in flight");
            table.release(base, 1);
        }
        check(first.got.get() == 1 && second.got.get() == (ofSecond[0] == 0 ? 0 : 1), "each got its own");
        check(table.free() == 1, "all slots are free");
    }

    private static boolean dispatch(
            ModelVerbs device, CompletionQueue completions, InFlightTable table, CompletionBatch batch, long wrId) {
        device.complete(wrId);
        check(completions.poll(batch) == 1, "the model delivers");
        return table.dispatch(batch, 0);
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("not true: " + what);
        }
    }
}
