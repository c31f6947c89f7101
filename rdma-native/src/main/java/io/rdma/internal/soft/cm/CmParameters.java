package io.rdma.internal.soft.cm;

import static io.rdma.internal.ibv.Cma.*;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.CmQpAttr;
import io.rdma.internal.ibv.ConnParam;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.soft.objects.QpTransitions;
import io.rdma.internal.soft.wire.Psn;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

// Invariants
// - Everything is guarded by the identifier's monitor.
// - Responder resources and initiator depth are those of this side. The peer's initiator depth limits this side's
// responder resources, and the other way round.
// - Each side announces the first PSN of the other.

/** Queue pair parameters of a {@link SoftCmId}: its own, and those of its peer. */
final class CmParameters {
    /** No parameters of a peer. */
    static final ConnParam NONE = new ConnParam(new byte[0], 0, 0, 0, 0, 0, false, 0);

    private static final int ACCESS = Ibv.ACCESS_REMOTE_WRITE | Ibv.ACCESS_REMOTE_READ | Ibv.ACCESS_REMOTE_ATOMIC;
    private static final int HOP_LIMIT = 64;
    private static final int MOST_ACK_TIMEOUT = 31; // five bits

    /** Queue pair parameters of the peer. */
    @SuppressWarnings("ArrayRecordComponent")
    private record PeerPair(int qpn, int psn, byte[] gid) {}

    private final boolean datagram;
    private final int port; // of the device
    int qpn; // of this side
    int psn;
    private int responderResources;
    private int initiatorDepth;
    private int retryCount = 7;
    private int rnrRetryCount = 7;
    private int ackTimeout;
    private int wantedAckTimeout = -1; // set by the application; -1: the default of the path
    private int trafficClass; // of the path: this side's if set, otherwise the one in the peer's request
    private boolean hasOwnClass;
    private int mtu = Ibv.MTU_1024;
    private @Nullable PeerPair peer;

    CmParameters(boolean datagram, int port) {
        this.datagram = datagram;
        this.port = port;
    }

    /** Sets {@code RDMA_OPTION_ID_ACK_TIMEOUT}: for this side's queue pair, and sent to the peer. */
    void ackTimeout(int exponent) {
        if (datagram || exponent < 0 || exponent > MOST_ACK_TIMEOUT) {
            throw new VerbsException(
                    "rdma_set_option",
                    Errno.EINVAL,
                    "Only connections have an acknowledge time-out, which must be from 0 to " + MOST_ACK_TIMEOUT);
        }
        wantedAckTimeout = exponent;
    }

    /** Sets {@code RDMA_OPTION_ID_TOS}: for this side's packets, and sent to the peer for its own. */
    void typeOfService(int tos) {
        trafficClass = tos & 0xff;
        hasOwnClass = true;
    }

    /** Takes the type of service of a listener, as TCP connections do. */
    void inherit(CmParameters listener) {
        trafficClass = listener.trafficClass;
        hasOwnClass = listener.hasOwnClass;
    }

    int ackTimeoutOr(int usual) {
        return wantedAckTimeout < 0 ? usual : wantedAckTimeout;
    }

    /**
     * Checks the parameters of an application's call, and fills in those that it left to the library.
     *
     * @param answer whether the peer's parameters are known and limit those of this side
     * @param limit reads and atomics in flight that the device supports
     * @param ownPair whether the identifier has created the queue pair
     */
    ConnParam complete(String call, boolean answer, ConnParam param, int mostPrivateData, int limit, boolean ownPair) {
        checkPrivateData(call, param.privateData(), mostPrivateData);
        int responder = param.responderResources();
        int initiator = param.initiatorDepth();
        if (responder == MAX_RESP_RES) {
            responder = answer ? Math.min(limit, responderResources) : limit;
        }
        if (initiator == MAX_INIT_DEPTH) {
            initiator = answer ? Math.min(limit, initiatorDepth) : limit;
        }
        if (responder > limit || initiator > limit) {
            throw new VerbsException(
                    call, Errno.EINVAL, "The device supports at most " + limit + " reads and atomics in flight");
        }
        return new ConnParam(
                param.privateData(),
                responder,
                initiator,
                param.flowControl(),
                param.retryCount() & 7,
                param.rnrRetryCount() & 7,
                param.srq(),
                ownPair ? qpn : param.qpNum() & Psn.MASK);
    }

    static void checkPrivateData(String call, byte[] data, int most) {
        if (data.length > most) {
            throw new VerbsException(
                    call, Errno.EINVAL, "At most " + most + " bytes of private data are allowed, not " + data.length);
        }
    }

    /** Takes the parameters of this side, and creates its request to a peer whose GID is not known yet. */
    CmRequest request(
            int number,
            long service,
            ConnParam sent,
            long guid,
            int transport,
            byte[] gid,
            int pathMtu,
            int timeout,
            byte[] data) {
        own(sent);
        retryCount = sent.retryCount();
        mtu = pathMtu;
        ackTimeout = timeout;
        return new CmRequest(
                number,
                service,
                guid,
                qpn,
                responderResources,
                initiatorDepth,
                CmConversation.TIMEOUT,
                transport,
                sent.flowControl() != 0,
                psn,
                CmConversation.TIMEOUT,
                sent.retryCount(),
                pathMtu,
                sent.rnrRetryCount(),
                CmConversation.MAX_RETRIES,
                sent.srq(),
                gid,
                new byte[16],
                trafficClass,
                HOP_LIMIT,
                timeout,
                data);
    }

    /** Takes the parameters of this side, and creates its reply. */
    CmReply reply(CmConversation to, ConnParam sent, long guid) {
        own(sent);
        return new CmReply(
                to.localId,
                to.remoteId(),
                qpn,
                psn,
                responderResources,
                initiatorDepth,
                sent.flowControl() != 0,
                sent.rnrRetryCount(),
                sent.srq(),
                guid,
                sent.privateData());
    }

    /** Stores the parameters that this side sends. */
    private void own(ConnParam sent) {
        qpn = sent.qpNum();
        responderResources = sent.responderResources();
        initiatorDepth = sent.initiatorDepth();
    }

    /** Takes the parameters of the peer's request. */
    void take(CmRequest request) {
        peer = new PeerPair(request.qpn(), request.psn(), request.localGid());
        retryCount = request.retryCount();
        mtu = request.mtu();
        trafficClass = hasOwnClass ? trafficClass : request.trafficClass();
        ackTimeout = request.ackTimeout();
        take(request.responderResources(), request.initiatorDepth(), request.rnrRetryCount());
    }

    /** Takes the parameters of the peer's reply. */
    void take(CmReply reply, byte[] gid) {
        peer = new PeerPair(reply.qpn(), reply.psn(), gid);
        take(reply.responderResources(), reply.initiatorDepth(), reply.rnrRetryCount());
    }

    private void take(int responder, int initiator, int rnrRetries) {
        responderResources = initiator;
        initiatorDepth = responder;
        rnrRetryCount = rnrRetries;
    }

    /** Returns the peer's parameters from the view of this side. */
    static ConnParam seen(CmMad message) {
        return switch (message) {
            case CmRequest m ->
                new ConnParam(
                        application(m.privateData()),
                        m.initiatorDepth(),
                        m.responderResources(),
                        m.flowControl() ? 1 : 0,
                        m.retryCount(),
                        m.rnrRetryCount(),
                        m.srq(),
                        m.qpn());
            case CmReply m ->
                new ConnParam(
                        m.privateData(),
                        m.initiatorDepth(),
                        m.responderResources(),
                        m.flowControl() ? 1 : 0,
                        0,
                        m.rnrRetryCount(),
                        m.srq(),
                        m.qpn());
            case CmLookup m -> new ConnParam(application(m.privateData()), 0, 0, 0, 0, 0, false, 0);
            case CmLookupReply m -> new ConnParam(m.privateData(), 0, 0, 0, 0, 0, false, m.qpn());
            default -> NONE;
        };
    }

    private static byte[] application(byte[] privateData) {
        return Arrays.copyOfRange(privateData, CmAddressing.BYTES, privateData.length);
    }

    /** Returns the path to a device or a group. Packets to a group stay in its network. */
    AhAttr path(byte[] gid) {
        boolean group = SoftAddress.of(gid).getAddress().isMulticastAddress();
        return new AhAttr(gid, 0, 0, group ? 1 : HOP_LIMIT, trafficClass, 0, 0, 0, 0, true, port);
    }

    /** Returns the attributes of {@code rdma_init_qp_attr(3)}. */
    CmQpAttr attr(int to) {
        QpAttr none = QpTransitions.INITIAL;
        PeerPair other = peer;
        if (to == Ibv.QPS_INIT) {
            int ofType = datagram ? Ibv.QP_QKEY : Ibv.QP_ACCESS_FLAGS;
            return attr(to, Ibv.QP_PKEY_INDEX | Ibv.QP_PORT | ofType, none, none.ahAttr());
        }
        if (datagram) {
            return attr(to, to == Ibv.QPS_RTS ? Ibv.QP_SQ_PSN : 0, none, none.ahAttr());
        }
        if (other == null) {
            throw new VerbsException(
                    "rdma_init_qp_attr",
                    Errno.EINVAL,
                    "The peer's parameters are not known yet: connect, or take the peer's request");
        }
        int rtr = Ibv.QP_AV | Ibv.QP_PATH_MTU | Ibv.QP_DEST_QPN | Ibv.QP_RQ_PSN;
        rtr |= Ibv.QP_MAX_DEST_RD_ATOMIC | Ibv.QP_MIN_RNR_TIMER;
        int rts = Ibv.QP_TIMEOUT | Ibv.QP_RETRY_CNT | Ibv.QP_RNR_RETRY | Ibv.QP_SQ_PSN | Ibv.QP_MAX_QP_RD_ATOMIC;
        return attr(to, to == Ibv.QPS_RTR ? rtr : rts, none, path(other.gid()));
    }

    private CmQpAttr attr(int to, int mask, QpAttr none, @Nullable AhAttr path) {
        PeerPair other = peer;
        QpAttr attr = new QpAttr(
                to,
                0,
                mtu,
                Ibv.MIG_MIGRATED,
                UDP_QKEY,
                psn, // the PSN that the peer begins with
                other == null ? 0 : other.psn(),
                other == null ? 0 : other.qpn(),
                other == null ? 0 : ACCESS,
                none.cap(),
                path,
                0,
                false,
                false,
                initiatorDepth,
                responderResources,
                0, // RNR timer, as the kernel's: 655 ms
                port,
                ackTimeoutOr(ackTimeout),
                retryCount,
                rnrRetryCount,
                null);
        return new CmQpAttr(attr, mask | Ibv.QP_STATE);
    }
}
