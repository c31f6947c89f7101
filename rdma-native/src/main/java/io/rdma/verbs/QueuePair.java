package io.rdma.verbs;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.MwBind;
import io.rdma.internal.ffi.Qp;
import io.rdma.internal.ffi.QpStateTable;
import io.rdma.internal.ffi.Verbs;
import org.jspecify.annotations.Nullable;

/** A queue pair, {@code ibv_create_qp(3)}. Posting is thread-safe as in C; a {@link SendChain} is not. */
public final class QueuePair extends NativeObject {
    private static final int EVERYTHING = (1 << 21) - 1; // of IBV_QP_*

    private final long context;
    private final QueuePairType type;
    private final int number;
    private final QueuePairCapacity capacity;
    private final @Nullable ExtendedVerbs extended; // null: posted to by the classic interface
    private final Runnable destroyer;
    private volatile int largestDatagram; // 0: not asked for yet
    private volatile int state = Ibv.QPS_RESET; // as far as known

    QueuePair(
            Verbs verbs,
            @Nullable ExtendedVerbs extended,
            long context,
            QueuePairType type,
            Qp qp,
            QueuePairCapacity capacity) {
        this(verbs, extended, context, type, qp, capacity, () -> verbs.destroyQp(qp.handle()));
    }

    /** One that somebody else destroys. */
    QueuePair(Verbs verbs, long context, QueuePairType type, Qp qp, QueuePairCapacity capacity, Runnable destroyer) {
        this(verbs, null, context, type, qp, capacity, destroyer);
    }

    private QueuePair(
            Verbs verbs,
            @Nullable ExtendedVerbs extended,
            long context,
            QueuePairType type,
            Qp qp,
            QueuePairCapacity capacity,
            Runnable destroyer) {
        super(verbs, qp.handle());
        this.extended = extended;
        this.context = context;
        this.type = type;
        this.number = qp.qpNum();
        this.capacity = capacity;
        this.destroyer = destroyer;
    }

    /**
     * Transport.
     *
     * @return the type
     */
    public QueuePairType type() {
        return type;
    }

    /**
     * Queue pair number.
     *
     * @return 24 bits
     */
    public int number() {
        return number;
    }

    /**
     * What the device granted.
     *
     * @return at least what was asked for
     */
    public QueuePairCapacity capacity() {
        return capacity;
    }

    /**
     * How it is posted to.
     *
     * @return as it was created
     */
    public PostingInterface posting() {
        return extended == null ? PostingInterface.CLASSIC : PostingInterface.EXTENDED;
    }

    /**
     * Changes state and attributes, {@code ibv_modify_qp(3)}.
     *
     * @param attributes exactly those that were set are changed
     * @throws VerbsException EINVAL if an attribute is missing or not allowed in this transition, which the message
     *     names, or out of range
     */
    public void modify(QueuePairAttributes attributes) {
        // The device moves a queue pair too, so a doubt about the state is settled by asking.
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

    /** Moves to ERR: everything posted completes with WR_FLUSH_ERR. */
    public void moveToError() {
        modify(QueuePairAttributes.toState(QueuePairState.ERR));
    }

    /**
     * Current state, {@code ibv_query_qp(3)}.
     *
     * @return the state
     */
    public QueuePairState queryState() {
        return QueuePairState.of(verbs.queryQp(handle(), Ibv.QP_STATE).qpState());
    }

    /**
     * All attributes, {@code ibv_query_qp(3)}.
     *
     * @return as the device has them now
     */
    public QueuePairInfo query() {
        return QueuePairInfo.of(verbs.queryQp(handle(), EVERYTHING), verbs.queryQpInit(handle()), capacity);
    }

    /**
     * Posts sends, {@code ibv_post_send(3)} or {@code ibv_wr_post(3)}.
     *
     * @param chain not empty
     * @return 0 when all were posted, else a negative errno ({@code -ENOMEM}: the queue is full);
     *     {@link #postedBeforeFailure(SendChain)} tells how many were posted nevertheless, which are none with
     *     {@link PostingInterface#EXTENDED}
     * @throws IllegalArgumentException if a request is for an operation that this type lacks; or of a datagram, which
     *     has no destination or is larger than the port's MTU. Nothing is posted then
     */
    public int post(SendChain chain) {
        type.requireAll(chain.operations());
        if (type == QueuePairType.UD) {
            chain.requireDatagrams(largestDatagram());
        }
        int result = extended == null
                ? verbs.postSend(handle(), chain.address(), chain.badWr())
                : extended.wrPost(handle(), chain.address(), chain.badWr());
        if (chain.hasBindings()) {
            chain.bindingsPosted(result == 0 ? chain.size() : chain.postedBeforeBad());
        }
        return result;
    }

    /**
     * Posts the binding of a type 1 window, signaled, {@code ibv_bind_mw(3)}; {@link MemoryWindow#remote} is what the
     * peer is to get when it completed.
     *
     * @param wrId comes back in the completion
     * @param window of the same domain
     * @param binding to what; an empty one revokes
     * @throws VerbsException ENOMEM if the queue is full
     * @throws IllegalArgumentException if the window is of type 2
     */
    public void bind(long wrId, MemoryWindow window, MemoryWindowBinding binding) {
        window.requireType(MemoryWindowType.TYPE_1);
        MwBind bind = new MwBind(
                wrId,
                Ibv.SEND_SIGNALED,
                binding.region().handle(),
                binding.address(),
                binding.length(),
                binding.accessCode());
        window.hold(binding);
        window.named(binding.remote(verbs.windows().bindMw(handle(), window.handle(), bind)));
    }

    /**
     * Bytes of the largest datagram that can be posted: the port's MTU when this was asked first. UD only.
     *
     * @return bytes; {@link Integer#MAX_VALUE} before the queue pair is in INIT
     */
    public int largestDatagram() {
        if (largestDatagram == 0) {
            int port = verbs.queryQp(handle(), Ibv.QP_PORT).portNum();
            // In RESET there is no port yet: the device refuses the post.
            largestDatagram = port == 0
                    ? 0
                    : Mtu.of(verbs.queryPort(context, port).activeMtu()).bytes();
        }
        return largestDatagram == 0 ? Integer.MAX_VALUE : largestDatagram;
    }

    /**
     * After {@link #post(SendChain)} failed: how many requests of the chain were posted.
     *
     * @param chain that was posted
     * @return number
     */
    public int postedBeforeFailure(SendChain chain) {
        return chain.postedBeforeBad();
    }

    /**
     * Posts receives, {@code ibv_post_recv(3)}.
     *
     * @param chain not empty
     * @return as {@link #post(SendChain)}
     */
    public int post(ReceiveChain chain) {
        return verbs.postRecv(handle(), chain.address(), chain.badWr());
    }

    /**
     * After {@link #post(ReceiveChain)} failed: how many requests of the chain were posted.
     *
     * @param chain that was posted
     * @return number
     */
    public int postedBeforeFailure(ReceiveChain chain) {
        return chain.postedBeforeBad();
    }

    /**
     * Receives what is sent to a multicast group from now on, {@code ibv_attach_mcast(3)}; UD only. On InfiniBand the
     * port must have joined the group, on RoCE the host. Detach before {@link #close}.
     *
     * @param group multicast GID; an IPv4 group is IPv4-mapped
     * @param lid of the group, 0 on Ethernet
     * @throws VerbsException EINVAL if it is no group or this is no UD queue pair
     */
    public void attachMulticast(Gid group, int lid) {
        verbs.attachMcast(handle(), group.bytes(), lid);
    }

    /**
     * Ends {@link #attachMulticast}, {@code ibv_detach_mcast(3)}.
     *
     * @param group as attached
     * @param lid as attached
     * @throws VerbsException EINVAL if it is not attached
     */
    public void detachMulticast(Gid group, int lid) {
        verbs.detachMcast(handle(), group.bytes(), lid);
    }

    @Override
    void destroy(long handle) {
        destroyer.run();
    }
}
