package io.rdma.samples.learn;

import io.rdma.types.QueuePairCapacity;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.SendChain;
import io.rdma.verbs.SharedReceiveQueue;
import io.rdma.verbs.XrcDomain;
import java.util.ArrayList;
import java.util.List;

/**
 * A run with extended reliable connections: one queue pair for each client. Each message names the shared receive queue
 * that it goes to, and thereby the worker that gets it.
 */
final class ExtendedRun extends ScalingRun {
    private final XrcDomain extended;
    private final List<SharedReceiveQueue> shared = new ArrayList<>();
    private final int[] numbers; // numbers of the workers' queues, which the clients know

    ExtendedRun(DeviceContext context, ProtectionDomain domain, int clients, int workers, int ofWorker) {
        super(context, domain, clients);
        extended = context.openXrcDomain();
        numbers = new int[workers];
        for (int i = 0; i < workers; i++) {
            Worker worker = new Worker(context, domain, ofWorker, MESSAGE);
            this.workers.add(worker);
            SharedReceiveQueue queue = domain.createSharedReceiveQueue(
                    extended, worker.received, SharedReceiveQueueAttributes.of(ofWorker, 1));
            shared.add(queue);
            numbers[i] = queue.number();
            Side.posted("ibv_post_srq_recv", queue.post(worker.slots(0, ofWorker)));
        }
    }

    @Override
    void connect(int client) {
        QueuePairCapacity capacity = new QueuePairCapacity(1, 1, 1, 1, 0);
        connect(
                extended.createReceiveQueuePair(),
                domain.createQueuePair(QueuePairType.XRC_SEND, sent, sent, capacity));
    }

    @Override
    QueuePair address(SendChain request, int client, int worker) {
        request.sharedReceiveQueue(numbers[worker]);
        return theirs.get(client);
    }

    @Override
    int post(int worker, int slot) {
        return shared.get(worker).post(workers.get(worker).receives);
    }

    @Override
    void closeShared() {
        shared.forEach(SharedReceiveQueue::close);
        extended.close();
    }
}
