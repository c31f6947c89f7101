package io.rdma.samples.learn;

import io.rdma.types.QueuePairCapacity;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.SendChain;
import io.rdma.verbs.SharedReceiveQueue;
import java.util.ArrayList;
import java.util.List;

/**
 * A run with reliable connections: a queue pair for each client and worker. Its receives are its own, or are shared by
 * all queue pairs of a worker.
 */
final class ConnectedRun extends ScalingRun {
    private final int own;
    private final List<SharedReceiveQueue> shared = new ArrayList<>();

    /**
     * Creates a run.
     *
     * @param own receives of each queue pair; 0 if they share those of the worker
     */
    ConnectedRun(DeviceContext context, ProtectionDomain domain, int clients, int workers, int own, int ofWorker) {
        super(context, domain, clients);
        this.own = own;
        for (int i = 0; i < workers; i++) {
            Worker worker = new Worker(context, domain, own == 0 ? ofWorker : own * clients, MESSAGE);
            this.workers.add(worker);
            if (own == 0) {
                SharedReceiveQueue queue =
                        domain.createSharedReceiveQueue(SharedReceiveQueueAttributes.of(ofWorker, 1));
                shared.add(queue);
                Side.posted("ibv_post_srq_recv", queue.post(worker.slots(0, ofWorker)));
            }
        }
    }

    @Override
    void connect(int client) {
        for (int i = 0; i < workers.size(); i++) {
            Worker worker = workers.get(i);
            QueuePairCapacity capacity = new QueuePairCapacity(1, Math.max(1, own), 1, 1, 0);
            QueuePair pair = own == 0
                    ? domain.createQueuePair(worker.received, worker.received, shared.get(i), capacity)
                    : domain.createQueuePair(worker.received, worker.received, capacity);
            connect(pair, domain.createQueuePair(sent, sent, new QueuePairCapacity(1, 1, 1, 1, 0)));
            if (own > 0) { // before its client may send
                Side.posted("ibv_post_recv", pair.post(worker.slots(client * own, own)));
            }
        }
    }

    @Override
    QueuePair address(SendChain request, int client, int worker) {
        return theirs.get(client * workers.size() + worker);
    }

    @Override
    int post(int worker, int slot) {
        Worker of = workers.get(worker);
        return own == 0
                ? shared.get(worker).post(of.receives)
                : ours.get(slot / own * workers.size() + worker).post(of.receives);
    }

    @Override
    void closeShared() {
        shared.forEach(SharedReceiveQueue::close);
    }
}
