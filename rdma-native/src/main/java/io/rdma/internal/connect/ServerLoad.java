package io.rdma.internal.connect;

import java.net.InetSocketAddress;

/** State of one server of a {@link ServerBalancer}, whose lock guards it. */
final class ServerLoad {
    final InetSocketAddress address;
    int weight;

    /** Whether the newest list has the server. One that has left stays known while it has connections. */
    boolean listed;

    /** Connections that are open or being made. */
    int connections;

    /** Those of them that are being made. */
    int connecting;

    /** Attempts that failed since the last one that succeeded. */
    int failures;

    /** End of the penalty, if there are failures. */
    long skippedUntil;

    /** Credit of the smooth weighted round robin: raised by the weight at each choice, paid when chosen. */
    int credit;

    ServerLoad(InetSocketAddress address) {
        this.address = address;
    }

    /**
     * Returns whether a connection may go to this server. After a penalty one attempt finds out whether the server is
     * back; until that has ended, the other connections go elsewhere.
     */
    boolean isAvailable(long now) {
        return failures == 0 || connecting == 0 && now - skippedUntil >= 0;
    }

    /** Returns how loaded the server would be with one more connection, to be compared by the weights. */
    boolean isLessLoadedThan(ServerLoad other) {
        return (connections + 1L) * other.weight < (other.connections + 1L) * weight;
    }

    boolean isAsLoadedAs(ServerLoad other) {
        return !isLessLoadedThan(other) && !other.isLessLoadedThan(this);
    }
}
