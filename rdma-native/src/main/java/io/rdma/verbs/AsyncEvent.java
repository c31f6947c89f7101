package io.rdma.verbs;

import io.rdma.internal.ffi.AsyncEventEntry;

/**
 * An asynchronous event of a device, {@code ibv_get_async_event(3)}: a copy, acknowledged already, that nothing has to
 * be done with.
 */
public final class AsyncEvent {
    private final AsyncEventType type;
    private final AsyncEventEntry entry;

    AsyncEvent(AsyncEventEntry entry) {
        this.type = AsyncEventType.of(entry.eventType());
        this.entry = entry;
    }

    /**
     * What happened.
     *
     * @return its type, which says also what it is about
     */
    public AsyncEventType type() {
        return type;
    }

    /**
     * Number of the queue pair it is about.
     *
     * @return as {@link QueuePair#number()}
     * @throws IllegalStateException if it is not about a queue pair
     */
    public int queuePairNumber() {
        return number(AsyncEventElement.QUEUE_PAIR);
    }

    /**
     * The port it is about.
     *
     * @return from 1
     * @throws IllegalStateException if it is not about a port
     */
    public int port() {
        return number(AsyncEventElement.PORT);
    }

    private int number(AsyncEventElement element) {
        if (type.element() != element) {
            throw new IllegalStateException(type + " is about a " + type.element() + ", not a " + element);
        }
        return entry.number();
    }

    /**
     * Whether it is about this queue pair.
     *
     * @param pair of the same device; to be asked while it is open, an address may be used again afterwards
     * @return false also for a closed one
     */
    public boolean concerns(QueuePair pair) {
        return concerns(AsyncEventElement.QUEUE_PAIR, pair);
    }

    /**
     * Whether it is about this completion queue.
     *
     * @param queue as for {@link #concerns(QueuePair)}
     * @return false also for a closed one
     */
    public boolean concerns(CompletionQueue queue) {
        return concerns(AsyncEventElement.COMPLETION_QUEUE, queue);
    }

    /**
     * Whether it is about this shared receive queue.
     *
     * @param queue as for {@link #concerns(QueuePair)}
     * @return false also for a closed one
     */
    public boolean concerns(SharedReceiveQueue queue) {
        return concerns(AsyncEventElement.SHARED_RECEIVE_QUEUE, queue);
    }

    private boolean concerns(AsyncEventElement element, NativeObject object) {
        return type.element() == element && object.isOpen(entry.element());
    }

    @Override
    public String toString() {
        return switch (type.element()) {
            case QUEUE_PAIR -> type + " of queue pair " + entry.number();
            case PORT -> type + " of port " + entry.number();
            case UNKNOWN -> "event " + entry.eventType();
            default -> type.toString();
        };
    }
}
