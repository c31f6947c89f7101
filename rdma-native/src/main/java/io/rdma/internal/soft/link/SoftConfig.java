package io.rdma.internal.soft.link;

import io.rdma.environment.Environment;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;

/**
 * Configuration of a software device: the address at which it listens, the faults of its links, and its environment.
 *
 * @param address local address
 * @param port UDP port, 0 for a free one
 * @param faults fault plan of its links
 * @param environment clock, threads and randomness of the device and of the connections on it
 */
public record SoftConfig(InetAddress address, int port, FaultPlan faults, Environment environment) {
    /** System property: the IP address to listen on, at UDP port 4791. */
    static final String ADDRESS_PROPERTY = "io.rdma.soft.address";

    /**
     * Bytes of the IP and UDP headers, BTH, longest extended headers and ICRC. The number is that of rdma_rxe, so that
     * both choose the same MTU.
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
                    InetAddress.getByName(address.strip()),
                    SoftAddress.ROCE_PORT,
                    new FaultPlan(SoftFaults.NONE),
                    Environment.SYSTEM);
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
                    InetAddress.getByAddress(new byte[] {127, 0, 0, 1}),
                    0,
                    new FaultPlan(SoftFaults.NONE),
                    Environment.SYSTEM);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    public SoftConfig withFaults(SoftFaults newFaults) {
        return new SoftConfig(address, port, new FaultPlan(newFaults), environment);
    }

    /** Returns the same device in another environment. */
    public SoftConfig withEnvironment(Environment newEnvironment) {
        return new SoftConfig(address, port, faults, newEnvironment);
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(address, port);
    }

    /**
     * Returns the largest path MTU, as {@code IBV_MTU_*}, with which a packet and all its headers fit into the MTU of
     * the address's network interface.
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
            return ETHERNET_MTU; // the interface is gone or cannot be queried
        }
    }
}
