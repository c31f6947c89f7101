package io.rdma.internal.connect;

import io.rdma.internal.engine.Endpoint;
import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import org.jspecify.annotations.Nullable;

// Invariant: a look-up is answered with the number of the queue pair once the queue pair can receive, and is rejected
// once the endpoint is closing.

/** Identifier in RDMA CM's UDP port space where other hosts find a queue pair. It answers their look-ups. */
final class DatagramService implements CmEventHandler, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DatagramService.class.getName());
    private static final int BACKLOG = 128;

    private final CmLoop loop;
    private final CmIdentifier identifier;
    private volatile @Nullable Endpoint endpoint; // null while the binding is being made

    /** Creates the identifier, which is not bound yet. */
    DatagramService(CmLoop loop) {
        this.loop = loop;
        this.identifier = loop.create(PortSpace.UDP, this);
    }

    CmIdentifier identifier() {
        return identifier;
    }

    /** Sets the endpoint that is found here, and that fails with this service. */
    void belongsTo(Endpoint owner) {
        endpoint = owner;
    }

    /** Answers look-ups from now on. The endpoint's queue pair can receive. */
    void listen() {
        identifier.listen(BACKLOG);
    }

    @Override
    public void accept(CmEvent event) {
        Endpoint now = endpoint;
        if (now == null) {
            return;
        }
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            answer(event.identifier(), now);
        } else if (event.type() == CmEventType.DEVICE_REMOVAL) {
            now.fail(new RdmaException("the device was removed"));
        }
    }

    @Override
    public void lost(Throwable cause) {
        Endpoint now = endpoint;
        if (now != null) {
            now.fail(new RdmaException("look-ups of this service cannot be received any more", cause));
        }
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
