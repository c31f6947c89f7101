package io.rdma.reactive;

import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.connect.ConnectHandler;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaConnector;
import io.rdma.internal.connect.UsedResources;
import io.rdma.internal.connect.XrcConnections;
import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * Client that connects {@link RdmaXrcSender}s to an {@link RdmaXrcServer}. Immutable: each method that changes a
 * setting returns a copy.
 */
public final class RdmaXrcClient extends RdmaTransport<RdmaXrcClient> {
    private RdmaXrcClient(Transport transport) {
        super(transport);
    }

    @Override
    RdmaXrcClient with(Transport changed) {
        return new RdmaXrcClient(changed);
    }

    /**
     * Returns a client with the options of {@link ConnectionOptions#DEFAULT}, on the default device.
     *
     * @return a client
     */
    public static RdmaXrcClient create() {
        return new RdmaXrcClient(Transport.DEFAULT);
    }

    /**
     * Sets the size of the pool of send buffers of each sender.
     *
     * @param count buffers in the pool
     * @param size bytes of each
     * @return a copy
     */
    public RdmaXrcClient sendBuffers(int count, int size) {
        return options(o -> o.withSendBuffers(count, size));
    }

    /**
     * Connects once for each subscription.
     *
     * <p><b>Completes</b> with an open sender. <b>Errors</b> with {@link io.rdma.connect.RdmaConnectException}:
     * QUEUE_PAIR_TYPE or REJECTED if no {@link RdmaXrcServer} listens there but another server, DEVICE if the device
     * has no extended reliable connections; with {@link IllegalArgumentException} if the options ask for RDMA CM, an
     * unreliable connection, credits ({@code CREDITS_REQUIRED}) or an alternate path; or with
     * {@link io.rdma.types.VerbsException}. <b>Cancel</b> stops the attempt; a sender that is connected nevertheless is
     * closed.
     *
     * @return the sender
     */
    public Mono<RdmaXrcSender> connect() {
        return MakingMono.<RdmaXrcSender>of("rdmaConnectXrc", this::connect);
    }

    private void connect(MakingMono.Making<RdmaXrcSender> making) {
        UsedResources used = transport.resources();
        ConnectHandler handler = new ConnectHandler() {
            @Override
            public void connected(EstablishedConnection established) {
                making.made(new DefaultRdmaXrcSender(established, transport.wiretap(), used::release));
            }

            @Override
            public void failed(RuntimeException error) {
                used.releaseAfter(error);
                making.failed(error);
            }
        };
        RdmaConnector connector = used.make(
                resources -> XrcConnections.connect(resources, transport.options(), transport.address(), handler));
        making.onCancel(connector::cancel);
    }

    /**
     * Connects and waits for the sender.
     *
     * @param timeout longest wait
     * @return an open sender
     * @throws IllegalStateException if the timeout expires, if the wait is interrupted, or on a thread that must
     *     not block
     */
    public RdmaXrcSender connectNow(Duration timeout) {
        return MakingMono.await(connect(), timeout);
    }

    /**
     * Connects and waits for the sender for at most 45 seconds, as {@link #connectNow(Duration)} does.
     *
     * @return an open sender
     * @throws IllegalStateException as {@link #connectNow(Duration)}
     */
    public RdmaXrcSender connectNow() {
        return connectNow(Transport.LONGEST_WAIT);
    }
}
