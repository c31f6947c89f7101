package io.rdma.internal.soft;

import static io.rdma.internal.ffi.Cma.*;

import io.rdma.internal.ffi.CmEventEntry;
import io.rdma.internal.ffi.ConnParam;
import io.rdma.internal.soft.SoftCmId.State;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Semaphore;

// Invariants
// - One virtual thread per connection, which reads until its end; an identifier that is destroyed closes its socket,
// and
// so ends its thread.
// - A peer that connects and says nothing costs a thread for REQUEST_MILLIS, and there are at most STRANGERS of them.

/** The network's side of {@link SoftRdmacm}: what arrives moves an identifier on and becomes an event. */
final class SoftCmConnector {
    private static final System.Logger LOG = System.getLogger(SoftCmConnector.class.getName());
    private static final int ETIMEDOUT = 110;
    private static final int SIDR_UNSUPPORTED = 1; // status of a SIDR_REP, IB specification volume 1, chapter 12
    private static final int SIDR_REJECT = 2;
    private static final int CONNECT_MILLIS = 10_000;
    private static final int REQUEST_MILLIS = 5_000;
    private static final int ANSWER_MILLIS = 60_000;
    private static final int STRANGERS = 256;

    private final SoftRdmacm cm;

    SoftCmConnector(SoftRdmacm cm) {
        this.cm = cm;
    }

    /** Sends a request and goes on from there. The caller has the identifier's monitor. */
    void connect(SoftCmId id, CmMessage request) {
        InetSocketAddress from = id.local;
        InetSocketAddress to = id.remote;
        if (to == null) {
            throw new AssertionError("a route without a destination");
        }
        CmSocket socket = new CmSocket(new Socket());
        id.socket = socket;
        Thread.ofVirtual().name("rdma-soft-cm").start(() -> {
            CmMessage answer;
            try {
                socket.connect(from, to, CONNECT_MILLIS);
                socket.send(request);
                answer = socket.receiveWithin(ANSWER_MILLIS);
            } catch (IOException e) {
                failed(id, e);
                return;
            }
            answered(id, socket, answer);
        });
    }

    private static void failed(SoftCmId id, IOException e) {
        synchronized (id) {
            boolean refused = e instanceof ConnectException; // a time-out is another one
            boolean hungUp = e instanceof EOFException;
            if (id.state == State.CONNECTING) {
                id.state = State.ENDED;
                if (refused && id.isDatagram()) {
                    id.tell(CM_EVENT_UNREACHABLE, SIDR_UNSUPPORTED);
                } else if (refused) {
                    id.tell(CM_EVENT_REJECTED, CmMessage.INVALID_SERVICE_ID);
                } else if (hungUp) {
                    id.tell(CM_EVENT_REJECTED, CmMessage.CONSUMER_REJECT);
                } else {
                    id.tell(CM_EVENT_UNREACHABLE, -ETIMEDOUT);
                }
            }
            id.ended();
        }
    }

    private void answered(SoftCmId id, CmSocket socket, CmMessage answer) {
        synchronized (id) {
            if (id.state != State.CONNECTING) {
                return;
            }
            if (answer.type() == CmMessage.REJECT) {
                id.state = State.ENDED;
                if (id.isDatagram()) {
                    id.tell(CM_EVENT_UNREACHABLE, SIDR_REJECT);
                } else {
                    id.tell(CM_EVENT_REJECTED, answer.reason(), rejected(answer));
                }
                id.ended();
                return;
            }
            if (answer.type() != CmMessage.REPLY || answer.datagram() != id.isDatagram()) {
                id.state = State.ENDED;
                id.tell(CM_EVENT_CONNECT_ERROR, -Errno.EIO);
                id.ended();
                return;
            }
            id.heard(answer);
            if (id.isDatagram()) {
                id.state = State.ENDED; // a look-up, not a connection
                id.tellOf(answer);
                socket.close();
                return;
            }
            established(id, answer);
        }
        follow(id, socket);
    }

    private void established(SoftCmId id, CmMessage answer) {
        if (id.qp == 0) {
            id.state = State.RESPONDED;
            id.tell(CM_EVENT_CONNECT_RESPONSE, 0, id.seen(answer));
            return;
        }
        try {
            cm.moveToReadyToSend(id);
            id.state = State.CONNECTED;
            id.send(CmMessage.of(CmMessage.READY));
            id.tell(CM_EVENT_ESTABLISHED, 0, id.seen(answer));
        } catch (VerbsException e) {
            LOG.log(System.Logger.Level.WARNING, "the peer's answer does not fit the queue pair: " + e.getMessage());
            id.state = State.ENDED;
            id.tell(CM_EVENT_CONNECT_ERROR, -e.errno());
            id.ended();
        }
    }

    private static ConnParam rejected(CmMessage answer) {
        byte[] data = SoftCmId.padded(answer.param().privateData(), 148);
        return new ConnParam(data, 0, 0, 0, 0, 0, false, 0);
    }

    /** Reads what comes once both sides have spoken, until the end. */
    private void follow(SoftCmId id, CmSocket socket) {
        try {
            while (true) {
                CmMessage message = socket.receive();
                synchronized (id) {
                    switch (message.type()) {
                        case CmMessage.READY -> {
                            if (id.state == State.ACCEPTED) {
                                id.state = State.CONNECTED;
                                id.tell(CM_EVENT_ESTABLISHED, 0);
                            }
                        }
                        case CmMessage.DISCONNECT -> {
                            id.send(CmMessage.of(CmMessage.DISCONNECTED));
                            id.ended();
                            return;
                        }
                        case CmMessage.REJECT -> {
                            if (id.state == State.ACCEPTED || id.state == State.REQUESTED) {
                                id.state = State.ENDED;
                                id.tell(CM_EVENT_REJECTED, message.reason(), rejected(message));
                            }
                        }
                        default -> {
                            id.ended();
                            return;
                        }
                    }
                }
            }
        } catch (IOException e) {
            synchronized (id) {
                id.ended();
            }
        }
    }

    /** Turns whoever connects into a request. The caller has the listener's monitor. */
    void listen(SoftCmId listener, ServerSocket at) {
        Semaphore strangers = new Semaphore(STRANGERS);
        Thread.ofVirtual().name("rdma-soft-cm-listen").start(() -> {
            while (!at.isClosed()) {
                try {
                    Socket accepted = at.accept();
                    if (strangers.tryAcquire()) {
                        Thread.ofVirtual()
                                .name("rdma-soft-cm-accept")
                                .start(() -> request(listener, new CmSocket(accepted), strangers));
                    } else {
                        accepted.close();
                    }
                } catch (IOException e) {
                    if (!at.isClosed()) {
                        LOG.log(System.Logger.Level.WARNING, "accept failed; the listener goes on", e);
                    }
                }
            }
        });
    }

    private void request(SoftCmId listener, CmSocket socket, Semaphore strangers) {
        SoftCmId id;
        try {
            CmMessage request = socket.receiveWithin(REQUEST_MILLIS);
            if (request.type() != CmMessage.REQUEST) {
                throw new IOException("the first message must be a request");
            }
            synchronized (listener) {
                if (listener.state != State.LISTENING || request.datagram() != listener.isDatagram()) {
                    socket.send(CmMessage.rejection(CmMessage.INVALID_SERVICE_ID, new byte[0]));
                    throw new IOException("nobody listens for that any more");
                }
                id = cm.requested(listener, socket, request);
                listener.channel.events.add(new CmEventEntry(
                        CM_EVENT_CONNECT_REQUEST, 0, id.handle, listener.handle, id.seen(request), null, 0));
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a request was not one", e);
            socket.close();
            return;
        } finally {
            strangers.release();
        }
        follow(id, socket);
    }
}
