package io.rdma.reactive;

import io.rdma.engine.RdmaResources;
import io.rdma.verbs.AsyncEvent;
import reactor.core.publisher.Flux;

/** What a device tells by itself, {@code ibv_get_async_event(3)}. */
public final class RdmaEvents {
    private RdmaEvents() {}

    /**
     * The asynchronous events of an open device, from the subscription on. Any number may subscribe, each gets all of
     * them.
     *
     * <p>The engine has acted on an event before it is signalled here (a connection that it ends is ending already), so
     * a subscriber only watches; see {@code docs/guide/events.md} for what it does on each type. An event is a copy,
     * acknowledged, and nothing has to be done with it.
     *
     * <p><b>Overflow</b>: up to {@link io.rdma.engine.EventBuffer#CAPACITY} events wait for demand; of more the oldest
     * is dropped, the first time with a warning in the log. <b>Completes</b> when the resources close. <b>Errors</b>
     * with a {@link io.rdma.verbs.VerbsException} if the events can't be read any more. <b>Cancel</b> ends this
     * subscription only. <b>Thread</b>: the one that reads the events, {@code rdma-events-DEVICE}, or the one that
     * requests; a subscriber that blocks delays the events of all, also those that end connections: {@code publishOn}
     * moves it.
     *
     * @param resources of the caller, given to clients and servers by {@code resources(…)}
     * @return hot
     */
    public static Flux<AsyncEvent> events(RdmaResources resources) {
        return new EventFlux(resources::events);
    }
}
