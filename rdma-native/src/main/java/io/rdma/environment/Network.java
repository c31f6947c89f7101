package io.rdma.environment;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;

/** TCP sockets and addresses of a host. The exchange and the software device's connection manager use them. */
public interface Network {
    /**
     * Returns a new socket.
     *
     * @return not connected
     */
    Socket socket();

    /**
     * Returns a new server socket.
     *
     * @return not bound
     * @throws IOException if the host has no sockets left
     */
    ServerSocket serverSocket() throws IOException;

    /**
     * Returns whether an interface of this host has an address.
     *
     * @param address not a wildcard or multicast address
     * @return false also if no interface can be queried by that address
     * @throws SocketException if the interfaces cannot be queried
     */
    boolean has(InetAddress address) throws SocketException;

    /**
     * Returns the MTU of the interface that has an address.
     *
     * @param address of this host
     * @return bytes, with the IP header; 1500 if no interface has the address
     */
    int mtu(InetAddress address);

    /**
     * Returns the source address of packets to a destination.
     *
     * @param destination address and port
     * @return an address of this host
     * @throws IOException if there is no route
     */
    InetAddress sourceFor(InetSocketAddress destination) throws IOException;
}
