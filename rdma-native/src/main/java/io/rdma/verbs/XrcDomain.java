package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Qp;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.VerbsException;

/**
 * A domain of extended reliable connections, {@code ibv_open_xrcd(3)}. Its queue pairs receive for every shared receive
 * queue of the domain. Each request names the shared receive queue that it is for,
 * {@link SendChain#sharedReceiveQueue}. A process therefore needs only one {@link QueuePairType#XRC_SEND} queue pair
 * for each peer process, even if that process has many threads, instead of one for each of its threads. Few devices
 * support it.
 */
public final class XrcDomain extends NativeObject {
    private static final QueuePairCapacity NOTHING = new QueuePairCapacity(1, 1, 1, 1, 0);

    private final long context;

    XrcDomain(Verbs verbs, long context, long handle, OpenObjects siblings) {
        super(verbs, handle, siblings);
        this.context = context;
    }

    /**
     * Creates the receiving end of a connection in RESET, {@code ibv_create_qp_ex(3)} with {@code IBV_QPT_XRC_RECV}.
     * Nothing is posted to it, and it generates no completions of its own. A message consumes a receive of the shared
     * receive queue that the sender names, and completes on the completion queue of that shared receive queue, with
     * the number of this queue pair. A peer may write to, read from and do atomics on memory of that queue's
     * protection domain.
     *
     * @return to be connected to one {@link QueuePairType#XRC_SEND} queue pair, and closed before this domain
     */
    public QueuePair createReceiveQueuePair() {
        Qp qp = verbs.xrc().createXrcReceiveQp(handle());
        return receiving(qp);
    }

    /**
     * Opens the receiving end of a connection that another user of this domain has created, {@code ibv_open_qp(3)}. So
     * it receives for shared receive queues of this process, too, and stays when its creator closes it or ends: the
     * device destroys it when all that created or opened it have closed it.
     *
     * @param number as {@link QueuePair#number} has it at the creator
     * @return in the state that it has; to be closed before this domain
     * @throws VerbsException EINVAL if the domain has no such queue pair
     */
    public QueuePair openReceiveQueuePair(int number) {
        Qp qp = verbs.xrc().openQp(handle(), number);
        return receiving(qp);
    }

    private QueuePair receiving(Qp qp) {
        return new QueuePair(
                verbs,
                SendInterface.classic(verbs, QueuePairType.XRC_RECV),
                context,
                QueuePairType.XRC_RECV,
                qp,
                NOTHING,
                () -> verbs.destroyQp(qp.handle()));
    }

    @Override
    void destroy(long handle) {
        verbs.xrc().closeXrcd(handle);
    }
}
