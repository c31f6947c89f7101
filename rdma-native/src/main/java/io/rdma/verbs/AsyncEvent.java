package io.rdma.verbs;

import io.rdma.internal.ibv.AsyncEventEntry;
import io.rdma.types.AsyncEventElement;
import io.rdma.types.AsyncEventType;

/**
 * An asynchronous event of a device, {@code ibv_get_async_event(3)}. It is a copy; the event itself is already
 * acknowledged, so the application need not do anything with it.
 */
public final class AsyncEvent {
    private final AsyncEventType type;
    private final AsyncEventEntry entry;

    AsyncEvent(AsyncEventEntry entry) {
        this.type = AsyncEventType.of(entry.eventType());
        this.entry = entry;
    }

    /**
     * Returns the type of the event.
     *
     * @return the type, which also gives the kind of object that the event concerns
     */
    public AsyncEventType type() {
        return type;
    }

    /**
     * Returns the number of the queue pair that the event concerns.
     *
     * @return as {@link QueuePair#number()}
     * @throws IllegalStateException if the event does not concern a queue pair
     */
    public int queuePairNumber() {
        return number(AsyncEventElement.QUEUE_PAIR);
    }

    /**
     * Returns the port that the event concerns.
     *
     * @return from 1
     * @throws IllegalStateException if the event does not concern a port
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
     * Returns whether the event concerns this queue pair.
     *
     * @param pair queue pair of the same device. Ask while it is open: its address may be reused after it was closed
     * @return true if so; false for a closed queue pair
     */
    public boolean concerns(QueuePair pair) {
        return concerns(AsyncEventElement.QUEUE_PAIR, pair);
    }

    /**
     * Returns whether the event concerns this completion queue.
     *
     * @param queue as for {@link #concerns(QueuePair)}
     * @return true if so; false for a closed queue
     */
    public boolean concerns(CompletionQueue queue) {
        return concerns(AsyncEventElement.COMPLETION_QUEUE, queue);
    }

    /**
     * Returns whether the event concerns this shared receive queue.
     *
     * @param queue as for {@link #concerns(QueuePair)}
     * @return true if so; false for a closed queue
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
