package io.rdma.samples.learn;

import io.rdma.types.RdmaException;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.SendChain;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A server with some workers, and clients that each send messages to every worker. All of them are in one process,
 * since the run only counts the resources of each side.
 */
abstract class ScalingRun implements AutoCloseable {
    static final int MESSAGE = 1024;
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final long GIVEN_UP_NANOS = 2_000_000_000L; // a datagram that has not arrived by then is lost
    private static final SecureRandom RANDOM = new SecureRandom();

    final ProtectionDomain domain;
    final List<Worker> workers = new ArrayList<>();
    /** Queue pairs of the server; {@link #theirs} has those of the clients. Both are in the order of creation. */
    final List<QueuePair> ours = new ArrayList<>();

    final List<QueuePair> theirs = new ArrayList<>();
    final CompletionQueue sent;
    private final Steps steps;
    private final MemoryRegion message;
    private final SendChain send = new SendChain(1, 1);
    private final CompletionBatch batch = new CompletionBatch(64);
    private int clients;
    private long lost;

    ScalingRun(DeviceContext context, ProtectionDomain domain, int mostClients) {
        this.domain = domain;
        steps = new Steps(context);
        sent = context.createCompletionQueue(mostClients, null); // each client has one message in flight
        message = domain.allocate(MESSAGE, Set.of());
    }

    /** Connects one more client with every worker. */
    final void connect() {
        connect(clients++);
    }

    abstract void connect(int client);

    /**
     * Adds the worker's address to a request.
     *
     * @return the queue pair to which the request is posted
     */
    abstract QueuePair address(SendChain request, int client, int worker);

    /** Posts the chain of a worker. It holds one receive, into the slot whose message was taken. */
    abstract int post(int worker, int slot);

    /** Returns whether every message that is sent also arrives. */
    boolean isReliable() {
        return true;
    }

    /** Connects the two ends of a reliable connection. */
    final void connect(QueuePair server, QueuePair client) {
        ours.add(server);
        theirs.add(client);
        int psn = RANDOM.nextInt(1 << 24);
        for (QueuePair pair : List.of(server, client)) {
            pair.modify(steps.init());
            Address peer = steps.address(pair == server ? client : server, psn, message.remote());
            pair.modify(steps.readyToReceive(pair.type(), peer));
            pair.modify(steps.readyToSend(pair.type(), psn));
        }
    }

    /**
     * Sends one message from every client, in each round to another worker.
     *
     * @return number of messages that arrived
     */
    final int round(int number) {
        for (int client = 0; client < clients; client++) {
            send.clear();
            send.add(client, WorkRequestOpcode.SEND).signaled();
            QueuePair pair = address(send, client, (client + number) % workers.size());
            send.entry(message.segment().address(), MESSAGE, message.lkey());
            Side.posted("ibv_post_send", pair.post(send));
        }
        int done = 0;
        int arrived = 0;
        long last = System.nanoTime();
        while (arrived < clients || done < clients) {
            int polled = sent.poll(batch);
            for (int i = 0; i < polled; i++) {
                Side.posted("completion", batch.status(i));
            }
            done += polled;
            for (int worker = 0; worker < workers.size(); worker++) {
                int of = worker;
                int taken = workers.get(of).poll(slot -> again(of, slot));
                arrived += taken;
                polled += taken;
            }
            long now = System.nanoTime();
            if (polled > 0) {
                last = now;
            } else if (done >= clients && !isReliable() && now - last > GIVEN_UP_NANOS) {
                break;
            } else if (now - last > PATIENCE_NANOS) {
                throw new RdmaException("no completion within " + PATIENCE_NANOS / 1_000_000_000 + " s");
            }
        }
        lost += clients - arrived;
        return arrived;
    }

    private void again(int worker, int slot) {
        workers.get(worker).slots(slot, 1);
        Side.posted("ibv_post_recv", post(worker, slot));
    }

    final long lost() {
        return lost;
    }

    /** Returns the size of the memory that is posted for receiving, in KiB. */
    final double memory() {
        return workers.stream()
                .mapToDouble(worker -> worker.memory.segment().byteSize() / 1024.0)
                .sum();
    }

    /** Closes the objects of a subclass, after the queue pairs and before the completion queues. */
    void closeShared() {}

    @Override
    public final void close() {
        ours.forEach(QueuePair::close);
        theirs.forEach(QueuePair::close);
        closeShared();
        workers.forEach(Worker::close);
        sent.close();
        message.close();
    }
}
