package io.rdma.cm;

import io.rdma.cm.RdmaConnectException.Reason;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.RdmaResources;
import io.rdma.engine.Undo;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** The active side of the exchange over TCP. */
public final class RdmaConnector {
    private final RdmaResources resources;
    private final ConnectionOptions options;
    private final InetSocketAddress address;
    private final ConnectHandler handler;
    private final Socket socket = new Socket();
    private final AtomicBoolean ended = new AtomicBoolean();

    private RdmaConnector(
            RdmaResources resources, ConnectionOptions options, InetSocketAddress address, ConnectHandler handler) {
        this.resources = resources;
        this.options = options;
        this.address = address;
        this.handler = handler;
    }

    /**
     * Starts to connect; the handler learns the outcome.
     *
     * @param resources where the connection lives
     * @param options how
     * @param address of the server
     * @param handler called once
     * @return for {@link #cancel}
     */
    public static RdmaConnector connect(
            RdmaResources resources, ConnectionOptions options, InetSocketAddress address, ConnectHandler handler) {
        RdmaConnector connector = new RdmaConnector(resources, options, address, handler);
        Thread.ofVirtual().name("rdma-connect").start(connector::run);
        return connector;
    }

    /**
     * Gives up: the handler is not called any more.
     *
     * @return false if it was, or is being, called
     */
    public boolean cancel() {
        if (!ended.compareAndSet(false, true)) {
            return false;
        }
        closeSocket();
        return true;
    }

    private void run() {
        EstablishedConnection connection;
        try {
            connection = exchange();
        } catch (RuntimeException e) {
            closeSocket();
            if (ended.compareAndSet(false, true)) {
                handler.failed(e);
            }
            return;
        }
        if (ended.compareAndSet(false, true)) {
            handler.connected(connection);
        } else {
            connection.endpoint().close();
        }
    }

    private EstablishedConnection exchange() {
        if (address.isUnresolved()) {
            throw new RdmaConnectException(Reason.UNKNOWN_HOST, "unknown host: " + address.getHostString(), null);
        }
        try (Undo undo = new Undo()) {
            socket.connect(address, (int) Math.min(options.handshakeTimeout().toMillis(), Integer.MAX_VALUE));
            Exchange exchange = undo.add(new Exchange(socket, options.handshakeTimeout()));
            RdmaEndpoint endpoint;
            try (QueuePairBringUp queuePair = new QueuePairBringUp(
                    resources, options, exchange.localAddress().getAddress())) {
                exchange.sendHello(queuePair.local());
                endpoint = queuePair.connect(exchange.receiveAnswer());
            }
            undo.add(endpoint::close);
            exchange.sendReady();
            undo.keep();
            ConnectionWatch.start(exchange, endpoint);
            return new EstablishedConnection(endpoint, exchange.localAddress(), exchange.remoteAddress());
        } catch (SocketTimeoutException e) {
            throw new RdmaConnectException(
                    Reason.TIMEOUT, address + " did not answer within " + options.handshakeTimeout(), e);
        } catch (IOException e) {
            throw new RdmaConnectException(
                    Reason.UNREACHABLE,
                    "cannot reach " + address + ": " + e.getMessage() + ". Is the server running?",
                    e);
        }
    }

    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException e) {
            System.getLogger(RdmaConnector.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
        }
    }
}
