package io.rdma.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Channel as its event loop's handler knows it. */
interface RdmaIoHandle extends IoHandle {
    @Override
    default void handle(IoRegistration registration, IoEvent event) {
        throw new UnsupportedOperationException("the engine calls a channel itself");
    }

    @Override
    void close();

    /** Returns whether an event loop drives channels over RDMA. */
    static boolean isDrivenBy(EventLoop loop) {
        return loop instanceof IoEventLoop one && one.isCompatible(RdmaIoHandle.class);
    }

    /**
     * Registers the channel with its event loop.
     *
     * @param promise fails if that fails
     * @param registered takes the registration, and completes the promise
     */
    default void register(EventLoop loop, ChannelPromise promise, Consumer<IoRegistration> registered) {
        ((IoEventLoop) loop).register(this).addListener(future -> {
            if (future.isSuccess()) {
                registered.accept((IoRegistration) future.getNow());
            } else {
                promise.setFailure(future.cause());
            }
        });
    }

    /** Runs a task on the event loop of a channel: at once there, or if it has none yet. Any thread. */
    static void run(Channel channel, Runnable task) {
        if (!channel.isRegistered() || channel.eventLoop().inEventLoop()) {
            task.run();
        } else {
            channel.eventLoop().execute(task);
        }
    }

    /** Ends a registration, if there is one. */
    static void cancel(@Nullable IoRegistration registration) {
        if (registration != null) {
            registration.cancel();
        }
    }
}
