package io.rdma.samples.simulation.network;

import io.rdma.samples.simulation.schedule.WaitQueue;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariant: bytes arrive in the order in which they were written, because each segment arrives behind the one before.

/** TCP socket on a simulated wire: a listening one, or one end of a connection. */
final class TcpSocketImpl extends SocketImpl {
    private final Wire wire;
    private final InetAddress host;
    private final Consumer<TcpSocketImpl> made;
    private final WaitQueue waiting;
    private final ArrayDeque<TcpSocketImpl> accepted = new ArrayDeque<>();
    private final Segments arrived = new Segments();
    private boolean ended; // the peer closed its side
    private boolean reset;
    private boolean created;
    private boolean closed;
    private boolean gone; // the host has lost power
    private boolean listening;
    private int timeoutMillis;
    private int backlog;
    private long lastArrival;
    private @Nullable TcpSocketImpl peer;
    /** Socket that took this connection over when it was accepted. */
    private @Nullable TcpSocketImpl successor;

    /**
     * @param made called for this socket, and for those of the connections that it accepts
     */
    TcpSocketImpl(Wire wire, InetAddress host, Consumer<TcpSocketImpl> made) {
        this.wire = wire;
        this.host = host;
        this.made = made;
        made.accept(this);
        waiting = new WaitQueue(wire.scheduler());
    }

    InetSocketAddress local() {
        return new InetSocketAddress(host, localport);
    }

    @Override
    protected void create(boolean stream) {
        created = true;
    }

    @Override
    protected void bind(InetAddress to, int port) throws IOException {
        if (!to.isAnyLocalAddress() && !to.equals(host)) {
            throw new BindException(to + " is not an address of this host");
        }
        address = host;
        localport = port == 0 ? wire.freePort() : port;
        if (wire.listener(local()) != null) {
            throw new BindException("Address already in use");
        }
    }

    @Override
    protected void listen(int most) throws IOException {
        backlog = Math.max(1, most);
        listening = true;
        wire.listen(local(), this);
    }

    @Override
    protected void connect(String name, int to) throws IOException {
        connect(new InetSocketAddress(name, to), 0);
    }

    @Override
    protected void connect(InetAddress to, int at) throws IOException {
        connect(new InetSocketAddress(to, at), 0);
    }

    @Override
    protected void connect(SocketAddress to, int millis) throws IOException {
        InetSocketAddress server = (InetSocketAddress) to;
        if (localport == 0) {
            localport = wire.freePort();
        }
        address = server.getAddress();
        port = server.getPort();
        TcpHandshake handshake = new TcpHandshake();
        wire.at(wire.arrival(0), () -> asked(server, handshake));
        long deadline = deadline(millis);
        while (!handshake.answered && !closed) {
            await(deadline, "Connect timed out");
        }
        if (closed) {
            throw new SocketException("Socket closed");
        }
        if (handshake.other == null) {
            throw new ConnectException("Connection refused");
        }
        peer = handshake.other;
    }

    private long deadline(int millis) {
        return wire.scheduler().after(millis == 0 ? Long.MAX_VALUE : millis * 1_000_000L);
    }

    private void await(long deadline, String otherwise) throws SocketTimeoutException {
        if (!waiting.await(Math.max(0, deadline - wire.scheduler().now()))) {
            throw new SocketTimeoutException(otherwise);
        }
    }

    /** The request of a client has arrived at the server's host. */
    private void asked(InetSocketAddress server, TcpHandshake handshake) {
        TcpSocketImpl listener = wire.listener(server);
        if (listener != null && listener.gone) {
            return;
        }
        if (listener != null && listener.accepted.size() < listener.backlog) {
            TcpSocketImpl other = new TcpSocketImpl(wire, listener.host, listener.made);
            other.address = host;
            other.port = localport;
            other.localport = listener.localport;
            other.peer = this;
            handshake.other = other;
            listener.accepted.add(other);
            listener.waiting.wakeAll();
        }
        wire.at(wire.arrival(0), () -> {
            handshake.answered = true;
            waiting.wakeAll();
        });
    }

    @Override
    protected void accept(SocketImpl into) throws IOException {
        while (accepted.isEmpty()) {
            if (closed) {
                throw new SocketException("Socket closed");
            }
            waiting.await();
        }
        ((TcpSocketImpl) into).become(accepted.remove());
    }

    /** Takes over a connection that was made for a listener. */
    private void become(TcpSocketImpl other) {
        address = other.address;
        port = other.port;
        localport = other.localport;
        peer = other.peer;
        ended = other.ended;
        reset = other.reset;
        arrived.addAll(other.arrived);
        other.successor = this;
    }

    /** Returns whether the kernel would hold it for its process. */
    boolean isOpen() {
        return (created || peer != null) && !closed && successor == null;
    }

    private TcpSocketImpl latest() {
        return successor == null ? this : successor;
    }

    @Override
    protected InputStream getInputStream() {
        return new TcpInputStream(this);
    }

    int take(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        long deadline = deadline(timeoutMillis);
        while (arrived.isEmpty()) {
            if (closed) {
                throw new SocketException("Socket closed");
            }
            if (reset) {
                throw new SocketException("Connection reset");
            }
            if (ended) {
                return -1;
            }
            await(deadline, "Read timed out");
        }
        return arrived.take(into, offset, length);
    }

    @Override
    protected OutputStream getOutputStream() {
        return new TcpOutputStream(this);
    }

    void write(byte[] segment) throws SocketException {
        if (closed) {
            throw new SocketException("Socket closed");
        }
        if (reset) {
            throw new SocketException("Broken pipe");
        }
        if (segment.length > 0) {
            sendToPeer(other -> other.arrived.add(segment));
        }
    }

    private void sendToPeer(Consumer<TcpSocketImpl> effect) {
        TcpSocketImpl to = Objects.requireNonNull(peer);
        lastArrival = wire.arrival(lastArrival);
        wire.at(lastArrival, () -> {
            TcpSocketImpl target = to.latest();
            if (target.gone) {
                return;
            }
            if (target.closed) {
                target.refuse(this);
            } else {
                effect.accept(target);
                target.waiting.wakeAll();
            }
        });
    }

    /** Resets the connection for a segment that arrived after the close, behind all that was sent before. */
    private void refuse(TcpSocketImpl sender) {
        lastArrival = wire.arrival(lastArrival);
        wire.at(lastArrival, () -> {
            sender.latest().reset = true;
            sender.latest().waiting.wakeAll();
        });
    }

    @Override
    protected int available() {
        return arrived.available();
    }

    @Override
    protected void shutdownOutput() {
        sendToPeer(other -> other.ended = true);
    }

    @Override
    protected void shutdownInput() {
        ended = true;
        arrived.clear();
        waiting.wakeAll();
    }

    @Override
    protected void close() {
        if (closed || gone) {
            return;
        }
        closed = true;
        waiting.wakeAll();
        if (listening) {
            wire.unlisten(local());
            accepted.forEach(TcpSocketImpl::close);
        }
        if (peer != null) {
            boolean unread = !arrived.isEmpty(); // then Linux resets the connection
            sendToPeer(other -> {
                other.ended = true;
                other.reset |= unread;
            });
        }
    }

    @Override
    public String toString() {
        return "TCP socket of " + local() + (listening ? ", which listens" : " to " + address + ":" + port);
    }

    /** Ends without a word. */
    void vanish() {
        gone = true;
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        throw new SocketException("Urgent data is not simulated");
    }

    @Override
    public void setOption(int option, Object value) {
        if (option == SocketOptions.SO_TIMEOUT) {
            timeoutMillis = (Integer) value;
        }
    }

    @Override
    public Object getOption(int option) throws SocketException {
        return option == SocketOptions.SO_TIMEOUT ? (Object) timeoutMillis : TcpOptions.get(option, host);
    }
}
