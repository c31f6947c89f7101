package io.rdma.internal.connect;

import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.types.VerbsException;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairType;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

// Invariant: both sides of a connection have queue pairs of one type, or the connection fails.

/** Type of queue pair that the options of a connection ask for, and what follows from it for making the connection. */
final class TransportWish {
    private static final Set<QueuePairType> REQUESTS = EnumSet.of(QueuePairType.RC, QueuePairType.XRC_SEND);
    private static final Set<QueuePairType> ANSWERS = EnumSet.of(QueuePairType.RC, QueuePairType.XRC_RECV);

    private TransportWish() {}

    /** Returns whether the options ask for a reliable connection, the usual one. */
    static boolean isReliable(ConnectionOptions options) {
        return options.queuePairType() == QueuePairType.RC;
    }

    /**
     * Refuses an unreliable connection that cannot be made.
     *
     * @throws RdmaConnectException DEVICE if the device or an option does not allow it, or cannot tell now;
     *     FLOW_CONTROL if credits are needed, which it does not count
     */
    static void requirePossible(DeviceResources resources, ConnectionOptions options) {
        if (isReliable(options)) {
            return;
        }
        if (options.connectMethod() == ConnectMethod.RDMA_CM) {
            throw refusal(Reason.DEVICE, "is not made by RDMA CM: choose ConnectMethod.AUTOMATIC or TCP", null);
        }
        if (options.path().alternateGidAddress() != null) {
            throw refusal(Reason.DEVICE, "does not migrate here: leave the path's alternateGidAddress out", null);
        }
        if (options.flowControl() == FlowControl.CREDITS_REQUIRED) {
            throw refusal(
                    Reason.FLOW_CONTROL,
                    "counts no credits, which flowControl requires: use FlowControl.CREDITS",
                    null);
        }
        if (!options.ownProtectionDomain() && resources.sharedReceives(resources.roomiestLoop()) != null) {
            throw refusal(
                    Reason.FLOW_CONTROL,
                    "counts no credits, so its peer could take every shared receive buffer: use resources without"
                            + " sharedReceiveBuffers",
                    null);
        }
        OnDemandWish.requirePossible(resources, QueuePairType.UC);
        requireMade(resources);
    }

    private static void requireMade(DeviceResources resources) {
        String device = resources.context().name();
        VerbsException no;
        try (CleanupStack done = new CleanupStack()) {
            done.add(resources.begin(() -> {})); // nothing to cancel: it waits for no peer
            no = UnreliableTrial.of(resources).refusal();
        } catch (VerbsException e) {
            throw refusal(Reason.DEVICE, "cannot be tried on " + device + " now: " + e.getMessage(), e);
        }
        if (no != null) {
            throw refusal(
                    Reason.DEVICE,
                    "is not possible on " + device + ", which makes no such queue pair (" + no.getMessage()
                            + "): leave queuePairType out, or use another device",
                    no);
        }
    }

    private static RdmaConnectException refusal(Reason reason, String why, @Nullable VerbsException cause) {
        return new RdmaConnectException(reason, "an unreliable connection (QueuePairType.UC) " + why, cause);
    }

    /** Returns the options as the type leaves them: no credits, and no probe, which nothing would acknowledge. */
    static ConnectionOptions applied(ConnectionOptions options) {
        return isReliable(options)
                ? options
                : options.withFlowControl(FlowControl.PLAIN).withProbeInterval(Duration.ZERO);
    }

    /** Returns the number of reads and atomics in flight that options want. */
    static int reads(ConnectionOptions options) {
        return isReliable(options) ? options.maxRdAtomic() : 0;
    }

    /**
     * Adds the reads and atomics in flight, {@code ibv_modify_qp(3)}: outgoing ones of a queue pair that requests,
     * incoming ones of a queue pair that answers.
     */
    static void addReads(
            QueuePairAttributes toRtr,
            QueuePairAttributes toRts,
            QueuePairType type,
            PeerParameters local,
            PeerParameters peer) {
        if (ANSWERS.contains(type)) {
            toRtr.maxDestRdAtomic(Math.min(local.responderResources(), peer.initiatorDepth()));
        }
        if (REQUESTS.contains(type)) {
            toRts.maxRdAtomic(Math.min(local.initiatorDepth(), peer.responderResources()));
        }
    }

    /** Adds timers and retries, which no unreliable connection has, in the same way. */
    static void addRetries(
            QueuePairAttributes toRtr, QueuePairAttributes toRts, QueuePairType type, ConnectionOptions options) {
        if (ANSWERS.contains(type)) {
            toRtr.minRnrTimer(options.minRnrTimer());
        }
        if (REQUESTS.contains(type)) {
            toRts.retryCnt(options.retryCnt()).rnrRetry(options.rnrRetry());
        }
        if (type != QueuePairType.UC) { // an XRC_RECV queue pair has a time-out as well
            toRts.timeout(options.timeout());
        }
    }

    /** Returns the offer of a side with these options. */
    static Offer offer(Offer usual, ConnectionOptions options) {
        return isReliable(options) ? usual : usual.and(Offer.UNRELIABLE);
    }

    /**
     * Checks that both sides ask for the same type.
     *
     * @throws RdmaConnectException QUEUE_PAIR_TYPE if they differ
     */
    static void requireSame(Offer local, Offer peer) {
        XrcEnd.requireSame(local, peer); // first: no queuePairType helps against that difference
        boolean here = local.has(Offer.UNRELIABLE);
        if (here != peer.has(Offer.UNRELIABLE)) {
            throw new RdmaConnectException(
                    Reason.QUEUE_PAIR_TYPE,
                    (here ? "this side asks" : "the peer asks")
                            + " for an unreliable connection (UC), the other side for"
                            + " a reliable one (RC): set the same queuePairType on both sides",
                    null);
        }
    }
}
