package io.rdma.samples.learn;

import io.rdma.samples.support.LocalGid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.verbs.AddressHandle;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.GlobalRoute;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.SendChain;
import java.security.SecureRandom;

/** A run with datagrams: one queue pair for each worker receives from all clients. A lost message is not sent again. */
final class DatagramRun extends ScalingRun {
    private static final int ROUTE = 40; // in front of every received datagram: the route that it came by

    private final int qkey = new SecureRandom().nextInt() >>> 1; // keys with the highest bit are privileged
    private final AddressHandle path; // the workers and clients are on the same port

    DatagramRun(DeviceContext context, ProtectionDomain domain, int clients, int workers, int ofWorker) {
        super(context, domain, clients);
        GidTableEntry gid = LocalGid.of(context, Steps.PORT);
        path = domain.createAddressHandle(AddressHandleAttributes.of(GlobalRoute.to(gid.gid(), gid.index()), Steps.PORT)
                .withDlid(context.queryPort(Steps.PORT).lid()));
        for (int i = 0; i < workers; i++) {
            Worker worker = new Worker(context, domain, ofWorker, ROUTE + MESSAGE);
            this.workers.add(worker);
            QueuePair pair = datagrams(worker.received, ofWorker);
            ours.add(pair);
            Side.posted("ibv_post_recv", pair.post(worker.slots(0, ofWorker)));
        }
    }

    private QueuePair datagrams(CompletionQueue queue, int receives) {
        QueuePair pair =
                domain.createQueuePair(QueuePairType.UD, queue, queue, new QueuePairCapacity(1, receives, 1, 1, 0));
        pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(Steps.PORT)
                .qkey(qkey));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(0));
        return pair;
    }

    @Override
    void connect(int client) {
        theirs.add(datagrams(sent, 1)); // the workers need no information about it
    }

    @Override
    QueuePair address(SendChain request, int client, int worker) {
        request.destination(path, ours.get(worker).number(), qkey);
        return theirs.get(client);
    }

    @Override
    int post(int worker, int slot) {
        return ours.get(worker).post(workers.get(worker).receives);
    }

    @Override
    boolean isReliable() {
        return false;
    }

    @Override
    void closeShared() {
        path.close();
    }
}
