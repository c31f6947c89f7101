package io.rdma.internal.soft;

import static io.rdma.internal.ffi.Cma.*;

import io.rdma.internal.ffi.AhAttr;
import io.rdma.internal.ffi.CmEventEntry;
import io.rdma.internal.ffi.CmQpAttr;
import io.rdma.internal.ffi.Cma;
import io.rdma.internal.ffi.ConnParam;
import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.QpAttr;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

// Invariants
// - Everything is guarded by the identifier's monitor, under which its events are added too: after a migration none
// reaches the old channel, after its destruction none comes.
// - No thread waits for the network with the monitor.

/** One identifier of {@link SoftRdmacm}: its state, its socket, and what the two sides told each other. */
final class SoftCmId extends SoftObject {
    /** See docs/connecting.md. */
    enum State {
        IDLE,
        BOUND,
        ADDRESS,
        ROUTE,
        LISTENING,
        CONNECTING,
        RESPONDED,
        REQUESTED,
        ACCEPTED,
        CONNECTED,
        ENDED,
        DESTROYED
    }

    private static final int ACCESS = Ibv.ACCESS_REMOTE_WRITE | Ibv.ACCESS_REMOTE_READ | Ibv.ACCESS_REMOTE_ATOMIC;
    private static final int ACK_TIMEOUT = 14;
    private static final ConnParam NOTHING = new ConnParam(new byte[0], 0, 0, 0, 0, 0, false, 0);

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
    Socket reserved;

    @Nullable
    ServerSocket listening;

    @Nullable
    CmSocket socket;

    boolean onDevice;
    long qp; // of rdma_create_qp, else 0
    int qpn;
    int psn;
    private int responderResources;
    private int initiatorDepth;
    private int retryCount = 7;
    private int rnrRetryCount = 7;

    @Nullable
    CmMessage peer;

    private int ownMtu;
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

    /** Tells of itself. */
    void tell(int event, int status) {
        tell(event, status, NOTHING);
    }

    void tell(int event, int status, ConnParam param) {
        if (state != State.DESTROYED) {
            channel.events.add(new CmEventEntry(event, status, handle, 0, param, null, 0));
        }
    }

    /** Tells of the peer of a datagram service. */
    void tellOf(CmMessage service) {
        if (state != State.DESTROYED) {
            channel.events.add(
                    new CmEventEntry(CM_EVENT_ESTABLISHED, 0, handle, 0, seen(service), path(service), service.qkey()));
        }
    }

    /** Tells of a group. */
    void tellOf(int event, int status, AhAttr path, int number) {
        if (state != State.DESTROYED) {
            ConnParam group = new ConnParam(new byte[0], 0, 0, 0, 0, 0, false, number);
            channel.events.add(new CmEventEntry(event, status, handle, 0, group, path, UDP_QKEY));
        }
    }

    /** What the peer asked for: what it wants to begin is what this side has to answer, and the other way round. */
    ConnParam seen(CmMessage message) {
        ConnParam p = message.param();
        boolean request = message.type() == CmMessage.REQUEST;
        int most = isDatagram() ? (request ? 180 : 136) : request ? 56 : 196;
        return new ConnParam(
                padded(p.privateData(), most),
                p.initiatorDepth(),
                p.responderResources(),
                p.flowControl(),
                p.retryCount(),
                p.rnrRetryCount(),
                p.srq(),
                p.qpNum());
    }

    /** As on the wire of real devices, where private data has a fixed size. */
    static byte[] padded(byte[] data, int size) {
        return Arrays.copyOf(data, size);
    }

    /** Remembers what this side says, and makes the message. */
    CmMessage say(int type, ConnParam param, int number, int responder, int initiator, byte[] gid, int mtu) {
        qpn = number;
        responderResources = responder;
        initiatorDepth = initiator;
        ownMtu = mtu;
        if (type == CmMessage.REQUEST) {
            retryCount = param.retryCount();
        }
        ConnParam said = new ConnParam(
                param.privateData(),
                responder,
                initiator,
                param.flowControl(),
                param.retryCount(),
                param.rnrRetryCount(),
                param.srq(),
                number);
        return new CmMessage(type, number, psn, gid, mtu, said, isDatagram(), isDatagram() ? UDP_QKEY : 0, 0);
    }

    /** Remembers what the peer said. */
    void heard(CmMessage message) {
        peer = message;
        responderResources = message.param().initiatorDepth();
        initiatorDepth = message.param().responderResources();
        rnrRetryCount = message.param().rnrRetryCount();
        if (message.type() == CmMessage.REQUEST) {
            retryCount = message.param().retryCount();
        }
    }

    int responderResources() {
        return responderResources;
    }

    int initiatorDepth() {
        return initiatorDepth;
    }

    private static AhAttr path(CmMessage to) {
        return new AhAttr(to.gid(), 0, 0, 64, 0, 0, 0, 0, 0, true, 1);
    }

    /** {@code rdma_init_qp_attr(3)}. */
    CmQpAttr attr(int to) {
        QpAttr none = QpTransitions.INITIAL;
        CmMessage other = peer;
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
        return attr(to, to == Ibv.QPS_RTR ? rtr : rts, none, path(other));
    }

    private CmQpAttr attr(int to, int mask, QpAttr none, @Nullable AhAttr path) {
        CmMessage other = peer;
        QpAttr attr = new QpAttr(
                to,
                0,
                other == null ? Ibv.MTU_1024 : Math.min(ownMtu == 0 ? other.mtu() : ownMtu, other.mtu()),
                Ibv.MIG_MIGRATED,
                UDP_QKEY,
                other == null ? 0 : other.psn(),
                psn,
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
                ACK_TIMEOUT,
                retryCount,
                rnrRetryCount);
        return new CmQpAttr(attr, mask | Ibv.QP_STATE);
    }

    void mtu(int code) {
        ownMtu = code;
    }

    /** Says something, perhaps to nobody any more. */
    void send(CmMessage message) {
        CmSocket to = socket;
        if (to != null) {
            try {
                to.send(message);
            } catch (IOException e) {
                System.getLogger(SoftCmId.class.getName()).log(System.Logger.Level.DEBUG, "the peer is gone", e);
            }
        }
    }

    /** The end of a connection, whoever began it: told once. */
    void ended() {
        if (state == State.CONNECTED || state == State.ACCEPTED || state == State.RESPONDED) {
            state = State.ENDED;
            tell(Cma.CM_EVENT_DISCONNECTED, 0);
            tell(Cma.CM_EVENT_TIMEWAIT_EXIT, 0);
        }
        if (socket != null) {
            socket.close();
        }
    }

    /** Closes whatever it holds; what waits for a socket of it ends. */
    void closeSockets() throws IOException {
        if (reserved != null) {
            reserved.close();
        }
        if (listening != null) {
            listening.close();
        }
        if (socket != null) {
            socket.close();
        }
    }
}
