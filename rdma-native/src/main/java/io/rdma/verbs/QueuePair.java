package io.rdma.verbs;

import io.rdma.internal.ffi.QpStateTable;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.MwBind;
import io.rdma.internal.ibv.Qp;
import io.rdma.types.Errno;
import io.rdma.types.Gid;
import io.rdma.types.MemoryWindowType;
import io.rdma.types.Mtu;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkRequestOpcode;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair, {@code ibv_create_qp(3)}. Posting is thread-safe, as in C, but not in a {@link ThreadDomain}. Filling a
 * {@link SendChain} is never thread-safe.
 */
public final class QueuePair extends NativeObject {
    private static final int MOST_TYPICAL_PACKET = 0xffff; // uint16_t in struct ibv_qp_rate_limit_attr
    private static final int EVERYTHING = (1 << 21) - 1; // all bits of IBV_QP_*

    private final long context;
    private final QueuePairType type;
    private final int number;
    private final QueuePairCapacity capacity;
    private final boolean receives; // has a receive queue of its own
    private final SendInterface sends;
    private final Runnable destroyer;
    private volatile int largestDatagram; // 0: not queried yet
    private volatile int state = Ibv.QPS_RESET; // last known state; the device may have left it

    /** Creates a queue pair that {@code destroyer} destroys. */
    QueuePair(
            Verbs verbs,
            SendInterface sends,
            long context,
            QueuePairType type,
            Qp qp,
            QueuePairCapacity capacity,
            Runnable destroyer) {
        super(verbs, qp.handle());
        this.sends = sends;
        this.context = context;
        this.type = type;
        this.number = qp.qpNum();
        this.capacity = capacity;
        this.receives = qp.cap().maxRecvWr() > 0;
        this.destroyer = destroyer;
    }

    /**
     * Returns the transport.
     *
     * @return the type
     */
    public QueuePairType type() {
        return type;
    }

    /**
     * Returns the queue pair number.
     *
     * @return 24 bits
     */
    public int number() {
        return number;
    }

    /**
     * Returns the capacity that the device granted.
     *
     * @return at least the requested capacity
     */
    public QueuePairCapacity capacity() {
        return capacity;
    }

    /**
     * Returns the interface by which requests are posted.
     *
     * @return as chosen; {@link PostingInterface#CLASSIC} for BOTH on a device with nothing to post otherwise
     */
    public PostingInterface posting() {
        return sends.posting();
    }

    /**
     * Returns the operations that can be posted: those of {@link #type}, but {@link WorkRequestOpcode#FLUSH} and
     * {@link WorkRequestOpcode#ATOMIC_WRITE} only if the device, its provider and {@link #posting} have them.
     *
     * @return unmodifiable
     */
    public Set<WorkRequestOpcode> operations() {
        return sends.operations();
    }

    /**
     * Changes state and attributes, {@code ibv_modify_qp(3)}.
     *
     * @param attributes exactly those that were set are changed
     * @throws VerbsException EINVAL if an attribute is out of range, or if one is missing or not allowed in this
     *     transition; the message then names it
     */
    public synchronized void modify(QueuePairAttributes attributes) {
        // The device itself can change the state of a queue pair. If the cached state rules the transition out, the
        // device is queried.
        if (problem(attributes) != null) {
            requireTransition(attributes);
        }
        try {
            verbs.modifyQp(handle(), attributes.values(), attributes.mask());
        } catch (VerbsException e) {
            if (e.errno() == Errno.EINVAL) {
                requireTransition(attributes);
            }
            throw e;
        }
        state = attributes.target(state);
    }

    private void requireTransition(QueuePairAttributes attributes) {
        state = verbs.queryQp(handle(), Ibv.QP_STATE).qpState();
        String problem = problem(attributes);
        if (problem != null) {
            throw new VerbsException("ibv_modify_qp", Errno.EINVAL, "The transition " + problem);
        }
    }

    private @Nullable String problem(QueuePairAttributes attributes) {
        return QpStateTable.problem(type.code(), state, attributes.target(state), attributes.mask());
    }

    /**
     * Limits the rate at which this queue pair sends, {@code ibv_modify_qp_rate_limit(3)}. It must be in RTS.
     *
     * @param kilobitsPerSecond the rate; 0 for no limit
     * @param burst largest burst in bytes, 0 for the device's choice
     * @param typicalPacket typical size of a packet in bytes, up to 65,535; 0 if unknown
     * @throws IllegalArgumentException if one of them is negative or too large
     * @throws VerbsException EOPNOTSUPP or ENOSYS if the device cannot limit it; EINVAL if it lacks this rate
     */
    public synchronized void limitRate(int kilobitsPerSecond, int burst, int typicalPacket) {
        if (kilobitsPerSecond < 0 || burst < 0 || typicalPacket < 0 || typicalPacket > MOST_TYPICAL_PACKET) {
            throw new IllegalArgumentException("A rate limit has no negative rate or burst, and packets of up to "
                    + MOST_TYPICAL_PACKET + " bytes, not " + kilobitsPerSecond + " kbps, " + burst + " and "
                    + typicalPacket);
        }
        verbs.optional().modifyQpRateLimit(handle(), kilobitsPerSecond, burst, typicalPacket);
    }

    /** Moves to ERR: every outstanding request completes with WR_FLUSH_ERR. */
    public void moveToError() {
        modify(QueuePairAttributes.toState(QueuePairState.ERR));
    }

    /**
     * Queries the current state, {@code ibv_query_qp(3)}.
     *
     * @return the state
     */
    public synchronized QueuePairState queryState() {
        return QueuePairState.of(verbs.queryQp(handle(), Ibv.QP_STATE).qpState());
    }

    /**
     * Queries all attributes, {@code ibv_query_qp(3)}.
     *
     * @return the attributes that the device reports now
     */
    public synchronized QueuePairInfo query() {
        return QueuePairInfo.of(verbs.queryQp(handle(), EVERYTHING), verbs.queryQpInit(handle()), capacity);
    }

    /**
     * Posts sends, {@code ibv_post_send(3)} or {@code ibv_wr_post(3)}.
     *
     * @param chain not empty
     * @return 0 if all requests were posted, else a negative errno ({@code -ENOMEM}: the queue is full).
     *     On failure {@link #postedBeforeFailure(SendChain)} returns how many were posted, which is 0 with
     *     {@code ibv_wr_post(3)}
     * @throws IllegalArgumentException if {@link #operations} lack that of a request, or if a datagram has no
     *     destination or is larger than the port's MTU. No request is posted then
     */
    public int post(SendChain chain) {
        sends.requireAll(chain.operations());
        if (type == QueuePairType.UD) {
            chain.requireDatagrams(largestDatagram());
        }
        int result = sends.post(handle(), chain);
        if (chain.hasBindings()) {
            chain.bindingsPosted(result == 0 ? chain.size() : chain.postedBeforeBad());
        }
        return result;
    }

    /**
     * Posts the binding of a type 1 window, signaled, {@code ibv_bind_mw(3)}. {@link MemoryWindow#remote} returns the
     * memory to announce to the peer once the binding has completed.
     *
     * @param wrId returned in the completion
     * @param window of the same domain
     * @param binding memory to bind the window to; an empty binding revokes the peer's access
     * @throws VerbsException ENOMEM if the queue is full
     * @throws IllegalArgumentException if the window is of type 2
     */
    public void bind(long wrId, MemoryWindow window, MemoryWindowBinding binding) {
        window.requireType(MemoryWindowType.TYPE_1);
        MwBind bind = binding.request(wrId);
        window.hold(binding);
        window.named(binding.remote(verbs.windows().bindMw(handle(), window.handle(), bind)));
    }

    /**
     * Returns the size of the largest datagram that can be posted: the MTU that the port had when it was first queried.
     * UD only.
     *
     * @return bytes; {@link Integer#MAX_VALUE} before the queue pair is in INIT
     */
    public int largestDatagram() {
        if (largestDatagram == 0) {
            int port = verbs.queryQp(handle(), Ibv.QP_PORT).portNum();
            // In RESET the queue pair has no port yet. The device then refuses the post.
            largestDatagram = port == 0
                    ? 0
                    : Mtu.of(verbs.queryPort(context, port).activeMtu()).bytes();
        }
        return largestDatagram == 0 ? Integer.MAX_VALUE : largestDatagram;
    }

    /**
     * Returns how many requests of the chain were posted when {@link #post(SendChain)} failed.
     *
     * @param chain the chain that was posted
     * @return number of requests
     */
    public int postedBeforeFailure(SendChain chain) {
        return chain.postedBeforeBad();
    }

    /**
     * Posts receives, {@code ibv_post_recv(3)}.
     *
     * @param chain not empty
     * @return as {@link #post(SendChain)}; {@code -EINVAL} if this has no receive queue of its own
     */
    public int post(ReceiveChain chain) {
        // Not every provider checks: that of siw divides by the size of the queue, which ends the JVM.
        return receives ? verbs.postRecv(handle(), chain.address(), chain.badWr()) : -Errno.EINVAL;
    }

    /**
     * Returns how many requests of the chain were posted when {@link #post(ReceiveChain)} failed.
     *
     * @param chain the chain that was posted
     * @return number of requests
     */
    public int postedBeforeFailure(ReceiveChain chain) {
        return chain.postedBeforeBad();
    }

    /**
     * Attaches the queue pair to a multicast group, {@code ibv_attach_mcast(3)}: from now on it receives the
     * group's datagrams. UD only. On InfiniBand the port must have joined the group, on RoCE the host. Detach
     * before {@link #close}.
     *
     * @param group multicast GID; an IPv4 group is IPv4-mapped
     * @param lid LID of the group, 0 on Ethernet
     * @throws VerbsException EINVAL if the GID is not that of a group, or if this is not a UD queue pair
     */
    public void attachMulticast(Gid group, int lid) {
        verbs.attachMcast(handle(), group.bytes(), lid);
    }

    /**
     * Detaches the queue pair from a multicast group, {@code ibv_detach_mcast(3)}.
     *
     * @param group as attached
     * @param lid as attached
     * @throws VerbsException EINVAL if the group is not attached
     */
    public void detachMulticast(Gid group, int lid) {
        verbs.detachMcast(handle(), group.bytes(), lid);
    }

    /** Waits for the calls that change or query it: a set-up may be in one of them while the device fails. */
    @Override
    synchronized void destroy(long handle) {
        destroyer.run();
    }
}
