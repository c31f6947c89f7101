package io.rdma.internal.soft.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma.internal.os.SixLongs;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Several sockets of one device. Every packet arrives at one of them, and those of a sender at the same one, in order.
 */
class ReceiveLaneTest {
    private static final int SENDERS = 32;
    private static final int PACKETS = 50;
    private static final int LANES = 3;

    private final Counters counters = new Counters();
    private final UdpLink link = new UdpLink(SoftConfig.loopback(), counters);
    private final Packet packet = new Packet();
    private final Map<Integer, List<Integer>> numbers = new HashMap<>(); // by the sender's port
    private final Map<Integer, Set<Object>> takers = new HashMap<>();
    private List<ReceiveLane> lanes = List.of();

    @AfterEach
    void close() {
        lanes.forEach(ReceiveLane::close);
        link.close();
    }

    private synchronized void receiveAll(ReceiveLane lane) {
        for (int i = 0; i < lane.count(); i++) {
            UdpAddress from = link.receive(lane, i, packet);
            if (from != null) {
                addPacket(lane, from);
            }
        }
    }

    private final class Takers implements ReceiveLane.Taker {
        @Override
        public void take(ReceiveLane lane) {
            receiveAll(lane);
        }

        @Override
        public void failed(Throwable cause) {
            throw new AssertionError(cause);
        }
    }

    private void addPacket(Object by, UdpAddress from) {
        numbers.computeIfAbsent(from.port, port -> new ArrayList<>()).add(packet.psn);
        takers.computeIfAbsent(from.port, port -> new HashSet<>()).add(by);
    }

    private synchronized int received() {
        for (UdpAddress from; (from = link.receive(packet)) != null; ) {
            addPacket(link, from);
        }
        return numbers.values().stream().mapToInt(List::size).sum();
    }

    @Test
    void everyPacketArrivesInOrderAtOneSocket() {
        assumeThat(SixLongs.supported()).as("native sockets").isTrue();
        lanes = link.lanes(LANES, new Takers());
        lanes.forEach(ReceiveLane::start);
        InetSocketAddress here = link.local();
        List<UdpLink> senders = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
            senders.add(new UdpLink(SoftConfig.loopback(), new Counters()));
        }
        Packet sent = new Packet();
        for (int psn = 0; psn < PACKETS; psn++) {
            for (UdpLink sender : senders) {
                sent.reset(Opcode.ACKNOWLEDGE, 7, psn);
                sender.send(sent, here);
                sender.flush();
            }
            int all = (psn + 1) * SENDERS; // so that no socket buffer is full
            Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> received() == all);
        }
        senders.forEach(UdpLink::close);
        synchronized (this) {
            List<Integer> inOrder =
                    java.util.stream.IntStream.range(0, PACKETS).boxed().toList();
            assertThat(numbers).hasSize(SENDERS);
            assertThat(numbers.values()).allSatisfy(list -> assertThat(list).isEqualTo(inOrder));
            assertThat(takers.values()).allSatisfy(by -> assertThat(by).hasSize(1));
            assertThat(new HashSet<>(takers.values())).as("sockets in use").hasSizeGreaterThan(1);
        }
    }

    /** A lane whose thread ended would drop the packets of some senders for good. */
    @Test
    void aLaneGoesOnWhenTheHandlerThrowsTheSameErrorAgain() {
        assumeThat(SixLongs.supported()).as("native sockets").isTrue();
        Error thrown = new AssertionError("a test's");
        Map<Thread, Integer> failures = new ConcurrentHashMap<>();
        lanes = link.lanes(LANES, new ReceiveLane.Taker() {
            @Override
            public void take(ReceiveLane lane) {
                throw thrown;
            }

            @Override
            public void failed(Throwable cause) {
                failures.merge(Thread.currentThread(), 1, Integer::sum);
                throw thrown;
            }
        });
        lanes.forEach(ReceiveLane::start);
        List<UdpLink> senders = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) { // so many that the kernel gives some of them to a lane
            senders.add(new UdpLink(SoftConfig.loopback(), new Counters()));
        }
        Packet sent = new Packet();
        sent.reset(Opcode.ACKNOWLEDGE, 7, 0);
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> {
            for (UdpLink sender : senders) {
                sender.send(sent, link.local());
                sender.flush();
            }
            return failures.values().stream().anyMatch(count -> count > 1);
        });
        senders.forEach(UdpLink::close);
    }

    /**
     * An overwritten buffer would change after its ICRC was checked, and bytes of another sender would count as those
     * of the first one.
     */
    @Test
    void gatheredDatagramsAreNotOverwrittenByEmptyOnes() throws IOException {
        assumeThat(SixLongs.supported()).as("native sockets").isTrue();
        NativeSocket socket = new NativeSocket(SoftConfig.loopback().socketAddress());
        try (DatagramSocket sender = new DatagramSocket()) {
            int several = 40; // more than one call receives
            for (int i = 0; i < several; i++) {
                byte[] datagram = i == 0 ? new byte[] {1} : new byte[0];
                sender.send(new DatagramPacket(datagram, datagram.length, socket.local()));
            }
            sender.send(new DatagramPacket(new byte[] {2}, 1, socket.local()));
            UdpAddress from = new UdpAddress();

            assertThat(next(socket, from)).isEqualTo(1);
            int at = socket.received();
            assertThat(socket.receiveBeside(from)).isEqualTo(-1);

            assertThat(socket.memory().get(at)).isEqualTo((byte) 1);
            assertThat(next(socket, from)).isEqualTo(1);
            assertThat(socket.memory().get(socket.received())).isEqualTo((byte) 2);
        } finally {
            socket.close();
        }
    }

    /** Returns the length of the next datagram. The kernel may take some time to deliver it. */
    private static int next(NativeSocket socket, UdpAddress from) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> socket.receive(from), length -> length >= 0);
    }

    @Test
    void aPropertySetsTheNumberOfLanes() {
        assertThat(ReceiveLane.threads("4")).isEqualTo(4);
        for (String wrong : List.of("0", "65", "-1", "many", "")) {
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() -> ReceiveLane.threads(wrong))
                    .withMessageContaining(ReceiveLane.PROPERTY)
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        }
    }
}
