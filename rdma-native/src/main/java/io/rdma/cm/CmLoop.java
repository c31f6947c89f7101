package io.rdma.cm;

import io.rdma.engine.RdmaResources;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventChannel;
import io.rdma.verbs.CmEventType;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.PortSpace;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - One platform thread, which waits in poll(2), takes events and hands each to whoever is attached to its identifier;
// those do not block. A virtual thread would be pinned in the wait.
// - An identifier is in `open` from its creation to its close; what is left when the loop closes is closed with it.

/** The connection manager's events for all connections of one {@link RdmaResources}. */
final class CmLoop implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(CmLoop.class.getName());

    private final CmEventChannel channel;
    private final Set<CmIdentifier> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private volatile boolean closed; // set under the monitor

    private CmLoop(DeviceContext context) {
        channel = context.createEventChannel();
        Thread.ofPlatform().name("rdma-cm-" + context.name()).daemon().start(this::run);
    }

    /** The loop of these resources. @throws io.rdma.verbs.RdmaException where there is no connection manager */
    static CmLoop of(RdmaResources resources) {
        return resources.companion(CmLoop.class, CmLoop::new);
    }

    /** An identifier for connections whose events go to the handler, on the loop's thread. */
    CmIdentifier create(Consumer<CmEvent> handler) {
        return create(PortSpace.TCP, handler);
    }

    /** An identifier whose events go to the handler, on the loop's thread. */
    synchronized CmIdentifier create(PortSpace portSpace, Consumer<CmEvent> handler) {
        if (closed) {
            throw new IllegalStateException("the resources are closed");
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

    @SuppressWarnings("unchecked") // only create() and handlers attach, and only handlers
    private void dispatch(CmEvent event) {
        CmIdentifier about = event.listener() == null ? event.identifier() : event.listener();
        @Nullable Object handler = about.attachment();
        try {
            if (handler != null) {
                ((Consumer<CmEvent>) handler).accept(event);
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the handler of " + event + " failed", e);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true; // nobody makes an identifier from here on
        }
        channel.wake();
        stopped.join(); // whatever interrupts: the channel must not go under its thread
        open.forEach(CmIdentifier::close);
        channel.close();
    }
}
