package io.rdma.internal.soft;

import static org.awaitility.Awaitility.await;

import io.rdma.internal.ffi.Cma;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.soft.cm.CmAddressing;
import io.rdma.internal.soft.cm.CmMad;
import io.rdma.internal.soft.cm.CmMadTest;
import io.rdma.internal.soft.cm.CmRequest;
import io.rdma.internal.soft.cm.MadCodec;
import io.rdma.internal.soft.link.SoftConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** A device that says to another's queue pair 1 whatever it likes. */
public final class HostileManager implements AutoCloseable {
    private final SoftVerbs victim;
    private final SoftVerbs own = new SoftVerbs(SoftConfig.loopback());
    private final long context = own.openDevice("soft0");
    private final byte[] gid = own.queryGidTable(context).getFirst().gid();
    private final InetSocketAddress target;
    private final Random random = new Random(5);

    /** @param victim a software device that is open */
    public HostileManager(Verbs victim) {
        this.victim = (SoftVerbs) victim;
        target = this.victim.device().local();
    }

    private byte[] any() {
        List<CmMad> all = CmMadTest.messages().toList();
        return MadCodec.encode(random.nextLong(), all.get(random.nextInt(all.size())));
    }

    /**
     * Headers of other versions, classes, methods and attributes.
     *
     * @return how many were sent
     */
    public int sendDamaged(int count) {
        for (int i = 0; i < count; i++) {
            byte[] mad = any();
            mad[random.nextInt(5)] ^= (byte) (1 << random.nextInt(8));
            send(mad);
        }
        return count;
    }

    /** Well-formed words that belong to nothing. */
    public void sendUnrelated(int count) {
        for (int i = 0; i < count; i++) {
            byte[] mad = any();
            for (int j = 0; j < 8; j++) {
                mad[24 + j] = (byte) random.nextInt(); // both numbers
            }
            send(mad);
        }
    }

    /** Requests for a service that exists. */
    public void sendRequests(int count, int port) {
        InetSocketAddress from = new InetSocketAddress(target.getAddress(), 1);
        byte[] data = new CmAddressing(from, target.getAddress()).before(new byte[0], CmRequest.PRIVATE_DATA);
        for (int i = 1; i <= count; i++) {
            CmRequest r = CmMadTest.request(i, 99);
            CmRequest request = new CmRequest(
                    i,
                    CmAddressing.service(Cma.PS_TCP, port),
                    99,
                    i,
                    1,
                    1,
                    r.peerTimeout(),
                    0,
                    false,
                    r.psn(),
                    r.ownTimeout(),
                    r.retryCount(),
                    1,
                    r.rnrRetryCount(),
                    r.maxRetries(),
                    false,
                    gid,
                    r.remoteGid(),
                    64,
                    14,
                    data);
            send(MadCodec.encode(i, request));
        }
        settle();
    }

    /** Until what was sent has been dealt with: the end of a conversation that nobody knows is answered. */
    private void settle() {
        long before = own.counters().get("rcvd_pkts");
        send(MadCodec.encode(1, new CmMad.Disconnect(1, 2, 3)));
        await().atMost(Duration.ofSeconds(60)).until(() -> own.counters().get("rcvd_pkts") > before);
    }

    /** One at a time: a socket's buffer is smaller than a flood. */
    private void send(byte[] mad) {
        long before = arrived();
        own.sendManagement(mad, target);
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> arrived() > before);
    }

    /** Datagrams that the victim dropped. */
    public long dropped() {
        return victim.counters().get("malformed_pkts");
    }

    /** Datagrams that reached the victim. */
    public long arrived() {
        return victim.counters().get("rcvd_pkts");
    }

    @Override
    public void close() {
        own.closeDevice(context);
    }
}
