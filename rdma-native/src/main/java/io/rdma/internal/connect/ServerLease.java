package io.rdma.internal.connect;

import java.net.InetSocketAddress;

// States: CONNECTING -> OPEN -> ENDED, or CONNECTING -> ENDED. Each transition takes place once; the lock of the
// balancer guards it. A repeated call changes nothing.

/** Place of one connection, from the choice of its server to its end, in the count of that server. */
public final class ServerLease {
    private enum State {
        CONNECTING,
        OPEN,
        ENDED
    }

    private final ServerBalancer balancer;
    final ServerLoad server;
    private State state = State.CONNECTING;

    ServerLease(ServerBalancer balancer, ServerLoad server) {
        this.balancer = balancer;
        this.server = server;
        server.connections++;
        server.connecting++;
    }

    /**
     * Returns the address of the server.
     *
     * @return as in the list, resolved or not
     */
    public InetSocketAddress address() {
        return server.address;
    }

    /** Notes that the connection was made, which ends the penalty of the server. */
    public void connected() {
        synchronized (balancer) {
            if (state == State.CONNECTING) {
                state = State.OPEN;
                server.connecting--;
                server.failures = 0;
            }
        }
    }

    /** Notes that the connection has ended, or that the attempt was given up. Does not speak against the server. */
    public void ended() {
        synchronized (balancer) {
            if (end()) {
                balancer.forgetUnused(server);
            }
        }
    }

    /** Notes that the server could not be reached. It is skipped for a while. */
    void refused() {
        synchronized (balancer) {
            if (end()) {
                balancer.penalize(server);
                balancer.forgetUnused(server);
            }
        }
    }

    private boolean end() {
        if (state == State.ENDED) {
            return false;
        }
        if (state == State.CONNECTING) {
            server.connecting--;
        }
        state = State.ENDED;
        server.connections--;
        return true;
    }

    /**
     * Returns whether the newest list of servers has the server of this connection.
     *
     * @return false when the connection is to be closed after its use
     */
    public boolean isListed() {
        synchronized (balancer) {
            return server.listed;
        }
    }
}
