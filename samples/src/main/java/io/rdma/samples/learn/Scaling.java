package io.rdma.samples.learn;

import io.rdma.samples.DeviceOption;
import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairCapacity;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.SharedReceiveQueue;
import io.rdma.verbs.SharedReceiveQueueAttributes;
import io.rdma.verbs.WorkRequestOpcode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A server with more and more clients: a queue pair for each with receives of its own, or with receives that all share. */
@Command(
        name = "scaling",
        mixinStandardHelpOptions = true,
        description = "A server's queue pairs and receives with more and more clients: memory, set-up, messages.")
final class Scaling implements Callable<Integer> {
    private static final int MESSAGE = 1024;
    private static final int OWN_RECEIVES = 16; // for each client that may send at any time
    private static final int SHARED_RECEIVES = 64; // for as many as send at the same time

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Mixin
    private Measuring measuring = new Measuring();

    @Option(names = "--max-peers", defaultValue = "64", description = "Most clients; default: ${DEFAULT-VALUE}.")
    private int most = 64;

    @Override
    public Integer call() {
        List<String> kinds = List.of("receives of its own", "shared receives");
        Table memory = new Table("learn-scaling-memory", "peers", "KiB posted for receiving", kinds);
        Table setUp = new Table("learn-scaling-set-up", "peers", "us for each peer", kinds);
        Table rate = new Table("learn-scaling-messages", "peers", "thousand messages a second", kinds);
        for (int peers = 1; peers <= most; peers *= 4) {
            double[] own = run(peers, false);
            double[] shared = run(peers, true);
            memory.row(peers, own[0], shared[0]);
            setUp.row(peers, own[1], shared[1]);
            rate.row(peers, own[2], shared[2]);
        }
        memory.finish(measuring.output);
        setUp.finish(measuring.output);
        rate.finish(measuring.output);
        return 0;
    }

    /** @return KiB of receives, microseconds to set a peer up, thousand messages a second */
    private double[] run(int peers, boolean share) {
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                Server server = new Server(context, domain, peers, share)) {
            long start = System.nanoTime();
            for (int i = 0; i < peers; i++) {
                server.connect();
            }
            double setUp = (System.nanoTime() - start) / 1e3 / peers;
            int rounds = Math.max(1, measuring.count() / peers);
            server.round(); // warms up
            start = System.nanoTime();
            for (int i = 0; i < rounds; i++) {
                server.round();
            }
            double rate = 1e6 * rounds * peers / (System.nanoTime() - start);
            return new double[] {server.memory.segment().byteSize() / 1024.0, setUp, rate};
        }
    }

    /** The server's side, with its clients in the same process. */
    private static final class Server implements AutoCloseable {
        private final DeviceContext context;
        private final ProtectionDomain domain;
        private final MemoryRegion memory;
        private final CompletionQueue received;
        private final @Nullable SharedReceiveQueue shared;
        private final CompletionBatch batch = new CompletionBatch(Side.DEPTH);
        private final ReceiveChain receives = new ReceiveChain(SHARED_RECEIVES, 1);
        private final List<QueuePair> pairs = new ArrayList<>();
        private final List<Side> clients = new ArrayList<>();

        Server(DeviceContext context, ProtectionDomain domain, int peers, boolean share) {
            this.context = context;
            this.domain = domain;
            int posted = share ? SHARED_RECEIVES : peers * OWN_RECEIVES;
            memory = domain.allocate((long) posted * MESSAGE, EnumSet.of(AccessFlag.LOCAL_WRITE));
            received = context.createCompletionQueue(posted + peers, null);
            shared =
                    share ? domain.createSharedReceiveQueue(SharedReceiveQueueAttributes.of(SHARED_RECEIVES, 1)) : null;
            if (shared != null) {
                fill(0, SHARED_RECEIVES);
                Side.posted("ibv_post_srq_recv", shared.post(receives));
            }
        }

        /** Receives into the memory from a slot on; which slot it was comes back in the completion. */
        private void fill(int firstSlot, int count) {
            receives.clear();
            for (int slot = firstSlot; slot < firstSlot + count; slot++) {
                receives.add(slot).entry(memory.segment().address() + (long) slot * MESSAGE, MESSAGE, memory.lkey());
            }
        }

        void connect() {
            Side client = new Side(context, domain, MESSAGE);
            clients.add(client);
            QueuePairCapacity capacity = new QueuePairCapacity(1, OWN_RECEIVES, 1, 1, 0);
            QueuePair pair = shared == null
                    ? domain.createQueuePair(received, received, capacity)
                    : domain.createQueuePair(received, received, shared, capacity);
            pairs.add(pair);
            Address toClient = client.address();
            pair.modify(client.init());
            QueuePairAttributes toReceive = client.readyToReceive(toClient);
            pair.modify(toReceive);
            pair.modify(client.readyToSend());
            if (shared == null) {
                fill((pairs.size() - 1) * OWN_RECEIVES, OWN_RECEIVES);
                Side.posted("ibv_post_recv", pair.post(receives));
            }
            client.connect(new Address(
                    pair.number(), toClient.psn(), toClient.lid(), toClient.mtu(), toClient.gid(), toClient.memory()));
        }

        /** Every client sends one message; the server posts each receive again. */
        void round() {
            for (Side client : clients) {
                client.sends.clear();
                client.sends
                        .add(1, WorkRequestOpcode.SEND)
                        .signaled()
                        .entry(client.memory.segment().address(), MESSAGE, client.memory.lkey());
                client.post();
            }
            for (int done = 0; done < clients.size(); ) {
                int polled = received.poll(batch);
                for (int i = 0; i < polled; i++) {
                    again(batch.status(i), (int) batch.wrId(i));
                }
                done += polled;
            }
            clients.forEach(client -> client.await(1));
        }

        private void again(int status, int slot) {
            Side.posted("completion", status);
            fill(slot, 1);
            if (shared == null) {
                Side.posted("ibv_post_recv", pairs.get(slot / OWN_RECEIVES).post(receives));
            } else {
                Side.posted("ibv_post_srq_recv", shared.post(receives));
            }
        }

        @Override
        public void close() {
            pairs.forEach(QueuePair::close);
            clients.forEach(Side::close);
            if (shared != null) {
                shared.close();
            }
            received.close();
            memory.close();
        }
    }
}
