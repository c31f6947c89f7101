package io.rdma.internal.soft.cm;

import static io.rdma.internal.ibv.Cma.*;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.CmEventEntry;
import io.rdma.internal.ibv.CmQpAttr;
import io.rdma.internal.ibv.ConnParam;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.soft.objects.QpTransitions;
import io.rdma.internal.soft.objects.SoftObject;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - Everything is guarded by the identifier's monitor. Its events are added under the monitor too: so none reaches the
// old channel after a migration, and none is added after the destruction.
// - No thread holds the monitor while it waits for the network.
// - The state is TALKING exactly while there is an exchange. The exchange's conversation has the detailed state.

/** One identifier of {@link SoftRdmacm}: its state, its exchange with the peer, and the parameters of both sides. */
final class SoftCmId extends SoftObject {
    /** States, see docs/guide/connecting.md. {@link CmConversation.State} details TALKING. */
    enum State {
        IDLE,
        BOUND,
        ADDRESS,
        ROUTE,
        LISTENING,
        TALKING,
        DESTROYED
    }

    static final int REQUEST_DATA = CmRequest.PRIVATE_DATA - CmAddressing.BYTES;
    static final int LOOKUP_DATA = CmLookup.PRIVATE_DATA - CmAddressing.BYTES;

    private static final int ACCESS = Ibv.ACCESS_REMOTE_WRITE | Ibv.ACCESS_REMOTE_READ | Ibv.ACCESS_REMOTE_ATOMIC;
    private static final int HOP_LIMIT = 64;
    private static final int MOST_ACK_TIMEOUT = 31; // five bits
    private static final ConnParam NOTHING = new ConnParam(new byte[0], 0, 0, 0, 0, 0, false, 0);

    /** Queue pair parameters of the peer. */
    @SuppressWarnings("ArrayRecordComponent")
    private record PeerPair(int qpn, int psn, byte[] gid) {}

    final int portSpace;
    SoftCmChannel channel;
    State state = State.IDLE;

    @Nullable
    SoftCmId listener; // of an identifier created by a request, until the application takes its event

    @Nullable
    InetSocketAddress local;

    @Nullable
    InetSocketAddress remote;

    @Nullable
    CmPort port;

    @Nullable
    CmExchange exchange;

    boolean onDevice;
    long qp; // created by rdma_create_qp, or 0
    int qpn;
    int psn;
    private int responderResources;
    private int initiatorDepth;
    private int retryCount = 7;
    private int rnrRetryCount = 7;
    private int ackTimeout;
    private int wantedAckTimeout = -1; // set by the application; -1: the default of the path
    boolean ipv6Only;
    private int mtu = Ibv.MTU_1024;
    private @Nullable PeerPair peer;
    private final AtomicInteger untaken = new AtomicInteger(); // requests that the application has not taken
    private int backlog;
    final Map<InetAddress, Boolean> groups = new HashMap<>(); // joined groups, and whether the queue pair is attached

    SoftCmId(int portSpace, SoftCmChannel channel) {
        this.portSpace = portSpace;
        this.channel = channel;
    }

    boolean isDatagram() {
        return portSpace == PS_UDP;
    }

    void require(String call, State... allowed) {
        if (!Arrays.asList(allowed).contains(state)) {
            throw new VerbsException(
                    call, Errno.EINVAL, "The identifier is " + state + ", this call needs " + Arrays.toString(allowed));
        }
    }

    /** Returns the conversation, which must be in one of the allowed states. */
    CmConversation talking(String call, CmConversation.State... allowed) {
        CmExchange now = exchange;
        require(call, State.TALKING);
        if (now == null || !Arrays.asList(allowed).contains(now.conversation.state())) {
            throw new VerbsException(
                    call,
                    Errno.EINVAL,
                    "The connection is " + (now == null ? "over" : now.conversation.state()) + ", this call needs "
                            + Arrays.toString(allowed));
        }
        return now.conversation;
    }

    void listening(int most) {
        backlog = most;
        state = State.LISTENING;
    }

    boolean hasRoom() {
        return state == State.LISTENING && untaken.get() < backlog;
    }

    /** Returns whether this listener serves requests for a service at an address. */
    boolean serves(long service, InetAddress address) {
        InetSocketAddress at = local;
        return at != null
                && service == CmAddressing.service(portSpace, at.getPort())
                && (isAnyFor(at.getAddress(), address) || at.getAddress().equals(address));
    }

    private boolean isAnyFor(InetAddress at, InetAddress address) {
        boolean other = ipv6Only && at instanceof Inet6Address && !(address instanceof Inet6Address);
        return at.isAnyLocalAddress() && !other;
    }

    /** Sets {@code RDMA_OPTION_ID_ACK_TIMEOUT}: for this side's queue pair, and sent to the peer. */
    void ackTimeout(int exponent) {
        if (isDatagram() || exponent < 0 || exponent > MOST_ACK_TIMEOUT) {
            throw new VerbsException(
                    "rdma_set_option",
                    Errno.EINVAL,
                    "Only connections have an acknowledge time-out, which must be from 0 to " + MOST_ACK_TIMEOUT);
        }
        wantedAckTimeout = exponent;
    }

    int ackTimeoutOr(int usual) {
        return wantedAckTimeout < 0 ? usual : wantedAckTimeout;
    }

    /** Adds an event of this identifier. */
    void tell(int event, int status) {
        tell(event, status, NOTHING);
    }

    void tell(int event, int status, ConnParam param) {
        if (state != State.DESTROYED) {
            channel.events.add(new CmEventEntry(event, status, handle, 0, param, null, 0));
        }
    }

    /** Adds the event of a request to this listener. */
    void tellOf(SoftCmId made, CmMad request) {
        untaken.incrementAndGet();
        channel.events.add(new CmEventEntry(CM_EVENT_CONNECT_REQUEST, 0, made.handle, handle, seen(request), null, 0));
    }

    /** Notes that the application has taken the event of the request. */
    void taken() {
        SoftCmId by = listener;
        if (by != null) {
            by.untaken.decrementAndGet();
            listener = null;
        }
    }

    /** Adds the event that a datagram service was found, with the path to its peer. */
    void tellOf(CmLookupReply service) {
        CmExchange now = exchange;
        InetSocketAddress at = now == null ? null : now.peer();
        if (state != State.DESTROYED && at != null) {
            AhAttr path = path(SoftAddress.gid(at));
            channel.events.add(
                    new CmEventEntry(CM_EVENT_ESTABLISHED, 0, handle, 0, seen(service), path, service.qkey()));
        }
    }

    /** Adds an event of a multicast group. */
    void tellOf(int event, int status, AhAttr path, int number) {
        if (state != State.DESTROYED) {
            ConnParam group = new ConnParam(new byte[0], 0, 0, 0, 0, 0, false, number);
            channel.events.add(new CmEventEntry(event, status, handle, 0, group, path, UDP_QKEY));
        }
    }

    /**
     * Returns the peer's parameters from the view of this side: the peer's initiator depth is this side's responder
     * resources, and the other way round.
     */
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
            default -> NOTHING;
        };
    }

    private static byte[] application(byte[] privateData) {
        return Arrays.copyOfRange(privateData, CmAddressing.BYTES, privateData.length);
    }

    /** Creates this side's request to a peer whose GID is not known yet. */
    CmRequest request(int number, ConnParam said, long guid, byte[] gid, int pathMtu, int timeout) {
        own(said);
        retryCount = said.retryCount();
        mtu = pathMtu;
        ackTimeout = timeout;
        return new CmRequest(
                number,
                service(),
                guid,
                qpn,
                responderResources,
                initiatorDepth,
                CmConversation.TIMEOUT,
                CmRequest.TRANSPORT_RC,
                said.flowControl() != 0,
                psn,
                CmConversation.TIMEOUT,
                said.retryCount(),
                pathMtu,
                said.rnrRetryCount(),
                CmConversation.MAX_RETRIES,
                said.srq(),
                gid,
                new byte[16],
                HOP_LIMIT,
                timeout,
                addressing().before(said.privateData(), CmRequest.PRIVATE_DATA));
    }

    CmLookup lookup(int number, byte[] data) {
        return new CmLookup(number, service(), addressing().before(data, CmLookup.PRIVATE_DATA));
    }

    CmReply reply(CmConversation to, ConnParam said, long guid) {
        own(said);
        return new CmReply(
                to.localId,
                to.remoteId(),
                qpn,
                psn,
                responderResources,
                initiatorDepth,
                said.flowControl() != 0,
                said.rnrRetryCount(),
                said.srq(),
                guid,
                said.privateData());
    }

    private long service() {
        return CmAddressing.service(portSpace, destination().getPort());
    }

    /** Returns the service ID of an identifier that was created by a request. */
    long servedAs() {
        return CmAddressing.service(portSpace, source().getPort());
    }

    private InetSocketAddress source() {
        InetSocketAddress from = local;
        if (from == null) {
            throw new AssertionError("a route without a source");
        }
        return from;
    }

    private InetSocketAddress destination() {
        InetSocketAddress to = remote;
        if (to == null) {
            throw new AssertionError("a route without a destination");
        }
        return to;
    }

    private CmAddressing addressing() {
        return new CmAddressing(source(), destination().getAddress());
    }

    /** Stores the parameters that this side sends. */
    private void own(ConnParam said) {
        qpn = said.qpNum();
        responderResources = said.responderResources();
        initiatorDepth = said.initiatorDepth();
    }

    /** Handles the request that created this identifier. */
    void asked(CmMad request) {
        CmExchange now = exchange;
        if (now != null && request instanceof CmRequest connect) {
            peer = new PeerPair(connect.qpn(), connect.psn(), connect.localGid());
            retryCount = connect.retryCount();
            mtu = connect.mtu();
            ackTimeout = connect.ackTimeout();
            heard(connect.responderResources(), connect.initiatorDepth(), connect.rnrRetryCount());
            now.conversation.requested(connect);
        } else if (now != null && request instanceof CmLookup lookup) {
            now.conversation.lookedUp(lookup);
        }
    }

    /** Handles the reply to the request of this identifier. */
    void heard(CmReply reply) {
        CmExchange now = exchange;
        InetSocketAddress at = now == null ? null : now.peer();
        if (at != null) {
            peer = new PeerPair(reply.qpn(), reply.psn(), SoftAddress.gid(at));
            heard(reply.responderResources(), reply.initiatorDepth(), reply.rnrRetryCount());
        }
    }

    private void heard(int responder, int initiator, int rnrRetries) {
        responderResources = initiator;
        initiatorDepth = responder;
        rnrRetryCount = rnrRetries;
    }

    int responderResources() {
        return responderResources;
    }

    int initiatorDepth() {
        return initiatorDepth;
    }

    private static AhAttr path(byte[] gid) {
        return new AhAttr(gid, 0, 0, HOP_LIMIT, 0, 0, 0, 0, 0, true, 1);
    }

    /** Returns the attributes of {@code rdma_init_qp_attr(3)}. */
    CmQpAttr attr(int to) {
        QpAttr none = QpTransitions.INITIAL;
        PeerPair other = peer;
        if (to == Ibv.QPS_INIT) {
            if (isDatagram()) {
                return attr(to, Ibv.QP_PKEY_INDEX | Ibv.QP_PORT | Ibv.QP_QKEY, none, none.ahAttr());
            }
            return attr(to, Ibv.QP_PKEY_INDEX | Ibv.QP_PORT | Ibv.QP_ACCESS_FLAGS, none, none.ahAttr());
        }
        if (isDatagram()) {
            return attr(to, to == Ibv.QPS_RTS ? Ibv.QP_SQ_PSN : 0, none, none.ahAttr());
        }
        if (other == null) {
            throw new VerbsException(
                    "rdma_init_qp_attr",
                    Errno.EINVAL,
                    "The peer's parameters are not known yet: connect, or take the peer's request");
        }
        int rtr = Ibv.QP_AV
                | Ibv.QP_PATH_MTU
                | Ibv.QP_DEST_QPN
                | Ibv.QP_RQ_PSN
                | Ibv.QP_MAX_DEST_RD_ATOMIC
                | Ibv.QP_MIN_RNR_TIMER;
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
                psn, // each side announces the first PSN of the other
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
                1,
                ackTimeoutOr(ackTimeout),
                retryCount,
                rnrRetryCount);
        return new CmQpAttr(attr, mask | Ibv.QP_STATE);
    }
}
