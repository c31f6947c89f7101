package io.rdma.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import io.rdma.connect.ConnectionOptions;
import java.util.Map;

/**
 * Options of a {@link RdmaSocketChannel}: those of every channel, {@code SO_LINGER}, {@code ALLOW_HALF_CLOSURE} and, of
 * a client before it connects, {@link RdmaChannelOption#CONNECTION_OPTIONS}. A connection that a server has accepted
 * has the server's. {@code TCP_NODELAY}, {@code SO_KEEPALIVE} and {@code SO_REUSEADDR} can be set to true, which is how
 * a connection works in any case. Others are refused.
 */
public final class RdmaSocketChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {
    private volatile ConnectionOptions connectionOptions;
    private boolean connectionOptionsUsed; // (this)
    private volatile boolean allocatorChosen;
    private volatile boolean allowHalfClosure;
    private volatile int soLinger = -1;

    RdmaSocketChannelConfig(RdmaSocketChannel channel) {
        super(channel);
        RdmaServerSocketChannel server = channel.parent();
        connectionOptions = server == null
                ? RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS
                : server.config().connectionOptions();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                ChannelOption.SO_LINGER,
                ChannelOption.ALLOW_HALF_CLOSURE,
                ChannelOption.TCP_NODELAY,
                ChannelOption.SO_KEEPALIVE,
                ChannelOption.SO_REUSEADDR,
                RdmaChannelOption.CONNECTION_OPTIONS);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.SO_LINGER) {
            return (T) Integer.valueOf(getSoLinger());
        }
        if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            return (T) Boolean.valueOf(isAllowHalfClosure());
        }
        if (isAlwaysOn(option)) {
            return (T) Boolean.TRUE;
        }
        if (option == RdmaChannelOption.CONNECTION_OPTIONS) {
            return (T) connectionOptions;
        }
        return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        if (isAlwaysOn(option)) {
            validate(option, value);
            return true;
        }
        if (option == ChannelOption.SO_LINGER) {
            validate(option, value);
            setSoLinger((Integer) value);
        } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            validate(option, value);
            setAllowHalfClosure((Boolean) value);
        } else if (option == RdmaChannelOption.CONNECTION_OPTIONS) {
            validate(option, value);
            setConnectionOptions((ConnectionOptions) value);
        } else if (option == RdmaChannelOption.ADMISSION_LIMITS) {
            throw RdmaChannelOption.misplaced(option, "on a connection", "on its server", "ServerBootstrap.option(..)");
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    private static boolean isAlwaysOn(ChannelOption<?> option) {
        return option == ChannelOption.TCP_NODELAY
                || option == ChannelOption.SO_KEEPALIVE
                || option == ChannelOption.SO_REUSEADDR;
    }

    private synchronized void setConnectionOptions(ConnectionOptions options) {
        if (channel.parent() != null) {
            throw RdmaChannelOption.misplaced(
                    RdmaChannelOption.CONNECTION_OPTIONS,
                    "on an accepted connection, which was made with those of its server",
                    "on the server",
                    "ServerBootstrap.option(..) instead of childOption(..)");
        }
        if (connectionOptionsUsed) {
            throw RdmaChannelOption.misplaced(
                    RdmaChannelOption.CONNECTION_OPTIONS,
                    "on a channel that is connected or connecting",
                    "before it connects",
                    "Bootstrap.option(..)");
        }
        connectionOptions = RdmaChannelOption.checked(options);
    }

    /** Returns the options of the connection that is to be made. Others are refused from now on. */
    synchronized ConnectionOptions useConnectionOptions() {
        connectionOptionsUsed = true;
        return connectionOptions;
    }

    @Override
    public boolean isTcpNoDelay() {
        return true;
    }

    @Override
    public SocketChannelConfig setTcpNoDelay(boolean tcpNoDelay) {
        return this;
    }

    /**
     * Returns the time for which a close waits until the peer has what was accepted.
     *
     * @return seconds; 0 if a close resets the connection; -1 for the drain time-out of the connection options
     */
    @Override
    public int getSoLinger() {
        return soLinger;
    }

    @Override
    public SocketChannelConfig setSoLinger(int soLinger) {
        this.soLinger = Math.max(-1, soLinger);
        return this;
    }

    @Override
    public int getSendBufferSize() {
        return bytes(connectionOptions.sendBuffers(), connectionOptions.sendBufferSize());
    }

    @Override
    public SocketChannelConfig setSendBufferSize(int sendBufferSize) {
        throw refused("SO_SNDBUF", "withSendBuffers");
    }

    @Override
    public int getReceiveBufferSize() {
        return receiveBytes(connectionOptions);
    }

    /** Returns the bytes of all receive buffers of a connection. */
    static int receiveBytes(ConnectionOptions options) {
        return bytes(options.receiveBuffers(), options.receiveBufferSize());
    }

    private static int bytes(long buffers, int size) {
        return (int) Math.min(Integer.MAX_VALUE, buffers * size);
    }

    @Override
    public SocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        throw refused("SO_RCVBUF", "withReceiveBuffers");
    }

    static ChannelException refused(String option, String instead) {
        return new ChannelException(option + " cannot be set over RDMA: use RdmaChannelOption.CONNECTION_OPTIONS with"
                + " ConnectionOptions." + instead);
    }

    @Override
    public boolean isKeepAlive() {
        return true;
    }

    @Override
    public SocketChannelConfig setKeepAlive(boolean keepAlive) {
        return this;
    }

    @Override
    public int getTrafficClass() {
        return 0;
    }

    @Override
    public SocketChannelConfig setTrafficClass(int trafficClass) {
        throw new ChannelException("IP_TOS cannot be set over RDMA");
    }

    @Override
    public boolean isReuseAddress() {
        return true;
    }

    @Override
    public SocketChannelConfig setReuseAddress(boolean reuseAddress) {
        return this;
    }

    @Override
    public SocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this; // as sockets do, which take it as a hint
    }

    @Override
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public SocketChannelConfig setAllowHalfClosure(boolean allowHalfClosure) {
        this.allowHalfClosure = allowHalfClosure;
        return this;
    }

    @Override
    public SocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public SocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public SocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public SocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        allocatorChosen = true;
        super.setAllocator(allocator);
        return this;
    }

    /** Takes the allocator of the event loop, unless the application has chosen one. */
    void defaultAllocator(ByteBufAllocator allocator) {
        if (!allocatorChosen) {
            super.setAllocator(allocator);
        }
    }

    @Override
    public SocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public SocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    protected void autoReadCleared() {
        ((RdmaSocketChannel) channel).clearReadPending();
    }

    @Override
    public SocketChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    public SocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public SocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }
}
