package io.rdma.internal.soft.cm;

import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/** The ports of a device's services: numbers of the device itself, as in the kernel, not sockets. Thread-safe. */
final class CmPorts {
    private static final int FIRST_FREE = 32_768; // start of the range from which Linux chooses
    private static final int AFTER_FREE = 61_000;

    private record Taken(int portSpace, InetAddress address, int port) {
        boolean conflicts(Taken other) {
            return portSpace == other.portSpace
                    && port == other.port
                    && (address.equals(other.address)
                            || address.isAnyLocalAddress()
                            || other.address.isAnyLocalAddress());
        }
    }

    private final RandomGenerator random;
    private final Set<Taken> taken = new HashSet<>();

    CmPorts(RandomGenerator random) {
        this.random = random;
    }

    /**
     * Takes a port.
     *
     * @param wanted address and port; port 0 takes a free one
     * @return the address with the taken port
     * @throws VerbsException EADDRINUSE if the port is taken, or none is free
     */
    synchronized InetSocketAddress take(int portSpace, InetSocketAddress wanted) {
        InetAddress address = wanted.getAddress();
        int tries = wanted.getPort() == 0 ? AFTER_FREE - FIRST_FREE : 1;
        while (tries-- > 0) {
            int port = wanted.getPort() == 0 ? random.nextInt(FIRST_FREE, AFTER_FREE) : wanted.getPort();
            Taken mine = new Taken(portSpace, address, port);
            if (taken.stream().noneMatch(mine::conflicts)) {
                taken.add(mine);
                return new InetSocketAddress(address, port);
            }
        }
        throw new VerbsException("rdma_bind_addr", Errno.EADDRINUSE, "Choose another port, or 0 for a free one");
    }

    synchronized void giveBack(int portSpace, InetSocketAddress address) {
        taken.remove(new Taken(portSpace, address.getAddress(), address.getPort()));
    }

    synchronized int size() {
        return taken.size();
    }
}
