package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.types.RdmaException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Attempts to make one connection: each server is tried at most once. One thread at a time. */
public final class ConnectAttempts {
    private record Failure(ServerLease lease, RdmaConnectException error) {}

    private final ServerBalancer balancer;
    private final Set<ServerLoad> tried = new HashSet<>();
    private final List<Failure> failures = new ArrayList<>();

    ConnectAttempts(ServerBalancer balancer) {
        this.balancer = balancer;
    }

    /**
     * Chooses the next server. The caller tries to connect to it and reports the outcome to the lease, or by
     * {@link #failed}.
     *
     * @return the lease, to be ended
     * @throws RdmaConnectException NO_SERVERS if the list is empty; the failures of all attempts otherwise
     */
    public ServerLease next() {
        ServerLease lease = balancer.choose(tried);
        if (lease == null) {
            throw end();
        }
        tried.add(lease.server);
        return lease;
    }

    /**
     * Ends an attempt that failed.
     *
     * @param lease server that was tried
     * @param error reason of the failure
     * @return true if the server failed, so that another one may succeed; false if this side failed or was cancelled
     */
    public boolean failed(ServerLease lease, Throwable error) {
        if (error instanceof RdmaConnectException refusal
                && refusal.reason() != Reason.CANCELLED
                && refusal.reason() != Reason.DEVICE) {
            lease.refused();
            failures.add(new Failure(lease, refusal));
            return true;
        }
        lease.ended();
        return false;
    }

    private RdmaException end() {
        if (failures.isEmpty()) {
            return new RdmaConnectException(
                    Reason.NO_SERVERS,
                    "the pool has no servers: its AddressSupplier returned an empty list; check the discovery, or the "
                            + "name that it looks up",
                    null);
        }
        balancer.doubtList();
        RdmaConnectException last = failures.getLast().error();
        if (failures.size() == 1) {
            return last;
        }
        String all = failures.stream()
                .map(failure ->
                        failure.lease().address() + ": " + failure.error().getMessage())
                .collect(Collectors.joining("; "));
        RdmaConnectException none = new RdmaConnectException(
                last.reason(), "none of the " + failures.size() + " servers can be reached: " + all, last);
        failures.subList(0, failures.size() - 1).forEach(failure -> none.addSuppressed(failure.error()));
        return none;
    }
}
