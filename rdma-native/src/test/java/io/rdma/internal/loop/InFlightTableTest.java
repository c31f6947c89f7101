package io.rdma.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.ModelVerbs;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Thousands of queues in one table. */
class InFlightTableTest {
    private static final int QUEUES = 3_000;
    private static final int MOST = 8;

    private final ModelVerbs device = new ModelVerbs();
    private final CompletionQueue completions = device.context().createCompletionQueue(MOST, null);
    private final CompletionBatch batch = new CompletionBatch(MOST);
    private final InFlightTable table = new InFlightTable();

    /** Queue that counts its completions, and how often it was announced one. */
    private final class Queue implements InFlightTable.Owner {
        private final InFlightTable.Slots slots = table.add(2, this);
        private int completed;
        private int touched;

        @Override
        public void completed(int slot, CompletionBatch of, int index) {
            completed++;
        }

        @Override
        public int touch() {
            return ++touched;
        }

        @Override
        public void interrupted(RuntimeException cause) {
            throw cause;
        }
    }

    @Test
    void eachCompletionReachesTheQueueThatIssuedItAlsoWhenOthersCameAndWent() {
        SplittableRandom random = new SplittableRandom(1);
        List<Queue> queues = new ArrayList<>();
        List<Long> stale = new ArrayList<>();
        for (int i = 0; i < QUEUES; i++) {
            queues.add(new Queue());
            if (random.nextInt(3) == 0) {
                Queue gone = queues.remove(random.nextInt(queues.size()));
                stale.add(gone.slots.issue(1));
                table.remove(gone.slots);
            }
        }
        assertThat(table.count()).isEqualTo(queues.size());
        for (Queue queue : queues) {
            assertThat(dispatch(queue.slots.issue(0))).isTrue();
            assertThat(queue.completed).isOne();
        }
        assertThat(stale).noneMatch(this::dispatch);
        assertThat(queues).allMatch(queue -> queue.completed == 1);
    }

    private boolean dispatch(long wrId) {
        device.complete(wrId);
        assertThat(completions.poll(batch)).isOne();
        return table.dispatch(batch, 0);
    }

    @Test
    void theQueuesOfABatchAreTouchedOnceForTheirCompletionsInARow() {
        Queue one = new Queue();
        Queue other = new Queue();
        Queue gone = new Queue();
        for (Queue queue : List.of(one, one, gone, other, one)) {
            device.complete(queue.slots.issue(0));
        }
        table.remove(gone.slots);
        assertThat(completions.poll(batch)).isEqualTo(5);
        table.touch(batch, 5);
        assertThat(List.of(one.touched, other.touched, gone.touched)).containsExactly(2, 1, 0);
        assertThat(List.of(one.completed, other.completed)).containsOnly(0);
    }
}
