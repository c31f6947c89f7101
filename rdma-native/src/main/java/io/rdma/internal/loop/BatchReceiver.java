package io.rdma.internal.loop;

/** A receive queue that the loop notifies once per batch of completions. */
public interface BatchReceiver {
    /** Notifies the receiver of all messages of the batch. Loop. */
    void dispatched();
}
