package io.rdma.samples.simulation.network;

import io.rdma.environment.Network;
import io.rdma.internal.soft.link.GroupSocket;
import io.rdma.internal.soft.link.LinkSocket;
import io.rdma.internal.soft.link.LinkSockets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Network of a simulated host with one address. */
public final class HostNetwork implements Network, LinkSockets {
    private static final int MTU = 1500;

    private final Wire wire;
    private final InetAddress address;
    private final List<TcpSocketImpl> sockets = new ArrayList<>();

    public HostNetwork(Wire wire, InetAddress address) {
        this.wire = wire;
        this.address = address;
    }

    /** Client's socket, and the socket of an accepted connection. */
    private static final class SimulatedSocket extends Socket {
        SimulatedSocket(TcpSocketImpl implementation) throws SocketException {
            super(implementation);
        }
    }

    private final class Listening extends ServerSocket {
        Listening(TcpSocketImpl implementation) {
            super(implementation);
        }

        @Override
        public Socket accept() throws IOException {
            if (isClosed()) {
                throw new SocketException("Socket is closed");
            }
            Socket socket = socket();
            implAccept(socket);
            return socket;
        }
    }

    /**
     * Ends all sockets.
     *
     * @param goodbye whether the kernel is left to close the TCP connections
     */
    public void kill(boolean goodbye) {
        wire.unbindAll(address);
        for (TcpSocketImpl socket : sockets) {
            if (goodbye) {
                socket.close();
            } else {
                socket.vanish();
            }
        }
    }

    /** Returns the sockets that are open. */
    public List<String> open() {
        Stream<String> tcp = sockets.stream().filter(TcpSocketImpl::isOpen).map(TcpSocketImpl::toString);
        Stream<String> udp = wire.bound(address).map(at -> "UDP socket of " + at);
        Stream<String> groups = wire.joined(address).map(at -> "UDP socket of the group " + at);
        return Stream.of(tcp, udp, groups).flatMap(each -> each).toList();
    }

    private TcpSocketImpl made() {
        return new TcpSocketImpl(wire, address, sockets::add);
    }

    @Override
    public Socket socket() {
        try {
            return new SimulatedSocket(made());
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ServerSocket serverSocket() {
        return new Listening(made());
    }

    @Override
    public boolean has(InetAddress of) {
        return of.equals(address);
    }

    @Override
    public int mtu(InetAddress of) {
        return MTU;
    }

    @Override
    public InetAddress sourceFor(InetSocketAddress destination) {
        return address;
    }

    @Override
    public LinkSocket open(InetSocketAddress at) throws IOException {
        return new Datagrams(wire, at.getAddress(), at.getPort());
    }

    @Override
    public GroupSocket openGroup(InetSocketAddress group, InetAddress local) throws IOException {
        if (!has(local)) {
            throw new IOException("no network interface has the address " + local.getHostAddress());
        }
        return new GroupDatagrams(wire, group, address);
    }
}
