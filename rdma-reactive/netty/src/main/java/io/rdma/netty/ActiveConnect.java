package io.rdma.netty;

import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.concurrent.Future;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.internal.connect.ConnectHandler;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaConnector;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariant: the promise has one outcome: connected, failed, timed out, cancelled, or closed. After the last four, a
// connection that is made all the same is closed by the channel that gets it.

/** Attempt of a client's channel to connect. Event loop. */
final class ActiveConnect implements ConnectHandler {
    private final RdmaSocketChannel channel;
    private final InetSocketAddress address;
    private final ChannelPromise promise;
    private @Nullable RdmaConnector connector;
    private @Nullable Future<?> timeout;

    ActiveConnect(RdmaSocketChannel channel, InetSocketAddress address, ChannelPromise promise) {
        this.channel = channel;
        this.address = address;
        this.promise = promise;
    }

    void start(RdmaIoHandler handler) {
        int millis = channel.config().getConnectTimeoutMillis();
        ConnectionOptions options = handler.fitted(channel.config().useConnectionOptions());
        connector = RdmaConnector.connect(handler.resources(), options, address, this);
        if (millis > 0) {
            timeout = channel.eventLoop().schedule(() -> timedOut(millis), millis, TimeUnit.MILLISECONDS);
        }
        promise.addListener(future -> {
            if (future.isCancelled()) {
                channel.unsafe().close(channel.voidPromise());
            }
        });
    }

    private void timedOut(int millis) {
        if (promise.tryFailure(
                new ConnectTimeoutException("connection timed out after " + millis + " ms: " + address))) {
            channel.unsafe().close(channel.voidPromise());
        }
    }

    /** Takes the connection. A thread of the attempt. */
    @Override
    public void connected(EstablishedConnection connection) {
        channel.deliver(connection);
    }

    /** Takes the failure. A thread of the attempt. */
    @Override
    public void failed(RuntimeException error) {
        channel.fail(error);
    }

    /** Reports that the channel is connected. */
    void succeeded() {
        stopTimeout();
        boolean wanted = promise.trySuccess();
        channel.pipeline().fireChannelActive();
        if (!wanted) { // cancelled meanwhile
            channel.unsafe().close(channel.voidPromise());
        }
    }

    /** Reports that it cannot be connected. */
    void failed(Throwable cause) {
        stopTimeout();
        promise.tryFailure(inWordsOfSockets(cause));
    }

    /** Breaks the attempt off, because the channel is closed. */
    void closed() {
        stopTimeout();
        promise.tryFailure(new ClosedChannelException());
        RdmaConnector running = connector;
        if (running != null) {
            running.cancel();
        }
    }

    private void stopTimeout() {
        Future<?> running = timeout;
        if (running != null) {
            running.cancel(false);
        }
    }

    /** Returns the exception that programs expect which were written for sockets. */
    private Throwable inWordsOfSockets(Throwable cause) {
        if (!(cause instanceof RdmaConnectException refused)) {
            return cause;
        }
        Exception same = switch (refused.reason()) {
            case UNKNOWN_HOST -> new UnknownHostException(address.getHostString());
            case TIMEOUT -> new ConnectTimeoutException("connection timed out: " + address);
            default -> new ConnectException(refused.getMessage());
        };
        same.initCause(cause);
        return same;
    }
}
