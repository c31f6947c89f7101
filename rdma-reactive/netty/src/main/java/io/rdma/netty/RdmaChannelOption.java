package io.rdma.netty;

import io.netty.channel.ChannelOption;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.types.QueuePairCapacity;

/**
 * Options of channels over RDMA that no other channel has.
 *
 * @param <T> type of the value
 */
public final class RdmaChannelOption<T> extends ChannelOption<T> {
    /**
     * Options of a connection, such as its buffers, time-outs and TLS of the exchange. Of a client's channel before it
     * connects, and of a server's channel before it binds. {@link #DEFAULT_CONNECTION_OPTIONS} unless set.
     */
    public static final ChannelOption<ConnectionOptions> CONNECTION_OPTIONS =
            valueOf(RdmaChannelOption.class, "CONNECTION_OPTIONS");

    /**
     * Limits of the clients that a server's channel admits, before it binds. {@link AdmissionLimits#DEFAULT} unless
     * set.
     */
    public static final ChannelOption<AdmissionLimits> ADMISSION_LIMITS =
            valueOf(RdmaChannelOption.class, "ADMISSION_LIMITS");

    /**
     * Options of a connection unless others are set: {@link ConnectionOptions#DEFAULT}, and messages that are gathered
     * from up to 8 pieces of memory.
     */
    public static final ConnectionOptions DEFAULT_CONNECTION_OPTIONS =
            ConnectionOptions.DEFAULT.withQueuePair(QueuePairCapacity.DEFAULT.withMaxSendSge(9));

    @SuppressWarnings("deprecation") // the constructor for options of other transports
    private RdmaChannelOption() {
        super(null);
    }
}
