package io.rdma.internal.soft.link;

import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;

/**
 * Where a software device listens, and what its link does to packets.
 *
 * @param address local address
 * @param port UDP port, 0 for a free one
 * @param faults of its links
 */
public record SoftConfig(InetAddress address, int port, FaultPlan faults) {
    /** System property: the IP address to listen on, at UDP port 4791. */
    static final String ADDRESS_PROPERTY = "io.rdma.soft.address";

    /**
     * IP, UDP, BTH, the longest extended headers and the ICRC: what rdma_rxe reckons with, so that both choose the same
     * MTU.
     */
    private static final int HEADERS = 80;

    private static final int ETHERNET_MTU = 1500;

    public static SoftConfig fromProperties() {
        String address = System.getProperty(ADDRESS_PROPERTY, "");
        if (address.isBlank()) {
            return loopback();
        }
        try {
            return new SoftConfig(
                    InetAddress.getByName(address.strip()), SoftAddress.ROCE_PORT, new FaultPlan(SoftFaults.NONE));
        } catch (UnknownHostException e) {
            throw new VerbsException(
                    "soft0",
                    Errno.EADDRNOTAVAIL,
                    "Set -D" + ADDRESS_PROPERTY + " to an IP address of this host, not " + address);
        }
    }

    public static SoftConfig loopback() {
        try {
            return new SoftConfig(
                    InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0, new FaultPlan(SoftFaults.NONE));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    public SoftConfig withFaults(SoftFaults newFaults) {
        return new SoftConfig(address, port, new FaultPlan(newFaults));
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(address, port);
    }

    /**
     * The largest path MTU, as {@code IBV_MTU_*}, of which a packet with all headers fits into one of the address's
     * network interface.
     */
    public int activeMtu() {
        int interfaceMtu = interfaceMtu();
        int code = Ibv.MTU_256;
        while (code < Ibv.MTU_4096 && Packet.mtuBytes(code + 1) + HEADERS <= interfaceMtu) {
            code++;
        }
        return code;
    }

    private int interfaceMtu() {
        try {
            NetworkInterface of = NetworkInterface.getByInetAddress(address);
            return of == null ? ETHERNET_MTU : of.getMTU();
        } catch (SocketException e) {
            return ETHERNET_MTU; // gone or not to be asked
        }
    }
}
