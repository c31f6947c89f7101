package io.rdma.internal.connect;

import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.engine.DeviceResources;
import java.net.InetAddress;

/**
 * Ways by which a connection of a device may be made, at least one.
 *
 * @param manager whether by the connection manager
 * @param exchange whether by the exchange over TCP
 */
record ConnectWays(boolean manager, boolean exchange) {
    /**
     * Returns the ways that options, device and address allow. AUTOMATIC does not use the connection manager for the
     * software device, nor for loopback addresses, which belong to no RDMA device, nor where the options ask for what
     * the connection manager decides by itself.
     *
     * @throws RdmaConnectException DEVICE if the options ask for the exchange, and the device is iWARP's. Such a device
     *     runs over TCP connections of its own, which only its connection manager makes, RFC 5044; and it takes the
     *     port number on which the exchange would listen
     */
    static ConnectWays of(DeviceResources resources, ConnectionOptions options, InetAddress address) {
        TransportWish.requirePossible(resources, options);
        AlternateWish.requireMigration(resources.context(), options);
        ConnectMethod method = options.connectMethod();
        if (resources.context().isIwarp()) {
            if (method == ConnectMethod.TCP) {
                throw impossible(resources, "choose ConnectMethod.AUTOMATIC or RDMA_CM");
            }
            if (options.tls() != null) {
                throw impossible(
                        resources, "TLS is part of that exchange: leave it out, or protect the network (IPsec)");
            }
            return new ConnectWays(true, false);
        }
        boolean manager = switch (method) {
            case RDMA_CM -> true;
            case TCP -> false;
            case AUTOMATIC ->
                !resources.context().isSoftware()
                        && !address.isLoopbackAddress()
                        && !PathWishes.needExchange(options.path())
                        && TransportWish.isReliable(options);
        };
        if (manager) {
            AlternateWish.requireNone(resources.context(), options);
        }
        return new ConnectWays(manager, method != ConnectMethod.RDMA_CM || options.tls() != null);
    }

    private static RdmaConnectException impossible(DeviceResources resources, String remedy) {
        return new RdmaConnectException(
                Reason.DEVICE,
                "the device " + resources.context().name()
                        + " is iWARP's: RDMA CM alone makes its connections, no exchange over TCP; " + remedy,
                null);
    }
}
