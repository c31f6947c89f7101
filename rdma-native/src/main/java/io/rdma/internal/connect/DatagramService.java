package io.rdma.internal.connect;

import io.rdma.internal.engine.Endpoint;
import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Invariants
// - A look-up is answered with the number of the queue pair once the queue pair can receive, and is rejected once the
//   endpoint is closing.
// - The first failure of this service fails the endpoint. A failure while the binding is being made is kept until the
//   endpoint is there and this service listens, so that it does not disturb the rest of the set-up.

/** Identifier in RDMA CM's UDP port space where other hosts find a queue pair. It answers their look-ups. */
final class DatagramService implements CmEventHandler, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DatagramService.class.getName());
    private static final int BACKLOG = 128;

    private final CmLoop loop;
    private final CmIdentifier identifier;
    private volatile @Nullable Endpoint found; // the endpoint that look-ups find; null before this service listens
    private @Nullable Endpoint endpoint; // guarded by this: fails with this service; null while the binding is made
    private @Nullable RdmaException failure; // guarded by this: the first one, if there was no endpoint yet

    /** Creates the identifier, which is not bound yet. */
    DatagramService(CmLoop loop) {
        this.loop = loop;
        this.identifier = loop.create(PortSpace.UDP, this);
    }

    CmIdentifier identifier() {
        return identifier;
    }

    /**
     * Answers look-ups from now on, and fails the endpoint with this service.
     *
     * @param owner its queue pair can receive
     */
    void serve(Endpoint owner) {
        found = owner;
        identifier.listen(BACKLOG);
        follow(owner);
    }

    private synchronized void follow(Endpoint owner) {
        endpoint = owner;
        if (failure != null) {
            owner.fail(failure);
        }
    }

    private synchronized void fail(RdmaException cause) {
        if (endpoint != null) {
            endpoint.fail(cause);
        } else if (failure == null) {
            failure = cause;
        }
    }

    @Override
    public void accept(CmEvent event) {
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            answer(event.identifier(), Objects.requireNonNull(found));
        } else if (event.type() == CmEventType.DEVICE_REMOVAL) {
            fail(new RdmaException("the device was removed"));
        }
    }

    @Override
    public void lost(Throwable cause) {
        fail(new RdmaException("look-ups of this service cannot be received any more", cause));
    }

    private void answer(CmIdentifier request, Endpoint by) {
        try {
            if (by.isClosing()) {
                request.reject(new byte[0]);
            } else {
                request.accept(ConnectionParameters.DEFAULT.withQueuePair(by.qpNumber(), false));
            }
        } catch (VerbsException e) {
            LOG.log(System.Logger.Level.DEBUG, "the peer that asked is gone", e);
        } finally {
            loop.close(request);
        }
    }

    /** Frees the address. */
    @Override
    public void close() {
        loop.close(identifier);
    }
}
