package io.rdma.environment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;

/** Network of this host. */
final class SystemNetwork implements Network {
    private static final int ETHERNET_MTU = 1500;

    @Override
    public Socket socket() {
        return new Socket();
    }

    @Override
    public ServerSocket serverSocket() throws IOException {
        return new ServerSocket();
    }

    @Override
    public boolean has(InetAddress address) throws SocketException {
        return NetworkInterface.getByInetAddress(address) != null;
    }

    @Override
    public int mtu(InetAddress address) {
        try {
            NetworkInterface of = NetworkInterface.getByInetAddress(address);
            return of == null ? ETHERNET_MTU : of.getMTU();
        } catch (SocketException e) {
            return ETHERNET_MTU; // the interface is gone or cannot be queried
        }
    }

    @Override
    public InetAddress sourceFor(InetSocketAddress destination) throws IOException {
        try (DatagramSocket probe = new DatagramSocket()) {
            probe.connect(destination);
            return probe.getLocalAddress();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
