package io.rdma.internal.soft.cm;

import static io.rdma.internal.ffi.Cma.*;

import io.rdma.internal.ffi.AhAttr;
import io.rdma.internal.ffi.CmEventEntry;
import io.rdma.internal.ffi.CmQpAttr;
import io.rdma.internal.ffi.ConnParam;
import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.QpAttr;
import io.rdma.internal.soft.objects.QpTransitions;
import io.rdma.internal.soft.objects.SoftObject;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - Everything is guarded by the identifier's monitor, under which its events are added too: after a migration none
// reaches the old channel, after its destruction none comes.
// - No thread waits for the network with the monitor.
// - TALKING exactly while there is an exchange, whose conversation says how far it got.

/**
 * One identifier of {@link SoftRdmacm}: its state, its exchange with the peer, and what the two sides told each other.
 */
final class SoftCmId extends SoftObject {
    /** See docs/guide/connecting.md; {@link CmConversation.State} goes on from TALKING. */
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

    /** What a peer said of its queue pair. */
    @SuppressWarnings("ArrayRecordComponent")
    private record PeerPair(int qpn, int psn, byte[] gid) {}

    final int portSpace;
    SoftCmChannel channel;
    State state = State.IDLE;

    @Nullable
    SoftCmId listener; // of an identifier that a request made, until somebody takes the event

    @Nullable
    InetSocketAddress local;

    @Nullable
    InetSocketAddress remote;

    @Nullable
    CmPort port;

    @Nullable
    CmExchange exchange;

    boolean onDevice;
    long qp; // of rdma_create_qp, else 0
    int qpn;
    int psn;
    private int responderResources;
    private int initiatorDepth;
    private int retryCount = 7;
    private int rnrRetryCount = 7;
    private int ackTimeout;
    private int wantedAckTimeout = -1; // of the application; -1: as the path wants it
    boolean ipv6Only;
    private int mtu = Ibv.MTU_1024;
    private @Nullable PeerPair peer;
    private final AtomicInteger untaken = new AtomicInteger(); // requests of a listener that nobody took
    private int backlog;
    final Map<InetAddress, Boolean> groups = new HashMap<>(); // joined, with whether the queue pair is attached

    SoftCmId(int portSpace, SoftCmChannel channel) {
        this.portSpace = portSpace;
        this.channel = channel;
    }

    boolean isDatagram() {
        return portSpace == PS_UDP;
    }

    void require(String call, State... allowed) {
        if (!Arrays.asList(allowed).contains(state)) {
            throw new VerbsException(call, Errno.EINVAL, "An identifier that is " + state + " cannot do that");
        }
    }

    /** The conversation, which must have got so far. */
    CmConversation talking(String call, CmConversation.State... allowed) {
        CmExchange now = exchange;
        require(call, State.TALKING);
        if (now == null || !Arrays.asList(allowed).contains(now.conversation.state())) {
            throw new VerbsException(
                    call,
                    Errno.EINVAL,
                    "A conversation that is " + (now == null ? "over" : now.conversation.state()) + " cannot do that");
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

    /** Whether requests for a service at an address are its own. */
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

    /** {@code RDMA_OPTION_ID_ACK_TIMEOUT}: of this side's queue pair, and what it says of itself. */
    void ackTimeout(int exponent) {
        if (isDatagram() || exponent < 0 || exponent > MOST_ACK_TIMEOUT) {
            throw new VerbsException(
                    "rdma_set_option",
                    Errno.EINVAL,
                    "Only connections have an acknowledge time-out, an exponent of 0 to " + MOST_ACK_TIMEOUT);
        }
        wantedAckTimeout = exponent;
    }

    int ackTimeoutOr(int usual) {
        return wantedAckTimeout < 0 ? usual : wantedAckTimeout;
    }

    /** Tells of itself. */
    void tell(int event, int status) {
        tell(event, status, NOTHING);
    }

    void tell(int event, int status, ConnParam param) {
        if (state != State.DESTROYED) {
            channel.events.add(new CmEventEntry(event, status, handle, 0, param, null, 0));
        }
    }

    /** Tells a listener of a request. */
    void tellOf(SoftCmId made, CmMad request) {
        untaken.incrementAndGet();
        channel.events.add(new CmEventEntry(CM_EVENT_CONNECT_REQUEST, 0, made.handle, handle, seen(request), null, 0));
    }

    /** Somebody has taken the event. */
    void taken() {
        SoftCmId by = listener;
        if (by != null) {
            by.untaken.decrementAndGet();
            listener = null;
        }
    }

    /** Tells of the peer of a datagram service. */
    void tellOf(CmLookupReply service) {
        CmExchange now = exchange;
        InetSocketAddress at = now == null ? null : now.peer();
        if (state != State.DESTROYED && at != null) {
            AhAttr path = path(SoftAddress.gid(at));
            channel.events.add(
                    new CmEventEntry(CM_EVENT_ESTABLISHED, 0, handle, 0, seen(service), path, service.qkey()));
        }
    }

    /** Tells of a group. */
    void tellOf(int event, int status, AhAttr path, int number) {
        if (state != State.DESTROYED) {
            ConnParam group = new ConnParam(new byte[0], 0, 0, 0, 0, 0, false, number);
            channel.events.add(new CmEventEntry(event, status, handle, 0, group, path, UDP_QKEY));
        }
    }

    /**
     * What the peer says, as an application sees it: what the peer wants to begin is what this side has to answer, and
     * the other way round.
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

    /** What this side wants, to a peer whose GID is not known yet. */
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

    /** The service of an identifier that a request made. */
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

    /** Remembers what this side says. */
    private void own(ConnParam said) {
        qpn = said.qpNum();
        responderResources = said.responderResources();
        initiatorDepth = said.initiatorDepth();
    }

    /** The request that made this identifier. */
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

    /** The answer to the request of this identifier. */
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

    /** {@code rdma_init_qp_attr(3)}. */
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
                    "There is nothing from the peer yet: connect, or take its request");
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
                psn, // each side says what the other begins with
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
                0, // like the kernel's: 655 ms
                1,
                ackTimeoutOr(ackTimeout),
                retryCount,
                rnrRetryCount);
        return new CmQpAttr(attr, mask | Ibv.QP_STATE);
    }
}
