package io.rdma.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.ModelVerbs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Exceptions of queues during a batch: each reaches the queue that threw it, and all other queues are served. */
class BatchDispatchTest {
    private static final IllegalStateException FAILURE = new IllegalStateException("on purpose");

    private final ModelVerbs device = new ModelVerbs();
    private final CompletionQueue completions = device.context().createCompletionQueue(8, null);
    private final InFlightTable table = new InFlightTable();
    private final BatchDispatch dispatch = new BatchDispatch(table, () -> {});
    private final List<String> done = new ArrayList<>();

    private void run(String what, Runnable step) {
        done.add(what);
        step.run();
    }

    private static void throwFailure() {
        throw FAILURE;
    }

    private void interrupted(String what, RuntimeException cause) {
        assertThat(cause).isSameAs(FAILURE);
        done.add(what + " interrupted");
    }

    /** Adds a queue with a completion in the next batch, which it handles by a step. */
    private void completing(String name, Runnable step) {
        InFlightTable.Slots slots = table.add(1, new InFlightTable.Owner() {
            @Override
            public void completed(int slot, CompletionBatch batch, int index) {
                run(name, step);
            }

            @Override
            public void interrupted(RuntimeException cause) {
                BatchDispatchTest.this.interrupted(name, cause);
            }
        });
        device.complete(slots.issue(0));
    }

    private BatchReceiver receiver(String name, Runnable step) {
        return new BatchReceiver() {
            @Override
            public void dispatched() {
                run(name, step);
            }

            @Override
            public void interrupted(RuntimeException cause) {
                BatchDispatchTest.this.interrupted(name, cause);
            }
        };
    }

    private class Sender implements BatchSender {
        private final String name;
        private final Runnable step;

        Sender(String name, Runnable step) {
            this.name = name;
            this.step = step;
        }

        @Override
        public boolean isPostDue() {
            return false;
        }

        @Override
        public void dispatching() {}

        @Override
        public void dispatched() {
            run(name, step);
        }

        @Override
        public void interrupted(RuntimeException cause) {
            BatchDispatchTest.this.interrupted(name, cause);
        }
    }

    private BatchSender sender(String name, Runnable step) {
        return new Sender(name, step);
    }

    @Test
    void aQueueThatCannotHandleItsCompletionIsTold() {
        completing("one", BatchDispatchTest::throwFailure);
        completing("two", () -> {});
        assertThat(dispatch.poll(completions)).isEqualTo(2);
        assertThat(done).containsExactly("one", "one interrupted", "two");
    }

    @Test
    void aReceiverThatCannotBeNotifiedIsTold() {
        completing("batch", () -> {
            dispatch.notifyAfter(receiver("one", BatchDispatchTest::throwFailure));
            dispatch.notifyAfter(receiver("two", () -> {}));
        });
        assertThat(dispatch.poll(completions)).isEqualTo(1);
        assertThat(done).containsExactly("batch", "one", "one interrupted", "two");
    }

    @Test
    void everySenderPostsEvenIfAnInterruptionFails() {
        IllegalStateException worse = new IllegalStateException("of interrupted()");
        completing("batch", () -> {
            dispatch.postAfter(new Sender("one", BatchDispatchTest::throwFailure) {
                @Override
                public void interrupted(RuntimeException cause) {
                    throw worse;
                }
            });
            dispatch.postAfter(sender("two", () -> {}));
        });
        assertThatThrownBy(() -> dispatch.poll(completions)).isSameAs(worse);
        assertThat(done).containsExactly("batch", "one", "two");
    }

    @Test
    void everySenderPostsWhateverIsThrown() {
        Error error = new AssertionError("on purpose");
        completing("batch", () -> {
            dispatch.postAfter(sender("one", BatchDispatchTest::throwFailure));
            dispatch.postAfter(sender("two", () -> {
                throw error;
            }));
            dispatch.postAfter(sender("three", () -> {}));
        });
        assertThatThrownBy(() -> dispatch.poll(completions)).isSameAs(error);
        assertThat(done).containsExactly("batch", "one", "one interrupted", "two", "three");
        completing("next", () -> {});
        dispatch.poll(completions);
        assertThat(done).as("each posted once").endsWith("three", "next");
    }
}
