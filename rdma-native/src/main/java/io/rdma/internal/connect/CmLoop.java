package io.rdma.internal.connect;

import io.rdma.environment.Environment;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import io.rdma.types.RdmaException;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventChannel;
import io.rdma.verbs.CmIdentifier;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

// Invariants
// - One platform thread waits in poll(2), takes events, and passes each to the handler that is attached to its
//   identifier. Handlers do not block. A virtual thread would be pinned in the wait.
// - If any failure ends the thread, every handler is notified that no more events arrive.
// - An identifier is in `open` from its creation to its close. Those that are open when the loop closes are closed
//   with it.

/** Event loop of the connection manager, for all connections of one {@link DeviceResources}. */
final class CmLoop implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(CmLoop.class.getName());

    private final CmEventChannel channel;
    private final Runnable failed;
    private final Set<CmIdentifier> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private volatile boolean closed; // set under the monitor
    private @Nullable Throwable failure; // under the monitor; the reason why no more events arrive

    /**
     * Creates a loop that owns the channel.
     *
     * @param failed called if no more events arrive; must not block
     */
    CmLoop(CmEventChannel channel, String device, Environment environment, Runnable failed) {
        this.channel = channel;
        this.failed = failed;
        environment.newThread("rdma-cm-" + device, this::run).start();
    }

    /**
     * Returns the loop of these resources.
     *
     * @throws io.rdma.types.RdmaException if there is no connection manager
     */
    static CmLoop of(DeviceResources resources) {
        return resources.companion(
                CmLoop.class,
                context -> new CmLoop(
                        context.createEventChannel(),
                        context.name(),
                        context.environment(),
                        resources::companionFailed));
    }

    /** Creates an identifier for connections. Its events go to the handler, on the loop's thread. */
    CmIdentifier create(CmEventHandler handler) {
        return create(PortSpace.TCP, handler);
    }

    /** Creates an identifier. Its events go to the handler, on the loop's thread. */
    synchronized CmIdentifier create(PortSpace portSpace, CmEventHandler handler) {
        requireLive();
        CmIdentifier made = channel.createIdentifier(portSpace);
        made.attach(handler);
        open.add(made);
        return made;
    }

    /**
     * Does nothing if events arrive.
     *
     * @throws IllegalStateException if the resources are closed
     * @throws RdmaException if the events cannot be read any more
     */
    synchronized void requireLive() {
        if (closed) {
            throw new IllegalStateException("the resources are closed: open new ones");
        }
        if (failure != null) {
            throw new RdmaException(
                    "the events of the connection manager cannot be read any more: close these resources and open"
                            + " new ones",
                    failure);
        }
    }

    void close(CmIdentifier identifier) {
        identifier.close();
        open.remove(identifier);
    }

    private void run() {
        try {
            while (!closed) {
                channel.await(-1);
                takeAll();
            }
        } catch (Throwable e) { // any failure: no more events of any connection arrive
            lose(e);
        } finally {
            stopped.complete(null);
        }
    }

    private void takeAll() {
        CmEvent event;
        while (!closed && (event = channel.take()) != null) {
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                open.add(event.identifier());
            }
            dispatch(event);
        }
    }

    private void dispatch(CmEvent event) {
        CmIdentifier about = event.listener() == null ? event.identifier() : event.listener();
        try {
            if (about.attachment() instanceof CmEventHandler handler) {
                handler.accept(event);
            }
        } catch (Throwable e) { // the event is lost: its handler must not wait for it; other events continue
            LOG.log(System.Logger.Level.ERROR, "the handler of " + event + " failed", e);
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                close(event.identifier()); // this notifies the client
            } else {
                lose(about, e);
            }
        }
    }

    /** Fails the loop: no identifier can be created any more, and every wait for an event fails. */
    private void lose(Throwable cause) {
        synchronized (this) {
            if (closed) {
                return;
            }
            failure = cause;
        }
        failed.run();
        LOG.log(System.Logger.Level.ERROR, "the events of the connection manager cannot be read any more", cause);
        open.forEach(identifier -> lose(identifier, cause));
    }

    private static void lose(CmIdentifier identifier, Throwable cause) {
        try {
            if (identifier.attachment() instanceof CmEventHandler handler) {
                handler.lost(cause);
            }
        } catch (Throwable e) { // the other handlers must be notified, too
            LOG.log(System.Logger.Level.ERROR, "a connection was not notified of the end of its events", e);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true; // no identifier is created from here on
        }
        channel.wake();
        stopped.join(); // not interruptible: the channel must outlive its thread
        CloseSteps steps = new CloseSteps();
        open.forEach(identifier -> steps.run(identifier::close));
        steps.run(channel::close).report();
    }
}
