package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.environment.Network;
import io.rdma.types.Gid;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;

// On Ethernet a GID is an IP address, to which packets are sent. If a peer could name any GID, it could make this side
// send to any host.
//   - The GID must be the address that the exchange came from: by the TCP handshake the kernel has verified that the
//     peer receives there.
//   - A peer on this host, as shown by a loopback address or by one of this host, may name any address of this host.
//   - The end of an alternate path is another address, from which no exchange comes. So AlternateWish leaves the check
//     out for a peer that TLS has authenticated, and where the options name that address.
//   - Scopes are ignored, because a GID has none. IPv4-mapped addresses are IPv4 in Java and in a GID alike.
// InfiniBand routes by LID, which is no address of the exchange: the subnet manager decides which hosts can reach
// each other.

/** Check of the GID that a peer names against the address that its exchange came from. */
final class PeerGid {
    private static final int IPV4_AT = 12;

    private PeerGid() {}

    /**
     * Checks that the GID belongs to the peer.
     *
     * @param network of this host
     * @param from the peer's address in the exchange
     * @param software whether the device is one whose GIDs contain a port, see docs/internals/soft-device.md
     * @throws RdmaConnectException AUTHENTICATION, with both addresses and the remedy
     */
    static void check(Network network, Gid gid, InetAddress from, boolean software) {
        check(network, gid, from, software, ": let both sides connect by the addresses of their RDMA interfaces");
    }

    /**
     * Checks the GID as {@link #check(Network, Gid, InetAddress, boolean)} does.
     *
     * @param remedy first part of the remedy
     */
    static void check(Network network, Gid gid, InetAddress from, boolean software, String remedy) {
        InetAddress named = address(gid, software);
        if (isSame(named, from) || isOfThisHost(network, named) && isOfThisHost(network, from)) {
            return;
        }
        throw new RdmaConnectException(
                Reason.AUTHENTICATION,
                "the peer at " + from.getHostAddress() + " sent the GID " + gid + " of the address "
                        + named.getHostAddress() + ", which it does not connect from" + remedy
                        + ", or, if the peer is trusted, turn this check off by"
                        + " ConnectionOptions.withVerifyPeerGid(false)",
                null);
    }

    /** Returns the IP address in a GID; of the software device without the port. */
    static InetAddress address(Gid gid, boolean software) {
        byte[] bytes = gid.bytes();
        boolean mapped = bytes[10] == -1 && bytes[11] == -1;
        for (int i = 0; i < Long.BYTES; i++) {
            mapped &= bytes[i] == 0;
        }
        if (!software || !mapped) {
            return gid.toAddress();
        }
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(bytes, IPV4_AT, bytes.length));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns whether a GID is that of an address. */
    static boolean isOf(InetAddress address, Gid gid, boolean software) {
        return isSame(address(gid, software), address);
    }

    private static boolean isSame(InetAddress one, InetAddress other) {
        return Arrays.equals(one.getAddress(), other.getAddress());
    }

    private static boolean isOfThisHost(Network network, InetAddress address) {
        if (address.isLoopbackAddress()) {
            return true;
        }
        try {
            return !address.isAnyLocalAddress() && !address.isMulticastAddress() && network.has(address);
        } catch (SocketException e) { // unknown, so not verified
            return false;
        }
    }
}
