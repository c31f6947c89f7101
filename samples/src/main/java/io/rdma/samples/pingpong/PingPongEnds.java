package io.rdma.samples.pingpong;

import io.rdma.types.GidTableEntry;
import io.rdma.types.PortAttributes;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.RdmaException;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.SharedReceiveQueue;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The queue pairs of a ping-pong, which have one completion queue, and if there are several, one receive queue. */
final class PingPongEnds implements AutoCloseable {
    private final PingPongTransport transport;
    private final PingPongOptions options;
    private final @Nullable SharedReceiveQueue shared;
    private final List<QueuePair> pairs = new ArrayList<>();
    private final List<PingPongPath> paths = new ArrayList<>();
    private final List<PingPongEnd> ends = new ArrayList<>();
    private final Map<Integer, PingPongEnd> byNumber = new HashMap<>();

    PingPongEnds(PingPongTransport transport, PingPongOptions options, ProtectionDomain domain, CompletionQueue queue) {
        this.transport = transport;
        this.options = options;
        shared = transport.sharesReceives()
                ? domain.createSharedReceiveQueue(SharedReceiveQueueAttributes.of(options.rxDepth, 1))
                : null;
        QueuePairCapacity capacity = new QueuePairCapacity(1, options.rxDepth, 1, 1, 0);
        try {
            for (int i = 0; i < options.queuePairs; i++) {
                QueuePair pair = shared == null
                        ? domain.createQueuePair(transport.type(), queue, queue, capacity)
                        : domain.createQueuePair(queue, queue, shared, capacity);
                pairs.add(pair);
                paths.add(transport.path(options, domain, pair));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Moves all queue pairs to INIT, and prints their addresses. */
    void init(PortAttributes port, GidTableEntry gid) {
        SecureRandom random = new SecureRandom();
        for (int i = 0; i < pairs.size(); i++) {
            QueuePair pair = pairs.get(i);
            paths.get(i).init();
            PingPongAddress local = new PingPongAddress(port.lid(), pair.number(), random.nextInt(1 << 24), gid.gid());
            System.out.println(local.line("local"));
            PingPongEnd end = new PingPongEnd(pair, paths.get(i), local);
            ends.add(end);
            byNumber.put(pair.number(), end);
        }
    }

    List<PingPongEnd> all() {
        return ends;
    }

    /** Returns the addresses of the handshake. */
    List<PingPongAddress> addresses() {
        List<PingPongAddress> addresses = new ArrayList<>();
        ends.forEach(end -> addresses.add(end.local()));
        while (addresses.size() < transport.addresses()) {
            addresses.add(PingPongAddress.none());
        }
        return addresses;
    }

    /**
     * Moves all queue pairs to RTS, each with the peer's address at its place.
     *
     * @throws RdmaException if the peer has another number of queue pairs
     */
    void up(GidTableEntry gid, List<PingPongAddress> remote) {
        long peers = remote.stream().filter(address -> address.qpNumber() != 0).count();
        if (peers != ends.size()) {
            throw new RdmaException("the peer has " + peers + " queue pairs, this end has " + ends.size()
                    + ": give both ends the same --num-qp");
        }
        for (int i = 0; i < ends.size(); i++) {
            ends.get(i).up(gid, remote.get(i));
        }
    }

    /** Returns the queue pair of a completion. */
    PingPongEnd of(int number) {
        PingPongEnd end = byNumber.get(number);
        if (end == null) {
            throw new RdmaException("a completion names queue pair " + number + ", which is none of this run");
        }
        return end;
    }

    /**
     * Posts receives.
     *
     * @return what ibv_post_recv or ibv_post_srq_recv returns
     */
    int post(ReceiveChain chain) {
        return shared == null ? pairs.get(0).post(chain) : shared.post(chain);
    }

    /** Closes the paths, the queue pairs, and then the queue that they share. */
    @Override
    public void close() {
        paths.forEach(PingPongPath::close);
        pairs.forEach(QueuePair::close);
        if (shared != null) {
            shared.close();
        }
    }
}
