package io.rdma.netty;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.rdma.internal.engine.Endpoint;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariant: the endpoint is closed once: when all that was accepted is delivered or cannot be any more, or when the
// time is up.

/**
 * Time between the close of a channel and that of its connection, in which accepted bytes are delivered. Event loop.
 */
final class Linger {
    private final RdmaIoHandler handler;
    private final Endpoint endpoint;
    private final ChannelOutput output;
    private @Nullable Future<?> timer;
    private boolean over;

    private Linger(RdmaIoHandler handler, Endpoint endpoint, ChannelOutput output) {
        this.handler = handler;
        this.endpoint = endpoint;
        this.output = output;
    }

    /**
     * Closes the connection of a channel as soon as its accepted bytes are delivered.
     *
     * @param millis longest time; after that the connection is given up, which the peer sees as a reset
     */
    static void begin(RdmaIoHandler handler, EventLoop loop, Endpoint endpoint, ChannelOutput output, long millis) {
        Linger linger = new Linger(handler, endpoint, output);
        handler.lingers(1);
        if (output.whenDelivered(linger::end)) {
            linger.timer = loop.schedule(linger::end, millis, TimeUnit.MILLISECONDS);
        } else {
            linger.end();
        }
    }

    private void end() {
        if (over) {
            return;
        }
        over = true;
        Future<?> running = timer;
        if (running != null) {
            running.cancel(false);
        }
        handler.lingers(-1);
        if (output.isDelivered()) {
            output.complete();
        }
        endpoint.close();
    }
}
