package io.rdma.internal.loop;

/** A send queue that the loop posts once per batch of completions. All calls come from the loop. */
public interface BatchSender {
    /** Returns whether the loop will call {@link #dispatched}. */
    boolean isPostDue();

    /** Defers posting until {@link #dispatched}. */
    void dispatching();

    /** Posts what the batch made room for, and what its listeners submitted. */
    void dispatched();

    /** Ends the connection, because {@link #dispatched} threw: its operations wait to be posted. Loop. */
    void interrupted(RuntimeException cause);
}
