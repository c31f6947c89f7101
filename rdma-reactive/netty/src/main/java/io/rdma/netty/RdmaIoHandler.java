package io.rdma.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.loop.LoopInvoker;
import io.rdma.types.QueuePairCapacity;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariants
// - The event loop's thread is the driver of the one completion loop of these resources. It runs every step, and every
// callback of a channel comes from one.
// - The resources close in destroy(), which the thread drives to its end: the close waits for the completion loop.
// - A thread that adds a task to the event loop calls wakeup() behind that. The handler asks whether there are tasks
// after it has said that it sleeps, see LoopInvoker.

/**
 * Handler that makes an event loop of Netty a completion loop: the event loop's thread polls the completion queue, runs
 * the handlers of its channels, and sleeps in the queue's channel until the device, a task or a deadline wakes it.
 *
 * <p>Use it with {@link io.netty.channel.MultiThreadIoEventLoopGroup}. Each event loop opens the device for itself.
 * Groups of other handlers, such as {@link io.netty.channel.nio.NioIoHandler}, may be used beside. Its event loops also
 * take {@link io.netty.channel.socket.nio.NioDatagramChannel}, by which a resolver asks DNS.
 */
public final class RdmaIoHandler implements IoHandler {
    private static final long LONGEST_LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final ThreadAwareExecutor executor;
    private final DeviceResources resources;
    private final LoopInvoker invoker;
    private final SlabPool pool;
    private final ByteBufAllocator allocator;
    private final Set<Registration> registrations = new LinkedHashSet<>(); // (event loop)
    private @Nullable NioHandles datagrams; // (event loop) made for the first one
    private int lingering; // (event loop) connections of closed channels whose accepted bytes are not delivered

    private RdmaIoHandler(ThreadAwareExecutor executor, RdmaIoOptions options) {
        this.executor = executor;
        ResourceOptions oneLoop = options.resources().withLoops(1);
        resources = new DeviceResources(options.found(), oneLoop, loop -> {}); // the event loop is the driver
        invoker = new LoopInvoker(resources.loops().getFirst(), oneLoop.idleStrategy());
        pool = new SlabPool(resources.domain(), options.pooledBytes(), this::isEventLoop);
        allocator = new RdmaByteBufAllocator(pool);
    }

    private boolean isEventLoop() {
        return executor.isExecutorThread(Thread.currentThread());
    }

    /**
     * Returns a factory of handlers with {@link RdmaIoOptions#DEFAULT}.
     *
     * @return for {@link io.netty.channel.MultiThreadIoEventLoopGroup}
     */
    public static IoHandlerFactory newFactory() {
        return newFactory(RdmaIoOptions.DEFAULT);
    }

    /**
     * Returns a factory of handlers. Each handler opens the device when its event loop is made, which throws {@link
     * io.rdma.types.RdmaException} if that fails.
     *
     * @param options of each handler
     * @return for {@link io.netty.channel.MultiThreadIoEventLoopGroup}
     */
    public static IoHandlerFactory newFactory(RdmaIoOptions options) {
        return executor -> new RdmaIoHandler(executor, options);
    }

    /** Returns the resources of the connections of this event loop. */
    DeviceResources resources() {
        return resources;
    }

    /** Returns the registered memory for the buffers of its channels. */
    SlabPool pool() {
        return pool;
    }

    /** Returns the allocator of buffers in that memory. */
    ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public int run(IoHandlerContext context) {
        int work = invoker.invoke();
        while (work == 0 && context.canBlock()) {
            if (!invoker.mayPoll()) {
                invoker.sleep(context::canBlock, Math.max(0, context.delayNanos(System.nanoTime())));
                return invoker.invoke();
            }
            work = invoker.invoke();
        }
        return work;
    }

    @Override
    public void wakeup() {
        if (!isEventLoop()) {
            invoker.wakeUp();
        }
    }

    @Override
    public void prepareToDestroy() {
        CloseSteps steps = new CloseSteps();
        List.copyOf(registrations).forEach(one -> steps.run(one.handle::close)); // a close removes its own
        steps.log(RdmaIoHandler.class, "a channel was not closed with its event loop");
        if (datagrams != null) {
            datagrams.closeHandles();
        }
    }

    @Override
    public void destroy() {
        prepareToDestroy(); // Netty leaves it out if a shutdown without a quiet period comes between run() and tasks
        if (datagrams != null) {
            datagrams.close();
        }
        pool.close();
        awaitLingering();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        resources.environment().start("rdma-close", () -> {
            new CloseSteps()
                    .run(resources::close)
                    .log(RdmaIoHandler.class, "the device of an event loop was not closed");
            closed.complete(null);
        });
        while (!invoker.isFinished()) {
            if (invoker.invoke() == 0 && !invoker.isFinished()) {
                invoker.sleep(() -> true, -1);
            }
        }
        closed.join(); // an interrupt does not end the wait
    }

    /** Lets closed channels deliver what they accepted: the timers of the event loop do not run any more. */
    private void awaitLingering() {
        long since = System.nanoTime();
        while (lingering > 0 && System.nanoTime() - since < LONGEST_LINGER_NANOS) {
            if (invoker.invoke() == 0) {
                invoker.sleep(() -> true, LONGEST_LINGER_NANOS - (System.nanoTime() - since));
            }
        }
    }

    /** Counts connections that linger. Event loop. */
    void lingers(int more) {
        lingering += more;
    }

    /**
     * Returns the options of a connection that carries a byte stream. Its peer must count credits, which a byte stream
     * lives on, and needs no larger messages than the receive buffers. Requests have no more entries than the device
     * has for one.
     */
    ConnectionOptions fitted(ConnectionOptions options) {
        ConnectionOptions ofStream =
                options.withFlowControl(FlowControl.CREDITS_REQUIRED).withMaxMessageSize(options.receiveBufferSize());
        int most = resources.context().queryDevice().maxSge();
        QueuePairCapacity wanted = options.queuePair();
        return wanted.maxSendSge() <= most ? ofStream : ofStream.withQueuePair(wanted.withMaxSendSge(most));
    }

    @Override
    public IoRegistration register(IoHandle handle) throws IOException {
        if (handle instanceof NioIoHandle nio) {
            return datagrams().register(nio);
        }
        Registration registration = new Registration((RdmaIoHandle) handle);
        registrations.add(registration);
        handle.registered();
        return registration;
    }

    private NioHandles datagrams() throws IOException {
        NioHandles present = datagrams;
        if (present == null) {
            present = new NioHandles(resources.environment(), executor);
            datagrams = present;
        }
        return present;
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return RdmaIoHandle.class.isAssignableFrom(handleType) || NioIoHandle.class.isAssignableFrom(handleType);
    }

    /** Channel on this event loop. */
    private final class Registration implements IoRegistration {
        private final RdmaIoHandle handle;

        private Registration(RdmaIoHandle handle) {
            this.handle = handle;
        }

        /** Returns the handler. */
        @Override
        @SuppressWarnings("unchecked")
        public <T> T attachment() {
            return (T) RdmaIoHandler.this;
        }

        @Override
        public long submit(IoOps ops) {
            throw new UnsupportedOperationException("a channel over RDMA calls the engine itself");
        }

        @Override
        public boolean isValid() {
            return registrations.contains(this);
        }

        @Override
        public boolean cancel() {
            if (!registrations.remove(this)) {
                return false;
            }
            handle.unregistered();
            return true;
        }
    }
}
