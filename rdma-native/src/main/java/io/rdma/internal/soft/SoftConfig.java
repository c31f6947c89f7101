package io.rdma.internal.soft;

import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Where a software device listens, and what its link does to packets.
 *
 * @param address local address
 * @param port UDP port, 0 for a free one
 * @param faults of its link
 */
record SoftConfig(InetAddress address, int port, SoftFaults faults) {
    /** System property: the IP address to listen on, at UDP port 4791. */
    static final String ADDRESS_PROPERTY = "io.rdma.soft.address";

    static SoftConfig fromProperties() {
        String address = System.getProperty(ADDRESS_PROPERTY, "");
        if (address.isBlank()) {
            return loopback();
        }
        try {
            return new SoftConfig(InetAddress.getByName(address.strip()), SoftAddress.ROCE_PORT, SoftFaults.NONE);
        } catch (UnknownHostException e) {
            throw new VerbsException(
                    "soft0",
                    Errno.EADDRNOTAVAIL,
                    "Set -D" + ADDRESS_PROPERTY + " to an IP address of this host, not " + address);
        }
    }

    static SoftConfig loopback() {
        try {
            return new SoftConfig(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0, SoftFaults.NONE);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    SoftConfig withFaults(SoftFaults newFaults) {
        return new SoftConfig(address, port, newFaults);
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(address, port);
    }
}
