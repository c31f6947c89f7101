package io.rdma.internal.loop;

import io.rdma.testing.Interleavings;
import io.rdma.testing.Stress;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.ModelVerbs;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Slots that change their owner. A completion reaches the queue that issued its wr_id, or no queue. */
@Tag("model")
class InFlightTableModelTest {
    /** Queue that counts its completions. */
    private static final class Queue implements InFlightTable.Owner {
        final AtomicInteger got = new AtomicInteger();

        @Override
        public void completed(int slot, CompletionBatch batch, int index) {
            got.incrementAndGet();
        }

        @Override
        public void interrupted(RuntimeException cause) {
            throw cause;
        }
    }

    @Test
    void aStaleCompletionReachesNoQueue() {
        handOver(); // loads the classes, which would otherwise count in the model checker's time limit
        Interleavings.explore(Stress.times(200), InFlightTableModelTest::handOver);
    }

    /**
     * Ends a queue on the loop, and polls a late completion of that queue, while another thread makes the next queue,
     * perhaps with the same number.
     */
    private static void handOver() {
        ModelVerbs device = new ModelVerbs();
        CompletionQueue completions = device.context().createCompletionQueue(1, null);
        CompletionBatch batch = new CompletionBatch(1);
        InFlightTable table = new InFlightTable();
        Queue first = new Queue();
        Queue second = new Queue();
        InFlightTable.Slots slots = table.add(1, first);
        long early = slots.issue(0);
        long late = slots.issue(0);
        InFlightTable.Slots[] ofSecond = {null};
        long[] issued = {0};
        Thread other = new Thread(() -> {
            ofSecond[0] = table.add(2, second);
            issued[0] = ofSecond[0].issue(0);
        });
        other.start();
        check(!dispatch(device, completions, table, batch, early), "a later wr_id was issued for the slot");
        check(dispatch(device, completions, table, batch, late), "in flight");
        table.remove(slots);
        check(!dispatch(device, completions, table, batch, late), "its queue is gone");
        try {
            other.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        check(!dispatch(device, completions, table, batch, late), "its number may have another owner");
        check(dispatch(device, completions, table, batch, issued[0]), "in flight");
        table.remove(ofSecond[0]);
        check(!dispatch(device, completions, table, batch, issued[0]), "its queue is gone");
        check(first.got.get() == 1 && second.got.get() == 1, "each got its own");
        check(table.count() == 0, "all numbers are free");
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
