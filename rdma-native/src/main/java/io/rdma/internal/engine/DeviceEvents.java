package io.rdma.internal.engine;

import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.types.RdmaException;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.AsyncEvents;
import io.rdma.verbs.DeviceContext;
import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - Events are read here alone; reactions of a connection run on its loop.
// - Connections are notified of an event before the subscribers are. Subscribers get events from this thread alone, and
// the end last.

/**
 * The thread that reads a device's asynchronous events, {@code ibv_get_async_event(3)}, notifies the connections that
 * they concern, and passes them to the subscribers.
 */
final class DeviceEvents implements AutoCloseable {
    /** Attempts to read an event. A failure for want of memory passes, that of a broken descriptor does not. */
    private static final int ATTEMPTS = 3;

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private static final String UNREADABLE = "the events of the device cannot be read any more";

    private final AsyncEvents events;
    private final List<CompletionLoop> loops;
    private final Map<CompletionLoop, SharedReceives> shared;
    private final List<EventBuffer> subscribers = new CopyOnWriteArrayList<>();
    private boolean ended; // guarded by subscribers
    private @Nullable RuntimeException failure; // guarded by subscribers
    private volatile boolean running = true;

    DeviceEvents(DeviceContext context, List<CompletionLoop> loops, Map<CompletionLoop, SharedReceives> shared) {
        this.loops = loops;
        this.shared = shared;
        events = context.asyncEvents();
        context.environment()
                .newThread("rdma-events-" + context.name(), this::run)
                .start();
    }

    /** Returns whether events are read still. */
    boolean isReading() {
        synchronized (subscribers) {
            return !ended;
        }
    }

    private void run() {
        RuntimeException failure = read();
        try {
            if (failure != null) { // connections would wait for ever for an error that only an event reports
                CloseSteps steps = new CloseSteps();
                loops.forEach(loop -> steps.run(() -> loop.fail(failure)));
                steps.log(DeviceEvents.class, "a loop was not notified that the events of its device ended");
            }
        } finally {
            end(failure);
        }
    }

    /**
     * Reads events until the end.
     *
     * @return why the events ended; null if the end was wanted
     */
    private @Nullable RuntimeException read() {
        int failures = 0;
        while (true) {
            AsyncEvent event;
            try {
                event = events.await(-1) ? events.take() : null;
                failures = 0;
            } catch (Throwable e) { // any failure: the subscribers must not wait for ever
                if (!running) {
                    return null;
                }
                if (++failures == ATTEMPTS) {
                    return unreadable(e);
                }
                log().log(Logger.Level.WARNING, "an event of the device could not be read, and is tried again", e);
                LockSupport.parkNanos(PAUSE); // whatever was short may be there again
                continue;
            }
            if (event != null) {
                hear(event);
            }
        }
    }

    private static RuntimeException unreadable(Throwable cause) {
        log().log(Logger.Level.ERROR, UNREADABLE, cause);
        return cause instanceof RuntimeException e ? e : new RdmaException(UNREADABLE, cause);
    }

    /**
     * Passes an event to the connections and then to the subscribers. A reaction that throws keeps no subscriber from
     * this event, and does not end the reading.
     */
    private void hear(AsyncEvent event) {
        try {
            tell(event);
        } catch (Throwable e) {
            log().log(Logger.Level.ERROR, "the reaction of the connections to " + event + " failed", e);
        }
        subscribers.forEach(subscriber -> hear(subscriber, event));
    }

    private static void hear(EventBuffer subscriber, AsyncEvent event) {
        try {
            subscriber.add(event);
        } catch (Throwable e) {
            log().log(Logger.Level.ERROR, "a subscriber was not notified of " + event, e);
        }
    }

    private void end(@Nullable RuntimeException cause) {
        List<EventBuffer> left;
        synchronized (subscribers) {
            ended = true;
            failure = cause;
            left = new ArrayList<>(subscribers);
            subscribers.clear();
        }
        left.forEach(subscriber -> subscriber.end(cause));
    }

    /**
     * Adds a subscriber.
     *
     * @return already ended if the device's events are
     */
    EventBuffer subscribe(Runnable changed) {
        EventBuffer made = new EventBuffer(changed, subscribers::remove);
        RuntimeException why;
        synchronized (subscribers) {
            if (!ended) {
                subscribers.add(made);
                return made;
            }
            why = failure;
        }
        made.end(why);
        return made;
    }

    private void tell(AsyncEvent event) {
        switch (event.type()) {
            case QP_LAST_WQE_REACHED -> concerned(event, Endpoint::lastReceiveReached);
            case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR ->
                concerned(event, endpoint -> endpoint.peerLost(reported(event)));
            case CQ_ERR ->
                loops.stream().filter(loop -> loop.isConcernedBy(event)).forEach(loop -> loop.fail(reported(event)));
            case SRQ_ERR -> {
                loops.stream().filter(loop -> takesFrom(loop, event)).forEach(loop -> loop.fail(reported(event)));
                loops.stream()
                        .flatMap(XrcReceiver::on)
                        .filter(receiver -> receiver.isConcernedBy(event))
                        .forEach(receiver -> receiver.fail(reported(event)));
            }
            case DEVICE_FATAL -> loops.forEach(loop -> loop.fail(reported(event)));
            case PATH_MIG, PATH_MIG_ERR ->
                concerned(event, endpoint -> endpoint.migration().reported(event));
            case SRQ_LIMIT_REACHED ->
                shared.values().stream()
                        .filter(receives -> event.concerns(receives.queue()))
                        .forEach(receives -> receives.growth().limitReached());
            case COMM_EST, SQ_DRAINED -> log().log(Logger.Level.DEBUG, "{0}", event);
            default -> log().log(Logger.Level.INFO, "the device reports {0}", event);
        }
    }

    private void concerned(AsyncEvent event, Consumer<Endpoint> what) {
        for (CompletionLoop loop : loops) {
            Endpoint.on(loop).filter(endpoint -> endpoint.isConcernedBy(event)).forEach(what);
        }
    }

    private boolean takesFrom(CompletionLoop loop, AsyncEvent event) {
        SharedReceives receives = shared.get(loop);
        return receives != null && event.concerns(receives.queue());
    }

    private static RdmaException reported(AsyncEvent event) {
        return new RdmaException("the device reports " + event);
    }

    /** Ends the thread; the device may be closed then. */
    @Override
    public void close() {
        running = false;
        events.close();
    }

    private static Logger log() {
        return System.getLogger(DeviceEvents.class.getName());
    }
}
