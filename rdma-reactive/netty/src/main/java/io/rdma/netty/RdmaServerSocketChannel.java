package io.rdma.netty;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.socket.ServerSocketChannel;
import io.rdma.internal.connect.ConnectionHome;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.internal.engine.DeviceResources;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

// Invariants
// - The thread of a client's exchange makes the client's channel, has the pipeline accept it, and waits until the
// channel is registered. Only then does it make the queue pair, on the completion loop of the channel's event loop.
// - A client that is not accepted, because the server reads no more, waits in `arrived`, at most for the time-out of
// its exchange.

/** Server whose clients connect over RDMA. It hands a {@link RdmaSocketChannel} of each client to its pipeline. */
public final class RdmaServerSocketChannel extends AbstractServerChannel implements ServerSocketChannel {
    private final RdmaServerSocketChannelConfig config = new RdmaServerSocketChannelConfig(this);
    private final Queue<RdmaSocketChannel> arrived = new ArrayDeque<>(); // (event loop)
    private @Nullable IoRegistration registration;
    private @Nullable RdmaIoHandler handler;
    private volatile @Nullable RdmaListener listener;
    private boolean readPending;
    private boolean accepting;
    private volatile boolean open = true;

    /** Creates the channel, to be bound. */
    public RdmaServerSocketChannel() {}

    @Override
    public RdmaServerSocketChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open && listener != null;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return null;
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        RdmaListener bound = listener;
        return bound == null ? null : bound.address();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return RdmaIoHandle.isDrivenBy(loop);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new Unsafe();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((Unsafe) unsafe()).register(eventLoop(), promise, made -> {
            registration = made;
            handler = made.attachment();
            promise.setSuccess();
        });
    }

    @Override
    protected void doDeregister() {
        IoRegistration present = registration;
        registration = null;
        RdmaIoHandle.cancel(present);
    }

    @Override
    protected void doBind(SocketAddress address) {
        RdmaIoHandler mine = handler;
        if (mine == null) {
            throw new IllegalStateException("the channel is not registered");
        }
        config.setBound(true);
        try {
            listener = RdmaListener.bindWithHomes(
                    mine.resources(),
                    mine.fitted(config.connectionOptions()),
                    config.admissionLimits(),
                    (InetSocketAddress) address,
                    this::homeFor);
        } finally {
            config.setBound(listener != null);
        }
    }

    /** Makes the channel of a client and waits until it is registered. The thread of the client's exchange. */
    private ConnectionHome homeFor(InetSocketAddress client) {
        RdmaSocketChannel channel = new RdmaSocketChannel(this, client);
        eventLoop().execute(() -> offer(channel));
        try {
            long millis = config.connectionOptions().handshakeTimeout().toMillis();
            return new Home(
                    channel, channel.home().get(millis, TimeUnit.MILLISECONDS).resources());
        } catch (TimeoutException e) {
            throw abandoned(channel, "the server accepts no clients at present", e);
        } catch (ExecutionException e) {
            throw abandoned(channel, "the server did not accept the client", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw abandoned(channel, "the server is closing", e);
        }
    }

    private IllegalStateException abandoned(RdmaSocketChannel channel, String reason, Exception cause) {
        eventLoop().execute(() -> {
            arrived.remove(channel);
            if (!channel.isRegistered()) {
                channel.unsafe().closeForcibly();
            } else {
                channel.close();
            }
        });
        return new IllegalStateException(reason, cause);
    }

    /** Home of a client's connection: the event loop of its channel. */
    private record Home(RdmaSocketChannel channel, DeviceResources resources) implements ConnectionHome {
        @Override
        public void connected(EstablishedConnection connection) {
            channel.deliver(connection);
        }

        @Override
        public void failed(Throwable cause) {
            channel.fail(cause);
        }
    }

    private void offer(RdmaSocketChannel client) {
        if (!open) {
            client.unsafe().closeForcibly();
            return;
        }
        arrived.add(client);
        accept();
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        if (!arrived.isEmpty() && !accepting) {
            eventLoop().execute(this::accept);
        }
    }

    /** Drops the wish to accept clients, when automatic reads are switched off. Any thread. */
    void clearReadPending() {
        RdmaIoHandle.run(this, () -> readPending = false);
    }

    private void accept() {
        if (!readPending || arrived.isEmpty() || accepting || !open) {
            return;
        }
        accepting = true;
        ChannelPipeline pipeline = pipeline();
        var handle = unsafe().recvBufAllocHandle();
        handle.reset(config);
        try {
            do {
                RdmaSocketChannel client = arrived.poll();
                if (client == null) {
                    break;
                }
                handle.incMessagesRead(1);
                readPending = false;
                pipeline.fireChannelRead(client);
            } while (handle.continueReading());
        } finally {
            accepting = false;
        }
        handle.readComplete();
        pipeline.fireChannelReadComplete();
    }

    @Override
    protected void doClose() {
        open = false;
        RdmaListener bound = listener;
        if (bound != null) {
            bound.stop(); // the pipeline has accepted the clients whose exchanges go on
        }
        for (RdmaSocketChannel client; (client = arrived.poll()) != null; ) {
            client.unsafe().closeForcibly();
        }
    }

    /** Operations of the channel that its pipeline ends in. */
    private final class Unsafe extends AbstractUnsafe implements RdmaIoHandle {
        @Override
        public void connect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
            safeSetFailure(promise, new UnsupportedOperationException("a server does not connect"));
        }

        @Override
        public void close() {
            close(voidPromise());
        }
    }
}
