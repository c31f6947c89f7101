package io.rdma.internal.soft.link;

import io.rdma.environment.Environment;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.soft.objects.Personality;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a software device: its name, its personality, the address at which it listens, the faults of its
 * links, its environment, and the factory of its sockets.
 *
 * @param name name of the device
 * @param personality class of devices that it stands for
 * @param address local address
 * @param port UDP port, 0 for a free one
 * @param faults fault plan of its links
 * @param environment clock, threads, randomness and TCP of the device and of the connections on it
 * @param sockets factory of its UDP sockets
 * @param secondAddress further local address, from which its second GID comes; null for none
 */
public record SoftConfig(
        String name,
        Personality personality,
        InetAddress address,
        int port,
        FaultPlan faults,
        Environment environment,
        LinkSockets sockets,
        @Nullable InetAddress secondAddress) {
    /** System property: the IP address to listen on, at UDP port 4791. */
    static final String ADDRESS_PROPERTY = "io.rdma.soft.address";

    /** System property: a second IP address to listen on. */
    static final String SECOND_ADDRESS_PROPERTY = "io.rdma.soft.secondAddress";

    /** What to do if the second address cannot be used. */
    public static final String SECOND_REMEDY = "Set -D" + SECOND_ADDRESS_PROPERTY
            + " to an address of this host whose UDP port is free, or unset it. Outside of Linux a loopback interface"
            + " has only the addresses that it was given";

    /**
     * Bytes of the IP and UDP headers, BTH, longest extended headers and ICRC. The number is that of rdma_rxe, so that
     * both choose the same MTU.
     */
    private static final int HEADERS = 80;

    public static SoftConfig fromProperties() {
        InetAddress address = property(ADDRESS_PROPERTY);
        SoftConfig first = address == null ? loopback() : at(address, SoftAddress.ROCE_PORT);
        return first.withSecondAddress(property(SECOND_ADDRESS_PROPERTY));
    }

    private static @Nullable InetAddress property(String name) {
        String address = System.getProperty(name, "");
        try {
            return address.isBlank() ? null : InetAddress.getByName(address.strip());
        } catch (UnknownHostException e) {
            throw new VerbsException(
                    Personality.COMPLETE.device(),
                    Errno.EADDRNOTAVAIL,
                    "Set -D" + name + " to an IP address of this host, not " + address);
        }
    }

    /** Returns the configuration of a device with two addresses of the loopback interface. */
    public static SoftConfig twoOnLoopback() {
        return loopback().withSecondAddress(loopback(2));
    }

    public static SoftConfig loopback() {
        return at(loopback(1), 0);
    }

    private static InetAddress loopback(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the configuration of a device of this host with good links. */
    public static SoftConfig at(InetAddress address, int port) {
        return new SoftConfig(
                Personality.COMPLETE.device(),
                Personality.COMPLETE,
                address,
                port,
                new FaultPlan(SoftFaults.NONE),
                Environment.SYSTEM,
                LinkSockets.SYSTEM,
                null);
    }

    public SoftConfig withFaults(SoftFaults newFaults) {
        return new SoftConfig(
                name, personality, address, port, new FaultPlan(newFaults), environment, sockets, secondAddress);
    }

    /** Returns the same device under another name. */
    public SoftConfig withName(String newName) {
        return new SoftConfig(newName, personality, address, port, faults, environment, sockets, secondAddress);
    }

    /** Returns a device at the same address, with the name that each process's device of a personality has. */
    public SoftConfig withPersonality(Personality other) {
        return new SoftConfig(other.device(), other, address, port, faults, environment, sockets, secondAddress);
    }

    /** Returns the same device in another environment, with sockets of that environment. */
    public SoftConfig within(Environment newEnvironment, LinkSockets newSockets) {
        return new SoftConfig(name, personality, address, port, faults, newEnvironment, newSockets, secondAddress);
    }

    /** Returns the same device with a second address, at the UDP port of the first or, if that is 0, at a free one. */
    public SoftConfig withSecondAddress(@Nullable InetAddress second) {
        return new SoftConfig(name, personality, address, port, faults, environment, sockets, second);
    }

    /** Returns the configuration of the link at the second address, or null if there is none. */
    public @Nullable SoftConfig second() {
        return secondAddress == null
                ? null
                : new SoftConfig(name, personality, secondAddress, port, faults, environment, sockets, null);
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(address, port);
    }

    /**
     * Returns the largest path MTU, as {@code IBV_MTU_*}, with which a packet and all its headers fit into the MTU of
     * the address's network interface; with a second address, into that of its interface as well.
     */
    public int activeMtu() {
        int interfaceMtu = environment.network().mtu(address);
        if (secondAddress != null) {
            interfaceMtu = Math.min(interfaceMtu, environment.network().mtu(secondAddress));
        }
        int code = Ibv.MTU_256;
        while (code < Ibv.MTU_4096 && Packet.mtuBytes(code + 1) + HEADERS <= interfaceMtu) {
            code++;
        }
        return code;
    }
}
