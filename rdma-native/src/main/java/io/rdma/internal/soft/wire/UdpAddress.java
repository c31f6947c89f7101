package io.rdma.internal.soft.wire;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * An IP address and UDP port as numbers. They are compared, added to an ICRC and written into headers without an
 * allocation for each packet. The address of a received packet belongs to the link and changes with the next packet.
 */
public final class UdpAddress {
    /** Usual hop limit of packets to one host. The link sets it once for all of them. */
    public static final int HOP_LIMIT = 64;

    public boolean ipv6;
    /** Bytes 0 to 7 of an IPv6 address, big-endian; 0 of IPv4. */
    public long high;
    /** Bytes 8 to 15 of an IPv6 address, or the IPv4 address in the lower half, big-endian. */
    public long low;

    public int port;

    /** Traffic class of the IP headers of packets to this address. */
    public int trafficClass;
    /** Hop limit of those headers. */
    public int hopLimit = HOP_LIMIT;
    /** Flow label of those headers; 0 over IPv4. */
    public int flowLabel;

    public UdpAddress() {}

    public UdpAddress(InetSocketAddress address) {
        set(address);
    }

    public void set(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        ByteBuffer bytes = ByteBuffer.wrap(ip.getAddress());
        ipv6 = ip instanceof Inet6Address;
        high = ipv6 ? bytes.getLong() : 0;
        low = ipv6 ? bytes.getLong() : Integer.toUnsignedLong(bytes.getInt());
        port = address.getPort();
    }

    /** Returns a copy, which stays as it is. */
    public UdpAddress copy() {
        UdpAddress copy = new UdpAddress();
        copy.ipv6 = ipv6;
        copy.high = high;
        copy.low = low;
        copy.port = port;
        copy.headersOf(this);
        return copy;
    }

    /** Sets the fields of IP headers to those of another address. */
    public void headersOf(UdpAddress other) {
        trafficClass = other.trafficClass;
        hopLimit = other.hopLimit;
        flowLabel = other.flowLabel;
    }

    /** Returns whether packets to another address have the same fields in their IP headers. */
    public boolean sameHeaders(UdpAddress other) {
        return trafficClass == other.trafficClass && hopLimit == other.hopLimit && flowLabel == other.flowLabel;
    }

    /** Returns whether the fields of the IP headers are those that the link's socket has anyway. */
    public boolean hasUsualHeaders() {
        return trafficClass == 0 && hasUsualHopLimit() && flowLabel == 0;
    }

    /** Returns whether the hop limit is that of the link's socket, which has one of its own for multicast. */
    public boolean hasUsualHopLimit() {
        boolean multicast = ipv6 ? high >>> 56 == 0xff : low >>> 28 == 0xe;
        return hopLimit == HOP_LIMIT && !multicast;
    }

    public InetAddress address() {
        ByteBuffer bytes = ByteBuffer.allocate(ipv6 ? 2 * Long.BYTES : Integer.BYTES);
        if (ipv6) {
            bytes.putLong(high).putLong(low);
        } else {
            bytes.putInt((int) low);
        }
        try {
            return InetAddress.getByAddress(bytes.array());
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // thrown only for other lengths
        }
    }

    private boolean sameIp(UdpAddress other) {
        return ipv6 == other.ipv6 && high == other.high && low == other.low;
    }

    public boolean same(UdpAddress other) {
        return sameIp(other) && port == other.port;
    }

    /**
     * Returns whether a packet from this address belongs to the device that listens at another. A device on port 4791
     * may send from any port, to spread its flows.
     */
    public boolean sendsFor(UdpAddress device) {
        return sameIp(device) && (device.port == SoftAddress.ROCE_PORT || device.port == port);
    }
}
