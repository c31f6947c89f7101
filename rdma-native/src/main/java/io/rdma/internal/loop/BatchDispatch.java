package io.rdma.internal.loop;

import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

// Invariants (loop)
// - All completions of a batch are processed, whatever a listener throws. A RuntimeException of the engine ends the
// connection whose completion it handled, since the completion is lost. An Error ends the loop.
// - Operations that a batch makes room for, and those that its listeners submit, are posted when the batch is
// dispatched, with one doorbell per connection. Receivers are notified before that, once for all messages of the batch.
// - Every queue in `due` is posted, whatever is thrown: else the loop would remain its poster for ever.

/**
 * Poller of one loop's completion queues, batch by batch. It passes each completion of a batch to the send queue or
 * receive ring that owns it. Then it does what is deferred until the whole batch is dispatched: it notifies receivers
 * and posts sends.
 */
final class BatchDispatch {
    /** Upper bound of the completions of a batch. */
    static final int MOST = 64;

    private final InFlightTable table;
    private final Runnable stale;
    private final CompletionBatch batch = new CompletionBatch(MOST);
    private final List<BatchSender> due = new ArrayList<>(); // to be posted when the batch is dispatched
    private final List<BatchReceiver> news = new ArrayList<>(); // to be notified then, before the posts of `due`
    private boolean dispatching;
    private int touched; // written so that reads ahead have a use

    /**
     * Creates the poller of a loop.
     *
     * @param stale called for a completion that belongs to no queue any more
     */
    BatchDispatch(InFlightTable table, Runnable stale) {
        this.table = table;
        this.stale = stale;
    }

    /**
     * Polls one batch, and dispatches it.
     *
     * @return number of completions; a negative errno if the queue cannot be polled
     */
    int poll(CompletionQueue queue) {
        int polled = queue.poll(batch);
        if (polled < 0) {
            return polled;
        }
        if (polled > 1) {
            touched = table.touch(batch, polled);
        }
        dispatching = true;
        try {
            for (int i = 0; i < polled; i++) {
                if (!table.dispatch(batch, i)) {
                    stale.run();
                }
            }
            notifyReceivers();
        } finally {
            dispatching = false;
            postSends();
        }
        return polled;
    }

    /**
     * Defers posting until the batch is dispatched, so that all that its listeners submit goes out as one chain.
     *
     * @return false if no batch is being dispatched, so that the caller has to post itself
     */
    boolean postAfter(BatchSender sends) {
        if (!dispatching) {
            return false;
        }
        if (!sends.isPostDue()) {
            due.add(sends); // first: a queue that is held but not in `due` would never be posted again
            sends.dispatching();
        }
        return true;
    }

    /** Defers the notification that messages arrived until the batch is dispatched. Once per notification. */
    void notifyAfter(BatchReceiver receives) {
        news.add(receives);
    }

    private void notifyReceivers() {
        try {
            for (int i = 0; i < news.size(); i++) {
                BatchReceiver receives = news.get(i);
                try {
                    receives.dispatched();
                } catch (RuntimeException e) {
                    receives.interrupted(e);
                }
            }
        } finally {
            news.clear();
        }
    }

    /**
     * Posts on every queue in {@code due}. This may end operations whose listeners submit more; outside of a dispatch
     * those are posted at once.
     */
    private void postSends() {
        @Nullable Throwable fatal = null;
        for (int i = 0; i < due.size(); i++) { // by index: an iterator would be allocated for each batch
            try {
                post(due.get(i));
            } catch (Throwable e) {
                fatal = e;
            }
        }
        due.clear();
        if (fatal instanceof Error error) {
            throw error;
        }
        if (fatal instanceof RuntimeException unchecked) { // of interrupted(): the loop ends
            throw unchecked;
        }
    }

    private static void post(BatchSender sends) {
        try {
            sends.dispatched();
        } catch (RuntimeException e) {
            sends.interrupted(e);
        }
    }
}
