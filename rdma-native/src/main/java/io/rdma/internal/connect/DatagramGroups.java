package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.DatagramAddress;
import io.rdma.verbs.GlobalRoute;
import io.rdma.verbs.QueuePair;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

// Invariants
// - `turn` allows one join or leave at a time; its holder may wait for the network. The monitor is held for system
//   calls only, because the loop takes it as well.
// - The queue pair is attached exactly to the groups in `members`, and to none once `closed`: an attached queue pair
//   could not be destroyed.
// - Each group has an identifier of its own, because a listening identifier cannot join.

/**
 * Multicast groups of one queue pair. Each is joined by the connection manager and then attached to the queue pair,
 * {@code rdma_join_multicast(3)}.
 */
final class DatagramGroups {
    private static final System.Logger LOG = System.getLogger(DatagramGroups.class.getName());

    private record Membership(CmIdentifier id, GlobalRoute route, int lid, DatagramAddress address) {}

    private final CmLoop loop;
    private final QueuePair queuePair;
    private final InetAddress local;
    private final Duration timeout;
    private final UnaryOperator<AddressHandleAttributes> toPath;
    private final ReentrantLock turn = new ReentrantLock(true);
    private final Map<InetAddress, Membership> members = new HashMap<>(); // under the monitor
    private @Nullable CmDialog joining; // under the monitor
    private boolean closed; // under the monitor

    /**
     * Prepares the groups of one datagram endpoint.
     *
     * @param toPath applied to the path to a group
     */
    DatagramGroups(
            CmLoop loop,
            QueuePair queuePair,
            InetAddress local,
            Duration timeout,
            UnaryOperator<AddressHandleAttributes> toPath) {
        this.toPath = toPath;
        this.loop = loop;
        this.queuePair = queuePair;
        this.local = local;
        this.timeout = timeout;
    }

    /** Joins a group and waits until that is done. Does nothing if it has joined the group already. */
    DatagramAddress join(InetAddress group) {
        turn.lock();
        CmDialog dialog = new CmDialog(queuePair.environment(), "group " + group.getHostAddress(), timeout);
        try (CleanupStack cleanup = new CleanupStack()) {
            Membership known = begin(group, dialog);
            if (known != null) {
                return known.address();
            }
            CmIdentifier id = loop.create(PortSpace.UDP, dialog);
            cleanup.add(() -> loop.close(id));
            id.bind(new InetSocketAddress(local, 0));
            id.joinMulticast(new InetSocketAddress(group, 0), false);
            CmEvent joined = dialog.await(CmEventType.MULTICAST_JOIN);
            DatagramAddress address = attach(group, id, joined);
            cleanup.keep();
            return address;
        } catch (VerbsException | IllegalStateException e) {
            throw new RdmaConnectException(
                    Reason.CONNECT_ERROR, "group " + group.getHostAddress() + " was not joined: " + e.getMessage(), e);
        } finally {
            end();
            turn.unlock();
        }
    }

    private synchronized @Nullable Membership begin(InetAddress group, CmDialog dialog) {
        requireOpen();
        joining = dialog;
        return members.get(group);
    }

    private synchronized void end() {
        joining = null;
    }

    private synchronized DatagramAddress attach(InetAddress group, CmIdentifier id, CmEvent joined) {
        requireOpen();
        AddressHandleAttributes path = joined.destination();
        GlobalRoute route = path == null ? null : path.route();
        if (path == null || route == null) {
            throw new RdmaException("the group has no route: " + joined);
        }
        AddressHandleAttributes wanted = toPath.apply(path);
        queuePair.attachMulticast(route.dgid(), path.dlid());
        DatagramAddress address =
                new DatagramAddress(wanted, joined.parameters().queuePairNumber(), joined.qkey());
        members.put(group, new Membership(id, route, path.dlid(), address));
        return address;
    }

    private void requireOpen() {
        if (closed) {
            throw new RdmaConnectException(Reason.CANCELLED, "the datagram endpoint is closed", null);
        }
    }

    /**
     * Leaves a group.
     *
     * @throws IllegalStateException if the group is not joined
     * @throws VerbsException if the queue pair was not detached: it is still a member
     */
    void leave(InetAddress group) {
        turn.lock();
        try {
            Membership left;
            synchronized (this) {
                left = members.get(group);
                if (left == null) {
                    throw new IllegalStateException("not a member of group " + group.getHostAddress()
                            + (closed ? ": the datagram endpoint is closed" : ""));
                }
                if (!closed) {
                    detach(left);
                }
                members.remove(group); // one that is attached stays a member, so that the close detaches it
            }
            leave(group, left);
        } finally {
            turn.unlock();
        }
    }

    private void leave(InetAddress group, Membership left) {
        try {
            left.id().leaveMulticast(new InetSocketAddress(group, 0));
        } catch (VerbsException | IllegalStateException e) {
            LOG.log(System.Logger.Level.DEBUG, "the group had been left already", e);
        }
        loop.close(left.id());
    }

    /** Detaches the queue pair from all groups for good, before it is destroyed. Does not wait for the network. */
    synchronized void detach() {
        closed = true;
        CmDialog waiting = joining;
        if (waiting != null) {
            waiting.cancel();
        }
        CloseSteps steps = new CloseSteps();
        members.values().forEach(member -> steps.run(() -> detach(member)));
        steps.report();
    }

    /**
     * Detaches the queue pair from a group. A failed attempt is repeated once: otherwise the device would refuse for
     * ever to destroy the queue pair, and everything that it uses.
     */
    private void detach(Membership member) {
        try {
            queuePair.detachMulticast(member.route().dgid(), member.lid());
        } catch (Throwable refused) {
            queuePair.detachMulticast(member.route().dgid(), member.lid());
        }
    }

    /** Leaves all groups, after the queue pair is destroyed. Blocks. */
    void close() {
        turn.lock();
        try {
            Map<InetAddress, Membership> left;
            synchronized (this) {
                left = new HashMap<>(members); // not Map.copyOf, whose order differs from one JVM to the next
                members.clear();
            }
            CloseSteps steps = new CloseSteps();
            left.forEach((group, membership) -> steps.run(() -> leave(group, membership)));
            steps.report();
        } finally {
            turn.unlock();
        }
    }

    /** Returns the number of joined groups. */
    synchronized int size() {
        return closed ? 0 : members.size();
    }
}
