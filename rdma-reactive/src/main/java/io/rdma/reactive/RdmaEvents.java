package io.rdma.reactive;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.verbs.AsyncEvent;
import reactor.core.publisher.Flux;

/** Asynchronous events of a device, {@code ibv_get_async_event(3)}. */
public final class RdmaEvents {
    private RdmaEvents() {}

    /**
     * Returns the asynchronous events of an open device from the subscription on. Any number of subscribers may
     * subscribe, and each receives all events.
     *
     * <p>The engine acts on an event before it is signalled here: a connection that the event ends is already ending. A
     * subscriber therefore only observes. See {@code docs/guide/events.md} for the engine's action on each type. An
     * event is a copy and already acknowledged, so it needs no further handling.
     *
     * <p><b>Overflow</b>: up to {@value io.rdma.internal.engine.EventBuffer#CAPACITY} events wait for demand. When one
     * more arrives, the oldest is dropped; the first drop is logged as a warning. <b>Completes</b> when the resources
     * close. <b>Errors</b> with {@link io.rdma.types.VerbsException} if the events can no longer be read. <b>Cancel</b>
     * ends this subscription only. <b>Thread</b>: the thread that reads the events, {@code rdma-events-DEVICE}, or the
     * thread that requests. A subscriber that blocks delays the events of all subscribers, including events that end
     * connections; {@code publishOn} moves it to another thread.
     *
     * @param resources resources of the caller, as given to clients and servers by {@code resources(…)}
     * @return hot
     */
    public static Flux<AsyncEvent> events(RdmaResources resources) {
        return new EventFlux(DeviceResources.of(resources)::events);
    }
}
