package io.rdma.connect;

import io.rdma.engine.CleanupStack;
import io.rdma.engine.RdmaResources;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventChannel;
import io.rdma.verbs.CmEventType;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.PortSpace;
import io.rdma.verbs.RdmaException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

// Invariants
// - One platform thread, which waits in poll(2), takes events and hands each to the handler that is attached to its
// identifier; those do not block. A virtual thread would be pinned in the wait.
// - Whatever ends the thread, every handler hears that no event comes any more.
// - An identifier is in `open` from its creation to its close; what is left when the loop closes is closed with it.

/** The connection manager's events for all connections of one {@link RdmaResources}. */
final class CmLoop implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(CmLoop.class.getName());

    private final CmEventChannel channel;
    private final Set<CmIdentifier> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private volatile boolean closed; // set under the monitor
    private @Nullable Throwable failure; // under the monitor; why no event comes any more

    private CmLoop(DeviceContext context) {
        this(context.createEventChannel(), context.name());
    }

    /** The loop of a channel, which is its own. */
    CmLoop(CmEventChannel channel, String device) {
        this.channel = channel;
        Thread.ofPlatform().name("rdma-cm-" + device).daemon().start(this::run);
    }

    /**
     * The loop of these resources.
     *
     * @throws io.rdma.verbs.RdmaException where there is no connection manager
     */
    static CmLoop of(RdmaResources resources) {
        return resources.companion(CmLoop.class, CmLoop::new);
    }

    /** An identifier for connections whose events go to the handler, on the loop's thread. */
    CmIdentifier create(CmEventHandler handler) {
        return create(PortSpace.TCP, handler);
    }

    /** An identifier whose events go to the handler, on the loop's thread. */
    synchronized CmIdentifier create(PortSpace portSpace, CmEventHandler handler) {
        if (closed) {
            throw new IllegalStateException("the resources are closed");
        }
        if (failure != null) {
            throw new RdmaException(
                    "the events of the connection manager can't be read any more: close these resources, and make others",
                    failure);
        }
        CmIdentifier made = channel.createIdentifier(portSpace);
        made.attach(handler);
        open.add(made);
        return made;
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
        } catch (Throwable e) { // whatever it is: no event of any connection comes any more
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
        } catch (Throwable e) { // the event is lost, so what waits for it must not wait on; others' events go on
            LOG.log(System.Logger.Level.ERROR, "the handler of " + event + " failed", e);
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                close(event.identifier()); // the client is told
            } else {
                lose(about, e);
            }
        }
    }

    /** Ends loudly: nothing new begins, and everything that waits for an event fails. */
    private void lose(Throwable cause) {
        synchronized (this) {
            if (closed) {
                return;
            }
            failure = cause;
        }
        LOG.log(System.Logger.Level.ERROR, "the events of the connection manager can't be read any more", cause);
        open.forEach(identifier -> lose(identifier, cause));
    }

    private static void lose(CmIdentifier identifier, Throwable cause) {
        try {
            if (identifier.attachment() instanceof CmEventHandler handler) {
                handler.lost(cause);
            }
        } catch (Throwable e) { // the others have to hear of it too
            LOG.log(System.Logger.Level.ERROR, "a connection was not told that its events end", e);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true; // nobody makes an identifier from here on
        }
        channel.wake();
        stopped.join(); // whatever interrupts: the channel must not go under its thread
        try (CleanupStack all = new CleanupStack()) { // each is closed, whatever another's close throws
            all.add(channel);
            open.forEach(all::add);
        }
    }
}
