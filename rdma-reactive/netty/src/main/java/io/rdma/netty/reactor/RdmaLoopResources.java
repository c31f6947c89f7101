package io.rdma.netty.reactor;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import io.rdma.netty.RdmaIoHandler;
import io.rdma.netty.RdmaIoOptions;
import io.rdma.netty.RdmaServerSocketChannel;
import io.rdma.netty.RdmaSocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.netty.ReactorNetty;
import reactor.netty.resources.LoopResources;

// Invariants
// - There is one group of event loops, made by its first user and shut down at most once. Nothing is made after the
// disposal.
// - A client that a handler of an event loop makes stays on that event loop, because clients get the colocated view of
// the group.

/**
 * Event loops over RDMA for Reactor Netty: {@code HttpServer.create().runOn(loops)}, and so do {@code HttpClient},
 * {@code TcpServer} and {@code TcpClient}. Servers and clients share the event loops.
 *
 * <p>Each event loop opens the device for itself, when the first server or client needs the event loops. Whether native
 * transports are preferred is of no account. Sockets of the file system are refused, because RDMA has none. Datagrams
 * are those of UDP, so a client asks DNS as over TCP, without blocking an event loop.
 */
public final class RdmaLoopResources implements LoopResources {
    private static final int MOST_BY_DEFAULT = 4;

    private final String prefix;
    private final int count;
    private final boolean daemon;
    private final RdmaIoOptions options;
    private @Nullable EventLoopGroup loops;
    private @Nullable EventLoopGroup clients;
    private boolean disposed;

    private RdmaLoopResources(String prefix, int count, boolean daemon, RdmaIoOptions options) {
        if (prefix.isEmpty()) {
            throw new IllegalArgumentException("the prefix of the threads' names must not be empty");
        }
        if (count < 1) {
            throw new IllegalArgumentException("there must be at least one event loop: " + count);
        }
        this.prefix = prefix;
        this.count = count;
        this.daemon = daemon;
        this.options = Objects.requireNonNull(options);
    }

    /**
     * Creates event loops on daemon threads with {@link RdmaIoOptions#DEFAULT}.
     *
     * @param prefix first part of the names of their threads
     * @return the event loops
     * @see #create(String, RdmaIoOptions)
     */
    public static RdmaLoopResources create(String prefix) {
        return create(prefix, RdmaIoOptions.DEFAULT);
    }

    /**
     * Creates event loops on daemon threads. Their number is that of the system property {@link
     * ReactorNetty#IO_WORKER_COUNT}; without it there is one for every second processor, at most four, because an event
     * loop that has work polls.
     *
     * @param prefix first part of the names of their threads
     * @param options of each event loop
     * @return the event loops
     */
    public static RdmaLoopResources create(String prefix, RdmaIoOptions options) {
        int half = Runtime.getRuntime().availableProcessors() / 2;
        int usual = Math.max(1, Math.min(MOST_BY_DEFAULT, half));
        return create(prefix, Integer.getInteger(ReactorNetty.IO_WORKER_COUNT, usual), true, options);
    }

    /**
     * Creates event loops.
     *
     * @param prefix first part of the names of their threads
     * @param count number of event loops, at least one
     * @param daemon whether the JVM may end while they run
     * @param options of each event loop
     * @return the event loops
     */
    public static RdmaLoopResources create(String prefix, int count, boolean daemon, RdmaIoOptions options) {
        return new RdmaLoopResources(prefix, count, daemon, options);
    }

    /**
     * Returns the event loops for servers and their connections.
     *
     * @param useNative of no account
     * @return the event loops
     * @throws IllegalStateException if these resources are disposed, or if the device cannot be opened
     */
    @Override
    public synchronized EventLoopGroup onServer(boolean useNative) {
        if (disposed) {
            throw new IllegalStateException("the event loops are disposed: " + this);
        }
        EventLoopGroup present = loops;
        if (present == null) {
            present = new MultiThreadIoEventLoopGroup(count, threads(), RdmaIoHandler.newFactory(options));
            loops = present;
        }
        return present;
    }

    /**
     * Returns the event loops for the channels that accept clients: those of the connections, because an event loop has
     * little to do there. Other threads exchange the parameters of a connection.
     *
     * @param useNative of no account
     * @return the event loops
     * @throws IllegalStateException if these resources are disposed, or if the device cannot be opened
     */
    @Override
    public EventLoopGroup onServerSelect(boolean useNative) {
        return onServer(useNative);
    }

    /**
     * Returns the event loops for clients: those of servers, and on the thread of an event loop that event loop.
     *
     * @param useNative of no account
     * @return the event loops
     * @throws IllegalStateException if these resources are disposed, or if the device cannot be opened
     */
    @Override
    public synchronized EventLoopGroup onClient(boolean useNative) {
        EventLoopGroup shared = onServer(useNative);
        EventLoopGroup present = clients;
        if (present == null) {
            present = LoopResources.colocate(shared);
            clients = present;
        }
        return present;
    }

    private ThreadFactory threads() {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new LoopThread(task, prefix + "-rdma-" + number.incrementAndGet());
            thread.setDaemon(daemon);
            return thread;
        };
    }

    /** Thread of an event loop, on which Reactor refuses to block. */
    private static final class LoopThread extends FastThreadLocalThread implements NonBlocking {
        private LoopThread(Runnable task, String name) {
            super(task, name);
        }
    }

    @Override
    public <C extends Channel> C onChannel(Class<C> type, EventLoopGroup group) {
        Class<? extends C> found = onChannelClass(type, group);
        if (found == NioDatagramChannel.class) {
            return found.cast(new NioDatagramChannel());
        }
        return found.cast(found == RdmaSocketChannel.class ? new RdmaSocketChannel() : new RdmaServerSocketChannel());
    }

    /**
     * Returns the class of channels over RDMA, and of UDP's channels for datagrams.
     *
     * @param type {@link SocketChannel}, {@link ServerSocketChannel} or {@link DatagramChannel}
     * @param group event loops of these resources
     * @return the class
     * @throws UnsupportedOperationException if these event loops have no such channels
     */
    @Override
    public <C extends Channel> Class<? extends C> onChannelClass(Class<C> type, EventLoopGroup group) {
        if (type == SocketChannel.class) {
            return RdmaSocketChannel.class.asSubclass(type);
        }
        if (type == ServerSocketChannel.class) {
            return RdmaServerSocketChannel.class.asSubclass(type);
        }
        if (type == DatagramChannel.class) {
            return NioDatagramChannel.class.asSubclass(type);
        }
        throw new UnsupportedOperationException("there is no " + type.getSimpleName() + " over RDMA: " + instead(type));
    }

    private static String instead(Class<? extends Channel> type) {
        String role = ServerChannel.class.isAssignableFrom(type) ? "bind the server to" : "connect the client to";
        return role + " a host and a port";
    }

    @Override
    public boolean daemon() {
        return daemon;
    }

    @Override
    public synchronized boolean isDisposed() {
        return disposed;
    }

    /**
     * Shuts the event loops down, which ends their connections and closes their device.
     *
     * <p>Completes: when the device is closed. Errors: with {@link IllegalArgumentException} if the quiet period is
     * longer than the time-out. Cancel: the disposal goes on.
     *
     * @param quietPeriod time without a new task after which the event loops end
     * @param timeout time after which they end in any case
     * @return completes at the end
     */
    @Override
    public Mono<Void> disposeLater(Duration quietPeriod, Duration timeout) {
        return Mono.create(sink -> {
            EventLoopGroup ending = end();
            if (ending == null) {
                sink.success();
                return;
            }
            Future<?> ended =
                    ending.shutdownGracefully(quietPeriod.toMillis(), timeout.toMillis(), TimeUnit.MILLISECONDS);
            ended.addListener(done -> sink.success());
        });
    }

    private synchronized @Nullable EventLoopGroup end() {
        disposed = true;
        return loops;
    }

    @Override
    public String toString() {
        return "RdmaLoopResources[prefix=" + prefix + ", count=" + count + ", daemon=" + daemon + "]";
    }
}
