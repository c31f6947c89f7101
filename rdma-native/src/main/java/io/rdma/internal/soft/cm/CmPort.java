package io.rdma.internal.soft.cm;

import io.rdma.environment.Environment;
import io.rdma.environment.Network;
import io.rdma.internal.net.AcceptLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/** The port of an identifier: from {@link CmPorts}, or from {@link CmRendezvous} if devices share an IP address. */
final class CmPort implements AutoCloseable {
    private final CmPorts ports;
    private final int portSpace;
    final InetSocketAddress address;
    private final @Nullable Socket reserved;
    private @Nullable AcceptLoop told;

    private CmPort(CmPorts ports, int portSpace, InetSocketAddress address, @Nullable Socket reserved) {
        this.ports = ports;
        this.portSpace = portSpace;
        this.address = address;
        this.reserved = reserved;
    }

    /**
     * Takes a port.
     *
     * @param shared whether other devices have the same IP address
     */
    static CmPort take(Network network, CmPorts ports, int portSpace, InetSocketAddress wanted, boolean shared) {
        if (!shared) {
            return new CmPort(ports, portSpace, ports.take(portSpace, wanted), null);
        }
        Socket socket = CmRendezvous.reserve(network, wanted);
        InetSocketAddress taken = new InetSocketAddress(wanted.getAddress(), socket.getLocalPort());
        return new CmPort(ports, portSpace, taken, socket);
    }

    /** Answers at this port with the device's GID from now on, if devices share the IP address. */
    void tell(Environment environment, byte[] gid, CmRendezvous.Ended ended) {
        if (reserved != null) {
            told = CmRendezvous.tell(environment, reserved, gid, ended);
        }
    }

    /** Gives the port back. Does not wait, since the caller may be a thread that must not block. */
    @Override
    public void close() {
        if (reserved == null) {
            ports.giveBack(portSpace, address);
            return;
        }
        try {
            reserved.close();
        } catch (IOException e) {
            System.getLogger(CmPort.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
        }
        if (told != null) {
            told.stop();
        }
    }
}
