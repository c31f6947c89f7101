package io.rdma.internal.soft.link;

import io.rdma.internal.soft.wire.UdpAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;

/** Socket on Java's datagram channel, for every platform. Each datagram costs a system call and an address object. */
public final class ChannelSocket implements LinkSocket {
    private static final int SOCKET_BUFFER = 4 << 20;
    private static final int OUT = 0;
    private static final int IN = MAX_DATAGRAM;

    private final DatagramChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final InetSocketAddress local;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(2 * MAX_DATAGRAM);
    private int trafficClass; // of the next datagrams
    private long lost;

    /**
     * Binds a socket.
     *
     * @throws BindException if the address is in use
     * @throws IOException if there is no such address
     */
    public ChannelSocket(InetSocketAddress address) throws IOException {
        selector = Selector.open();
        DatagramChannel opened = null;
        try {
            opened = DatagramChannel.open();
            opened.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            opened.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER);
            if (opened.supportedOptions().contains(jdk.net.ExtendedSocketOptions.IP_DONTFRAGMENT)) {
                opened.setOption(jdk.net.ExtendedSocketOptions.IP_DONTFRAGMENT, true);
            }
            opened.bind(address);
            opened.configureBlocking(false);
            key = opened.register(selector, SelectionKey.OP_READ);
            channel = opened;
            local = (InetSocketAddress) opened.getLocalAddress();
        } catch (IOException e) {
            closeQuietly(opened);
            closeQuietly(selector);
            throw e;
        }
    }

    private static void closeQuietly(@Nullable AutoCloseable closeable) {
        if (closeable != null) {
            try {
                closeable.close();
            } catch (Exception e) {
                System.getLogger(ChannelSocket.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
            }
        }
    }

    @Override
    public InetSocketAddress local() {
        return local;
    }

    @Override
    public ByteBuffer memory() {
        return memory;
    }

    @Override
    public int frame() {
        return OUT;
    }

    @Override
    public void send(int length, UdpAddress to) {
        memory.limit(OUT + length).position(OUT);
        if (to.trafficClass != trafficClass) {
            trafficClass = to.trafficClass;
            setTrafficClass();
        }
        try {
            if (channel.send(memory, address(to)) == 0) {
                lost++; // full socket buffer: a NAK or the timer causes a retry
            }
        } catch (IOException e) {
            lost++;
        }
    }

    /** Sets the traffic class. Packets go out without it if that fails. */
    private void setTrafficClass() {
        try {
            channel.setOption(StandardSocketOptions.IP_TOS, trafficClass);
        } catch (IOException | UnsupportedOperationException e) {
            System.getLogger(ChannelSocket.class.getName())
                    .log(System.Logger.Level.DEBUG, "the traffic class was not set", e);
        }
    }

    private static InetSocketAddress address(UdpAddress to) {
        ByteBuffer ip = to.ipv6
                ? ByteBuffer.allocate(16).putLong(to.high).putLong(to.low)
                : ByteBuffer.allocate(4).putInt((int) to.low);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(ip.array()), to.port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // thrown only for other lengths
        }
    }

    @Override
    public void flush() {
        // send() queues nothing.
    }

    @Override
    public int receive(UdpAddress from) {
        memory.limit(memory.capacity()).position(IN);
        InetSocketAddress source;
        try {
            source = (InetSocketAddress) channel.receive(memory);
        } catch (IOException e) {
            return -1; // ICMP error of an earlier send; the socket remains usable
        }
        if (source == null) {
            return -1;
        }
        from.set(source);
        return memory.position() - IN;
    }

    @Override
    public int received() {
        return IN;
    }

    @Override
    public boolean hasHeaders() {
        return false; // Java has such options for multicast only
    }

    @Override
    public long lost() {
        return lost;
    }

    @Override
    public int receiveBuffer() {
        try {
            return channel.getOption(StandardSocketOptions.SO_RCVBUF);
        } catch (IOException e) {
            return SOCKET_BUFFER;
        }
    }

    @Override
    public void await(long nanos, boolean forPackets) {
        try {
            key.interestOps(forPackets ? SelectionKey.OP_READ : 0);
            if (nanos < 0) {
                selector.select();
            } else {
                selector.select(Math.max(1, (nanos + 999_999) / 1_000_000));
            }
            selector.selectedKeys().clear();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void wake() {
        selector.wakeup();
    }

    @Override
    public void close() {
        closeQuietly(channel);
        closeQuietly(selector);
    }
}
