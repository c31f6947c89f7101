package io.rdma.internal.soft.link;

import static io.rdma.internal.os.LinuxSockets.*;

import io.rdma.internal.os.LinuxSockets;
import io.rdma.internal.os.Pages;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.types.HugePages;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

// Invariants
// - memory() holds the frames to send, packed one after the other, then a large buffer for each received message.
// - The kernel may coalesce datagrams of one sender and size (UDP_GRO). receive() returns them one by one.

/**
 * A UDP socket of Linux with {@code recvmmsg(2)}, {@code sendmmsg(2)} and the kernel's segmentation offloads,
 * {@code udp(7)}.
 */
final class NativeSocket implements LinkSocket {
    private static final int BUFFER = 64 << 20;
    private static final int FRAMES = 64;
    private static final int RECEIVES = 16;
    private static final int RECEIVE_BYTES = 1 << 16;
    private static final int OUT_BYTES = FRAMES * MAX_DATAGRAM;
    private static final int POLLFD = 8;
    private static final int PMTUDISC_DO = 2;
    private static final int EADDRINUSE = 98;

    private final Arena arena = Arena.ofAuto();
    private final int fd;
    private final int eventFd;
    private final InetSocketAddress local;
    private final ByteBuffer memory;
    private final long base;
    private final MessageBatch out;
    private final MessageBatch in;
    private final long fds;
    private final int receiveBuffer;
    private final boolean headers;
    private int frame;
    private int arrived; // messages of the last call
    private int taken; // how many of those were begun; the last of them is being read
    private int at;
    private int left; // bytes left in that message
    private int segment;
    private long lost;

    /**
     * Binds a socket.
     *
     * @throws BindException if the address is in use
     * @throws IOException if there is no such address, or no socket
     */
    NativeSocket(InetSocketAddress address) throws IOException {
        this(address, false);
    }

    /**
     * Binds a socket.
     *
     * @param beside whether another socket, which is {@linkplain #share shared}, listens at the address
     */
    NativeSocket(InetSocketAddress address, boolean beside) throws IOException {
        boolean ipv6 = address.getAddress() instanceof Inet6Address;
        fd = check("socket", socket(ipv6 ? AF_INET6 : AF_INET));
        int event = -1;
        try {
            event = check("eventfd", eventfd());
            if (beside) {
                check("SO_REUSEPORT", setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, 1));
            }
            setBuffer(SO_RCVBUFFORCE, SO_RCVBUF);
            setBuffer(SO_SNDBUFFORCE, SO_SNDBUF);
            setsockopt(fd, ipv6 ? SOL_IPV6 : SOL_IP, ipv6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER, PMTUDISC_DO);
            boolean set =
                    setsockopt(fd, ipv6 ? SOL_IPV6 : SOL_IP, ipv6 ? IPV6_UNICAST_HOPS : IP_TTL, UdpAddress.HOP_LIMIT)
                            >= 0;
            if (ipv6) { // rdma_rxe sends no checksum
                setsockopt(fd, SOL_UDP, UDP_NO_CHECK6_RX, 1);
                set &= setsockopt(fd, SOL_IPV6, IPV6_FLOWINFO_SEND, 1) >= 0;
            }
            headers = set;
            setsockopt(fd, SOL_UDP, UDP_GRO, 1); // since Linux 5.0; without it datagrams arrive one by one
            MemorySegment buffers = Pages.allocate(arena, OUT_BYTES + (long) RECEIVES * RECEIVE_BYTES, HugePages.NONE);
            memory = buffers.asByteBuffer();
            base = buffers.address();
            int scope = ipv6 ? ((Inet6Address) address.getAddress()).getScopeId() : 0;
            out = new MessageBatch(arena, FRAMES, scope);
            in = new MessageBatch(arena, RECEIVES, scope);
            for (int i = 0; i < RECEIVES; i++) {
                in.buffer(i, base + OUT_BYTES + (long) i * RECEIVE_BYTES, RECEIVE_BYTES);
            }
            fds = LinuxSockets.allocate(arena, 2 * POLLFD);
            local = bind(address);
            receiveBuffer = getsockopt(fd, SOL_SOCKET, SO_RCVBUF);
        } catch (IOException | RuntimeException e) {
            LinuxSockets.close(fd);
            if (event >= 0) {
                LinuxSockets.close(event);
            }
            throw e;
        }
        eventFd = event;
        PollFds.watch(fds, fd, POLLIN);
        PollFds.watch(fds + POLLFD, eventFd, POLLIN);
    }

    /**
     * Lets other sockets of this user bind to the same address from now on. The kernel gives each sender's datagrams to
     * one of them. Called only after the bind, so that the bind fails if another socket has the address.
     */
    void share() throws IOException {
        check("SO_REUSEPORT", setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, 1));
    }

    private InetSocketAddress bind(InetSocketAddress address) throws IOException {
        UdpAddress wanted = new UdpAddress(address);
        out.address(0, wanted);
        int result = LinuxSockets.bind(fd, out.addressOf(0), MessageBatch.addressBytes(wanted));
        if (result == -EADDRINUSE) {
            throw new BindException("Address already in use");
        }
        check("bind", result);
        check("getsockname", out.localName(fd));
        UdpAddress bound = new UdpAddress();
        out.addressInto(0, bound);
        InetAddress ip = address.getAddress();
        return new InetSocketAddress(ip, bound.port);
    }

    private static int check(String call, int result) throws IOException {
        if (result < 0) {
            throw new IOException(call + ": " + LinuxSockets.error(result));
        }
        return result;
    }

    /** Sets a buffer as large as allowed. The first option is for processes that may exceed net.core.rmem_max. */
    private void setBuffer(int forced, int option) {
        if (setsockopt(fd, SOL_SOCKET, forced, BUFFER) < 0) {
            setsockopt(fd, SOL_SOCKET, option, BUFFER);
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
        return frame;
    }

    @Override
    public void send(int length, UdpAddress to) {
        out.add(base + frame, length, to);
        frame += length;
        if (out.full() || frame > OUT_BYTES - MAX_DATAGRAM) {
            flush();
        }
    }

    @Override
    public void flush() {
        int sent = 0;
        int count = out.size();
        boolean waited = false;
        while (sent < count) {
            int result = out.sendFrom(fd, sent);
            if (result > 0) {
                sent += result;
            } else if (result == -EAGAIN && !waited) {
                waited = true; // the interface's queue is full: wait once, then leave it to the transport's retry
                PollFds.watch(fds, fd, POLLOUT);
                ppoll(fds, 1, 1_000_000);
                PollFds.watch(fds, fd, POLLIN);
            } else if (result != -EINTR) {
                lost += out.datagrams(sent);
                sent++;
            }
        }
        out.clear();
        frame = 0;
    }

    /** Returns the address of {@link #memory}. */
    long base() {
        return base;
    }

    @Override
    public int receive(UdpAddress from) {
        return left > 0 || next(true) ? datagram(from) : -1;
    }

    /** Receives like {@link #receive}, but without a system call, so that datagrams of the last one stay in memory. */
    int receiveBeside(UdpAddress from) {
        return left > 0 || next(false) ? datagram(from) : -1;
    }

    private int datagram(UdpAddress from) {
        in.addressInto(taken - 1, from);
        int length = Math.min(segment, left);
        at += segment;
        left -= length;
        return length;
    }

    /** Moves to the next message that is not empty. */
    private boolean next(boolean call) {
        do {
            if (taken == arrived) {
                boolean all = arrived > 0 && arrived < RECEIVES;
                if (!call) {
                    return false;
                }
                taken = 0;
                if (all) { // the socket is empty: another call would cost as much as one with a packet
                    arrived = 0;
                    return false;
                }
                arrived = Math.max(0, in.receive(fd));
                if (arrived == 0) {
                    return false;
                }
            }
            left = in.length(taken);
            int glued = in.segment(taken);
            segment = glued == 0 ? left : glued;
            at = OUT_BYTES + taken * RECEIVE_BYTES - segment;
            taken++;
        } while (left == 0);
        return true;
    }

    @Override
    public int received() {
        return at;
    }

    @Override
    public boolean hasHeaders() {
        return headers;
    }

    @Override
    public long lost() {
        return lost;
    }

    @Override
    public int receiveBuffer() {
        return receiveBuffer;
    }

    @Override
    public void await(long nanos, boolean forPackets) {
        long first = forPackets ? fds : fds + POLLFD;
        int count = forPackets ? 2 : 1;
        if (forPackets && (left > 0 || taken < arrived)) {
            return;
        }
        if (ppoll(first, count, nanos) > 0 && PollFds.ready(fds + POLLFD)) {
            drain(eventFd);
        }
    }

    @Override
    public void wake() {
        signal(eventFd);
    }

    @Override
    public void close() {
        LinuxSockets.close(fd);
        LinuxSockets.close(eventFd);
    }
}
