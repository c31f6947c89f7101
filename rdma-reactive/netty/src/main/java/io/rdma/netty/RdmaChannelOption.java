package io.rdma.netty;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.types.QueuePairCapacity;
import io.rdma.verbs.QueuePairType;

/**
 * Options of channels over RDMA that no other channel has.
 *
 * @param <T> type of the value
 */
public final class RdmaChannelOption<T> extends ChannelOption<T> {
    /**
     * Options of a connection, such as its buffers, time-outs and TLS of the exchange. Of a client's channel before it
     * connects ({@code Bootstrap.option}), and of a server's channel before it binds ({@code ServerBootstrap.option}).
     * The connections that a server accepts have the server's, so {@code ServerBootstrap.childOption} is refused.
     * {@link #DEFAULT_CONNECTION_OPTIONS} unless set. A byte stream needs credits and every message, so
     * {@link FlowControl#PLAIN} and {@link QueuePairType#UC} are refused, and a peer that does not count credits is.
     */
    public static final ChannelOption<ConnectionOptions> CONNECTION_OPTIONS =
            valueOf(RdmaChannelOption.class, "CONNECTION_OPTIONS");

    /**
     * Limits of the clients that a server's channel admits, before it binds ({@code ServerBootstrap.option}). Refused
     * on a connection. {@link AdmissionLimits#DEFAULT} unless set.
     */
    public static final ChannelOption<AdmissionLimits> ADMISSION_LIMITS =
            valueOf(RdmaChannelOption.class, "ADMISSION_LIMITS");

    /**
     * Options of a connection unless others are set: {@link ConnectionOptions#DEFAULT}, and messages that are gathered
     * from up to 8 pieces of memory.
     */
    public static final ConnectionOptions DEFAULT_CONNECTION_OPTIONS =
            ConnectionOptions.DEFAULT.withQueuePair(QueuePairCapacity.DEFAULT.withMaxSendSge(9));

    /** Returns options of a connection, if a byte stream can have them. */
    static ConnectionOptions checked(ConnectionOptions options) {
        if (options.flowControl() == FlowControl.PLAIN) {
            throw new ChannelException("CONNECTION_OPTIONS cannot have FlowControl.PLAIN: without credits a peer that"
                    + " does not read would end the connection. Leave FlowControl.CREDITS, on both sides");
        }
        if (options.queuePairType() != QueuePairType.RC) {
            throw new ChannelException("CONNECTION_OPTIONS cannot have QueuePairType." + options.queuePairType()
                    + ": a byte stream may lose no message. Leave QueuePairType.RC, on both sides");
        }
        return options;
    }

    /**
     * Returns the refusal of an option that would have no effect.
     *
     * @param where place or time at which it was set
     * @param instead place or time at which it has an effect
     * @param method of Netty that sets it there
     */
    static ChannelException misplaced(ChannelOption<?> option, String where, String instead, String method) {
        return new ChannelException(
                option.name() + " cannot be set " + where + ": set it " + instead + ", by " + method);
    }

    @SuppressWarnings("deprecation") // the constructor for options of other transports
    private RdmaChannelOption() {
        super(null);
    }
}
