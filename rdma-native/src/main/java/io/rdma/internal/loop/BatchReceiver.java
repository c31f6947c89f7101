package io.rdma.internal.loop;

/** A receive queue that the loop notifies once per batch of completions. */
public interface BatchReceiver {
    /** Notifies the receiver of all messages of the batch. Loop. */
    void dispatched();

    /** Ends the connection, because {@link #dispatched} threw: its receiver waits for the notification. Loop. */
    void interrupted(RuntimeException cause);
}
