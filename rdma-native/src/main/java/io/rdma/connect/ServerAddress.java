package io.rdma.connect;

import java.net.InetSocketAddress;

/**
 * Address of one server among several, with its share of the connections; immutable.
 *
 * @param address host and port. An unresolved address is looked up anew for each connection
 * @param weight share of the connections in relation to the other servers, 1 to 100
 */
public record ServerAddress(InetSocketAddress address, int weight) {
    /** Largest weight. */
    public static final int MAX_WEIGHT = 100;

    /** Checks the ranges. */
    public ServerAddress {
        if (weight < 1 || weight > MAX_WEIGHT) {
            throw new IllegalArgumentException("the weight of " + address + " must be from 1 to " + MAX_WEIGHT + ": "
                    + weight + "; leave a server out of the list to give it no connections");
        }
        if (address.getPort() == 0) {
            throw new IllegalArgumentException("the address of a server needs a port: " + address);
        }
    }

    /**
     * Returns the address of a server with the weight 1. The host is looked up anew for each connection.
     *
     * @param host name or address
     * @param port port of the server, from 1
     * @return the address
     */
    public static ServerAddress of(String host, int port) {
        return new ServerAddress(InetSocketAddress.createUnresolved(host, port), 1);
    }

    /**
     * Returns a copy with another weight.
     *
     * @param newWeight see the record
     * @return a copy
     */
    public ServerAddress withWeight(int newWeight) {
        return new ServerAddress(address, newWeight);
    }
}
