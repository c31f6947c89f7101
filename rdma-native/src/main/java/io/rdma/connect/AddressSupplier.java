package io.rdma.connect;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * Source of the addresses of all servers that a pool may connect to. The pool asks it again after
 * {@link PoolOptions#addressRefresh}, so the list may change. A discovery that notifies instead of being asked keeps
 * its newest list in a variable, which the supplier returns.
 */
@FunctionalInterface
public interface AddressSupplier {
    /** Name service that returns all addresses of a host name. */
    @FunctionalInterface
    interface Resolver {
        /**
         * Looks a name up.
         *
         * @param host name or address
         * @return all addresses
         * @throws UnknownHostException if the name has none
         */
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    /**
     * Returns the servers. One thread at a time calls this, and it may block.
     *
     * @return the present list; if it is empty, no connection can be made. Of several entries with the same address,
     *     the last one counts
     * @throws IOException if the servers cannot be determined now; the pool then keeps the list that it has
     */
    List<ServerAddress> addresses() throws IOException;

    /**
     * Returns a list of servers that does not change.
     *
     * @param servers at least one
     * @return the supplier
     */
    static AddressSupplier of(ServerAddress... servers) {
        List<ServerAddress> all = List.of(servers);
        return () -> all;
    }

    /**
     * Returns all addresses (A and AAAA) that the host's name service has for a name, such as a headless Service of
     * Kubernetes. Java caches look-ups for the security property {@code networkaddress.cache.ttl}, 30 s by default.
     *
     * @param host name
     * @param port port of all servers
     * @return the supplier; all weights are 1
     */
    static AddressSupplier dns(String host, int port) {
        return dns(host, port, InetAddress::getAllByName);
    }

    /**
     * Returns all addresses that a name service has for a name.
     *
     * @param host name
     * @param port port of all servers
     * @param resolver name service
     * @return the supplier; all weights are 1
     */
    static AddressSupplier dns(String host, int port, Resolver resolver) {
        ServerAddress.of(host, port); // checks the port now rather than at the first look-up
        return () -> Arrays.stream(resolver.addresses(host))
                .map(address -> new ServerAddress(new InetSocketAddress(address, port), 1))
                .toList();
    }
}
