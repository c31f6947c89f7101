package io.rdma.internal.soft;

import static org.awaitility.Awaitility.await;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Cma;
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

/** A device that sends arbitrary management datagrams to queue pair 1 of another device. */
public final class HostileManager implements AutoCloseable {
    private final SoftVerbs victim;
    private final SoftVerbs own = new SoftVerbs(SoftConfig.loopback());
    private final long context = own.openDevice("soft0");
    private final byte[] gid = own.queryGidTable(context).getFirst().gid();
    private final InetSocketAddress target;
    private final Random random = new Random(5);

    /**
     * Creates a device that attacks another one.
     *
     * @param victim a software device that is open
     */
    public HostileManager(Verbs victim) {
        this.victim = (SoftVerbs) victim;
        target = this.victim.device().local();
    }

    private byte[] any() {
        List<CmMad> all = CmMadTest.messages().toList();
        return MadCodec.encode(random.nextLong(), all.get(random.nextInt(all.size())));
    }

    /**
     * Sends datagrams with a damaged header: version, class, method or status.
     *
     * @return number of datagrams sent
     */
    public int sendDamaged(int count) {
        for (int i = 0; i < count; i++) {
            byte[] mad = any();
            mad[random.nextInt(5)] ^= (byte) (1 << random.nextInt(8));
            send(mad);
        }
        return count;
    }

    /** Sends well-formed messages that belong to no conversation. */
    public void sendUnrelated(int count) {
        for (int i = 0; i < count; i++) {
            byte[] mad = any();
            for (int j = 0; j < 8; j++) {
                mad[24 + j] = (byte) random.nextInt(); // both communication ids
            }
            send(mad);
        }
    }

    /** Sends requests for a service that exists. */
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
                    0,
                    64,
                    14,
                    data);
            send(MadCodec.encode(i, request));
        }
        settle();
    }

    /**
     * Waits until the victim has handled everything sent before. It answers the disconnect request of an unknown
     * conversation.
     */
    private void settle() {
        long before = own.counters().get("rcvd_pkts");
        send(MadCodec.encode(1, new CmMad.Disconnect(1, 2, 3)));
        await().atMost(Duration.ofSeconds(60)).until(() -> own.counters().get("rcvd_pkts") > before);
    }

    /** Sends one datagram and waits until it has arrived: the buffer of a socket is smaller than the flood. */
    private void send(byte[] mad) {
        long before = arrived();
        own.sendManagement(mad, target);
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> arrived() > before);
    }

    /** Returns the number of datagrams that the victim dropped. */
    public long dropped() {
        return victim.counters().get("malformed_pkts");
    }

    /** Returns the number of datagrams that reached the victim. */
    public long arrived() {
        return victim.counters().get("rcvd_pkts");
    }

    @Override
    public void close() {
        own.closeDevice(context);
    }
}
