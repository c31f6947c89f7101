package io.rdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.internal.StringUtil;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.engine.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

// States: NEW -> (connecting) -> CONNECTED -> CLOSED, or NEW -> CLOSED.
// Invariants
// - All of it runs on the event loop, which drives the completion loop of the connection. Other threads only execute
// tasks there.
// - A connection stays with its event loop: the channel can be registered again there, and nowhere else.
// - The channel owns the endpoint from attach() on, and ends it exactly once, by closing or aborting it.
// - A close lets accepted bytes be delivered first, for as long as SO_LINGER says. What was not accepted fails.

/**
 * Connection of a client or a server as a byte stream: what is flushed travels in messages as large as the peer's
 * receive buffers, and the peer's credits make the channel writable or not.
 *
 * <p>{@code close} delivers what was accepted and then ends the stream in an orderly way; with {@code SO_LINGER} 0 it
 * resets the connection. {@code shutdownOutput} sends the end of the stream alone.
 */
public final class RdmaSocketChannel extends AbstractChannel implements SocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final RdmaSocketChannelConfig config = new RdmaSocketChannelConfig(this);
    private final CompletableFuture<RdmaIoHandler> home = new CompletableFuture<>();
    private final Runnable readTask = this::readNow;
    private final Runnable readBegun = () -> readPending = false;
    private @Nullable IoRegistration registration;
    private @Nullable ActiveConnect connecting;
    private @Nullable Endpoint endpoint;
    private @Nullable ChannelInput input;
    private @Nullable ChannelOutput output;
    private boolean readPending;
    private boolean readScheduled;
    private boolean reading;
    private boolean endSeen; // the pipeline knows that the input has ended
    private volatile @Nullable InetSocketAddress local;
    private volatile @Nullable InetSocketAddress remote;
    private volatile boolean open = true;
    private volatile boolean connected;
    private volatile boolean inputShutdown;
    private volatile boolean outputShutdown;

    /** Creates the channel of a client, to be connected. */
    public RdmaSocketChannel() {
        this(null, null);
    }

    /**
     * Creates a channel.
     *
     * @param parent server that accepts a client; null for a client's own channel
     * @param client address of that client
     */
    RdmaSocketChannel(@Nullable RdmaServerSocketChannel parent, @Nullable InetSocketAddress client) {
        super(parent);
        remote = client;
    }

    /** Returns a future of the handler of the event loop that the channel is registered with. */
    CompletableFuture<RdmaIoHandler> home() {
        return home;
    }

    @Override
    public @Nullable RdmaServerSocketChannel parent() {
        return (RdmaServerSocketChannel) super.parent();
    }

    @Override
    public RdmaSocketChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return connected;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new Unsafe();
    }

    private Unsafe channelUnsafe() {
        return (Unsafe) unsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return RdmaIoHandle.isDrivenBy(loop);
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        channelUnsafe().register(eventLoop(), promise, made -> registered(made, promise));
    }

    private void registered(IoRegistration made, ChannelPromise promise) {
        RdmaIoHandler handler = made.attachment();
        if (home.complete(handler) || home.getNow(handler) == handler) {
            registration = made;
            config.defaultAllocator(handler.allocator());
            promise.setSuccess();
        } else {
            made.cancel();
            promise.setFailure(new IllegalStateException(
                    "a channel over RDMA stays with its event loop: register it there again"));
        }
    }

    @Override
    protected void doDeregister() {
        IoRegistration present = registration;
        registration = null;
        RdmaIoHandle.cancel(present);
    }

    @Override
    protected void doBind(SocketAddress address) {
        if (!(address instanceof InetSocketAddress wanted)
                || wanted.getPort() != 0
                || !wanted.isUnresolved()
                        && !wanted.getAddress().isAnyLocalAddress()
                        && !wanted.getAddress().isLoopbackAddress()) {
            throw new UnsupportedOperationException(
                    "a client over RDMA cannot choose its local address: connect without one");
        }
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    /** Takes over the connection that an attempt made, or that a server accepted. Any thread. */
    void deliver(EstablishedConnection connection) {
        try {
            eventLoop().execute(() -> attach(connection));
        } catch (RejectedExecutionException e) { // the event loop has ended
            connection.endpoint().close();
            connection.endpoint().dropUnclaimed();
        }
    }

    private void attach(EstablishedConnection connection) {
        Endpoint made = connection.endpoint();
        if (!open) {
            if (config.getSoLinger() == 0) {
                reset(made);
            } else {
                made.close();
            }
            made.dropUnclaimed();
            return;
        }
        endpoint = made;
        local = connection.localAddress();
        remote = connection.remoteAddress();
        ChannelInput in = new ChannelInput(made, config);
        input = in;
        output = new ChannelOutput(made, home.join().pool(), channelUnsafe()::flush0);
        connected = true;
        ActiveConnect attempt = connecting;
        connecting = null;
        if (attempt != null) {
            attempt.succeeded();
        } else {
            pipeline().fireChannelActive();
            channelUnsafe().flush0();
        }
        if (open) {
            in.listener(this::arrived);
        }
    }

    /** Ends a channel whose connection was not established. Any thread. */
    void fail(Throwable cause) {
        try {
            eventLoop().execute(() -> {
                ActiveConnect attempt = connecting;
                connecting = null;
                if (attempt != null) {
                    attempt.failed(cause);
                }
                channelUnsafe().close(voidPromise());
            });
        } catch (RejectedExecutionException e) { // the event loop has ended, and has closed the channel
        }
    }

    @Override
    protected void doBeginRead() {
        if (endSeen) {
            return;
        }
        readPending = true;
        ChannelInput in = input;
        if (in != null && !reading && in.hasNews()) {
            scheduleRead();
        }
    }

    private void scheduleRead() {
        if (!readScheduled) {
            readScheduled = true;
            eventLoop().execute(readTask);
        }
    }

    /** Drops the wish to read, when automatic reads are switched off. Any thread. */
    void clearReadPending() {
        RdmaIoHandle.run(this, readBegun);
    }

    private void arrived() {
        ChannelInput in = input;
        if (in == null || reading || !open) {
            return;
        }
        if (endSeen) {
            behindEnd(in);
        } else if (readPending
                ? in.hasNews()
                : in.isAtEnd()) { // the end is no data, so it needs no read that was asked for
            readMessages(in);
        }
    }

    private void readNow() {
        readScheduled = false;
        arrived();
    }

    @SuppressWarnings("deprecation") // the handle is what Netty's own channels use
    private void readMessages(ChannelInput in) {
        ChannelPipeline pipeline = pipeline();
        reading = true;
        ChannelInput.State state;
        try {
            state = in.read(pipeline, (RecvByteBufAllocator.ExtendedHandle) unsafe().recvBufAllocHandle(), readBegun);
        } catch (Throwable e) { // such as no memory for a copy: the bytes are lost, and so is the stream
            reading = false;
            pipeline.fireChannelReadComplete();
            pipeline.fireExceptionCaught(e);
            channelUnsafe().close(voidPromise());
            return;
        }
        reading = false;
        if (state != ChannelInput.State.OPEN) {
            readPending = false;
        }
        pipeline.fireChannelReadComplete();
        if (!open) {
            return;
        }
        switch (state) {
            case OPEN -> {
                if (readPending && in.hasNews()) {
                    scheduleRead();
                }
            }
            case ENDED -> inputEnded();
            case RESET -> reset(in);
        }
    }

    private void reset(ChannelInput in) {
        pipeline().fireExceptionCaught(in.reset());
        channelUnsafe().close(voidPromise());
    }

    /** Closes a channel whose input has ended once its connection has: nothing can be sent any more. */
    private void behindEnd(ChannelInput in) {
        switch (in.behindEnd()) {
            case OPEN -> {} // the peer still takes what is sent
            case ENDED -> connectionEnded();
            case RESET -> reset(in);
        }
    }

    private void inputEnded() {
        if (!config.isAllowHalfClosure()) {
            channelUnsafe().close(voidPromise());
        } else if (!endSeen) {
            endSeen = true;
            inputShutdown = true;
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
            arrived(); // what follows the end may be there already
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf || message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("unsupported message type: " + StringUtil.simpleClassName(message)
                + " (expected: ByteBuf, FileRegion)");
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer flushed) throws IOException {
        ChannelOutput out = output;
        if (out == null) {
            throw new NotYetConnectedException();
        }
        out.accept(flushed);
    }

    @Override
    protected void doClose() {
        open = false;
        connected = false;
        inputShutdown = true;
        outputShutdown = true;
        ActiveConnect attempt = connecting;
        connecting = null;
        if (attempt != null) {
            attempt.closed();
        }
        home.completeExceptionally(new ClosedChannelException());
        Endpoint ending = endpoint;
        ChannelInput in = input;
        ChannelOutput out = output;
        if (ending == null || in == null || out == null) {
            return;
        }
        if (config.getSoLinger() == 0) {
            reset(ending);
        } else {
            Linger.begin(home.join(), eventLoop(), ending, out, lingerMillis(ending));
        }
        in.discard(() -> {});
    }

    private static void reset(Endpoint ending) {
        ending.abort(new IOException("the channel was closed with SO_LINGER 0"));
    }

    private long lingerMillis(Endpoint ending) {
        int seconds = config.getSoLinger();
        return seconds > 0 ? seconds * 1_000L : ending.options().drainTimeout().toMillis();
    }

    @Override
    protected void doShutdownOutput() {
        ChannelOutput out = output;
        if (out == null) {
            throw new NotYetConnectedException();
        }
        outputShutdown = true;
        out.end();
    }

    @Override
    public boolean isInputShutdown() {
        return inputShutdown;
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown;
    }

    @Override
    public boolean isShutdown() {
        return inputShutdown && outputShutdown;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        onEventLoop(() -> shutInputDown(promise));
        return promise;
    }

    private void shutInputDown(ChannelPromise promise) {
        ChannelInput in = input;
        if (in == null || !open) {
            promise.tryFailure(open ? new NotYetConnectedException() : new ClosedChannelException());
            return;
        }
        inputShutdown = true;
        in.discard(this::connectionEnded);
        promise.trySuccess();
    }

    /** Closes a channel that reads no more, because its connection has ended. */
    private void connectionEnded() {
        if (open) {
            channelUnsafe().close(voidPromise());
        }
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        onEventLoop(() -> channelUnsafe().shutdownOutput(promise));
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput()
                .addListener(output -> shutdownInput().addListener(input -> {
                    Throwable failure = output.isSuccess() ? input.cause() : output.cause();
                    if (failure == null) {
                        promise.trySuccess();
                    } else {
                        promise.tryFailure(failure);
                    }
                }));
        return promise;
    }

    private void onEventLoop(Runnable task) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            task.run();
        } else {
            loop.execute(task);
        }
    }

    /** Operations of the channel that its pipeline ends in. */
    private final class Unsafe extends AbstractUnsafe implements RdmaIoHandle {
        @Override
        public void close() {
            close(voidPromise());
        }

        /** Writes what is flushed. What the server wrote to a client that is still connecting waits until it is. */
        @Override
        protected void flush0() {
            if (connected || !open || parent() == null) {
                super.flush0();
            }
        }

        @Override
        public void connect(SocketAddress remoteAddress, @Nullable SocketAddress localAddress, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                if (connecting != null) {
                    throw new ConnectionPendingException();
                }
                if (connected) {
                    throw new java.nio.channels.AlreadyConnectedException();
                }
                if (localAddress != null) {
                    doBind(localAddress);
                }
                ActiveConnect attempt =
                        new ActiveConnect(RdmaSocketChannel.this, (InetSocketAddress) remoteAddress, promise);
                connecting = attempt;
                attempt.start(home.join());
            } catch (Throwable e) {
                promise.tryFailure(annotateConnectException(e, remoteAddress));
                closeIfClosed();
            }
        }
    }
}
