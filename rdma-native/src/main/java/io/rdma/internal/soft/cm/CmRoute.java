package io.rdma.internal.soft.cm;

import static io.rdma.internal.ibv.Cma.*;

import io.rdma.environment.Environment;
import io.rdma.environment.Network;
import io.rdma.internal.soft.wire.SoftAddress;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Resolution of an IP address and port to the peer's device. */
final class CmRoute {
    private static final int ETIMEDOUT = 110;

    private final Environment environment;
    private final SoftCmId id;
    private final CmExchange exchange;
    private final byte[] own; // GID

    CmRoute(Environment environment, SoftCmId id, CmExchange exchange, byte[] own) {
        this.environment = environment;
        this.own = own;
        this.id = id;
        this.exchange = exchange;
    }

    /**
     * Returns the local source address for a destination.
     *
     * @param own the device's only address; null if every address of the host belongs to the device
     * @throws IOException if there is no route
     */
    static InetAddress sourceFor(Network network, InetSocketAddress destination, @Nullable InetAddress own)
            throws IOException {
        InetAddress to = destination.getAddress();
        InetAddress source =
                network.sourceFor(new InetSocketAddress(to, destination.getPort() == 0 ? 1 : destination.getPort()));
        if (own == null) {
            if (!to.isMulticastAddress() && !to.isLoopbackAddress() && !to.isAnyLocalAddress() && !network.has(to)) {
                throw new IOException(
                        "a device on loopback reaches addresses of this host only, not " + to.getHostAddress());
            }
            return source;
        }
        if (own.getClass() != to.getClass()) {
            throw new IOException("the device's address " + own.getHostAddress() + " is of another IP version than "
                    + to.getHostAddress());
        }
        return own;
    }

    /** Finds the device of a service, then runs {@code goOn}. Both run with the identifier's monitor held. */
    void find(InetSocketAddress service, boolean own, Consumer<byte[]> goOn) {
        if (own) {
            InetSocketAddress device = new InetSocketAddress(service.getAddress(), SoftAddress.ROCE_PORT);
            exchange.found(device);
            goOn.accept(SoftAddress.gid(device));
            return;
        }
        Socket line = environment.network().socket();
        environment.start("rdma-soft-cm-find", () -> {
            try {
                byte[] gid = CmRendezvous.ask(line, service, this.own, exchange.conversation.localId);
                InetSocketAddress device = SoftAddress.of(gid);
                synchronized (id) {
                    if (id.state != SoftCmId.State.TALKING) {
                        close(line);
                        return;
                    }
                    exchange.hold(line);
                    exchange.found(device);
                    goOn.accept(gid);
                }
                line.getInputStream().read(); // ends when either side closes the line
                synchronized (id) {
                    exchange.conversation.lost();
                }
            } catch (Throwable e) { // of any kind: the identifier's owner waits for an event
                close(line);
                synchronized (id) {
                    notFound(e instanceof ConnectException); // a timeout throws another exception
                }
            }
        });
    }

    static void close(Socket line) {
        try {
            line.close();
        } catch (IOException e) {
            System.getLogger(CmRoute.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
        }
    }

    private void notFound(boolean refused) {
        if (exchange.conversation.state() != CmConversation.State.IDLE) { // found, and lost afterwards
            exchange.conversation.lost();
            return;
        }
        exchange.conversation.abandon();
        if (refused && id.isDatagram()) {
            id.tell(CM_EVENT_UNREACHABLE, CmLookupReply.UNSUPPORTED);
        } else if (refused) {
            id.tell(CM_EVENT_REJECTED, CmReject.INVALID_SERVICE_ID);
        } else {
            id.tell(CM_EVENT_UNREACHABLE, -ETIMEDOUT);
        }
    }
}
