package io.rdma.samples.simulation.network;

import java.net.InetAddress;
import java.net.SocketException;
import java.net.SocketOptions;

/** Values of the options of simulated TCP sockets. Setting them changes nothing. */
final class TcpOptions {
    private static final int BUFFER = 65536;

    private TcpOptions() {}

    static Object get(int option, InetAddress host) throws SocketException {
        return switch (option) {
            case SocketOptions.SO_BINDADDR -> host;
            case SocketOptions.TCP_NODELAY, SocketOptions.SO_KEEPALIVE, SocketOptions.SO_REUSEADDR -> true;
            case SocketOptions.SO_LINGER -> -1;
            case SocketOptions.SO_RCVBUF, SocketOptions.SO_SNDBUF -> BUFFER;
            default -> throw new SocketException("Option " + option + " is not simulated");
        };
    }
}
