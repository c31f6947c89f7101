package io.rdma.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import java.util.Map;

/**
 * Options of a {@link RdmaServerSocketChannel}: those of every channel, {@code SO_BACKLOG}, which is the number of
 * clients that may be connecting at the same time, {@link RdmaChannelOption#CONNECTION_OPTIONS} and
 * {@link RdmaChannelOption#ADMISSION_LIMITS}. The last three have to be set before the channel binds.
 * {@code SO_REUSEADDR} can be set to true, which is how a server works in any case. Others are refused.
 */
public final class RdmaServerSocketChannelConfig extends DefaultChannelConfig implements ServerSocketChannelConfig {
    private volatile ConnectionOptions connectionOptions = RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS;
    private volatile AdmissionLimits admissionLimits = AdmissionLimits.DEFAULT;
    private boolean bound; // (this)

    RdmaServerSocketChannelConfig(RdmaServerSocketChannel channel) {
        super(channel);
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                ChannelOption.SO_BACKLOG,
                ChannelOption.SO_REUSEADDR,
                RdmaChannelOption.CONNECTION_OPTIONS,
                RdmaChannelOption.ADMISSION_LIMITS);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.SO_BACKLOG) {
            return (T) Integer.valueOf(getBacklog());
        }
        if (option == ChannelOption.SO_REUSEADDR) {
            return (T) Boolean.TRUE;
        }
        if (option == RdmaChannelOption.CONNECTION_OPTIONS) {
            return (T) connectionOptions;
        }
        if (option == RdmaChannelOption.ADMISSION_LIMITS) {
            return (T) admissionLimits;
        }
        return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        if (option == ChannelOption.SO_BACKLOG) {
            validate(option, value);
            setBacklog((Integer) value);
        } else if (option == ChannelOption.SO_REUSEADDR) {
            validate(option, value);
            setReuseAddress((Boolean) value);
        } else if (option == RdmaChannelOption.CONNECTION_OPTIONS) {
            validate(option, value);
            setConnectionOptions((ConnectionOptions) value);
        } else if (option == RdmaChannelOption.ADMISSION_LIMITS) {
            validate(option, value);
            setAdmissionLimits((AdmissionLimits) value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    private synchronized void setConnectionOptions(ConnectionOptions options) {
        requireUnbound(RdmaChannelOption.CONNECTION_OPTIONS);
        connectionOptions = RdmaChannelOption.checked(options);
    }

    private synchronized void setAdmissionLimits(AdmissionLimits limits) {
        requireUnbound(RdmaChannelOption.ADMISSION_LIMITS);
        admissionLimits = limits;
    }

    private void requireUnbound(ChannelOption<?> option) {
        if (bound) {
            throw RdmaChannelOption.misplaced(
                    option, "on a server that is bound", "before it binds", "ServerBootstrap.option(..)");
        }
    }

    /** Refuses from now on the options that a listener has been bound with; or no more, because it was not bound. */
    synchronized void setBound(boolean bound) {
        this.bound = bound;
    }

    /** Returns the options of each connection. */
    ConnectionOptions connectionOptions() {
        return connectionOptions;
    }

    /** Returns the limits of the clients. */
    AdmissionLimits admissionLimits() {
        return admissionLimits;
    }

    /**
     * Returns the number of clients that may be connecting at the same time.
     *
     * @return at least 1
     */
    @Override
    public int getBacklog() {
        return admissionLimits.handshakes();
    }

    @Override
    public synchronized ServerSocketChannelConfig setBacklog(int backlog) {
        requireUnbound(ChannelOption.SO_BACKLOG);
        if (backlog < 0) {
            throw new IllegalArgumentException("SO_BACKLOG must not be negative: " + backlog);
        }
        admissionLimits = admissionLimits.withHandshakes(Math.max(1, backlog));
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return true;
    }

    @Override
    public ServerSocketChannelConfig setReuseAddress(boolean reuseAddress) {
        if (!reuseAddress) {
            throw new ChannelException("SO_REUSEADDR cannot be switched off: a server that listens for RDMA always"
                    + " takes a port over from one that has ended");
        }
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return RdmaSocketChannelConfig.receiveBytes(connectionOptions);
    }

    @Override
    public ServerSocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        throw RdmaSocketChannelConfig.refused("SO_RCVBUF", "withReceiveBuffers");
    }

    @Override
    public ServerSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this; // as sockets do, which take it as a hint
    }

    @Override
    public ServerSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public ServerSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    protected void autoReadCleared() {
        ((RdmaServerSocketChannel) channel).clearReadPending();
    }

    @Override
    public ServerSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    @Deprecated
    public ServerSocketChannelConfig setWriteBufferHighWaterMark(int writeBufferHighWaterMark) {
        super.setWriteBufferHighWaterMark(writeBufferHighWaterMark);
        return this;
    }

    @Override
    @Deprecated
    public ServerSocketChannelConfig setWriteBufferLowWaterMark(int writeBufferLowWaterMark) {
        super.setWriteBufferLowWaterMark(writeBufferLowWaterMark);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }
}
