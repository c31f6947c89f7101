package io.rdma.internal.soft.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.rdma.environment.Environment;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.UdpAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rings of two devices, with a test in place of their sockets. */
class PeerRingsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** One side: it keeps the datagrams that it sends. */
    private static final class Side implements PeerRings.Carrier {
        final UdpAddress address;
        final Queue<byte[]> datagrams = new ConcurrentLinkedQueue<>();
        final AtomicInteger wakes = new AtomicInteger();
        final AtomicInteger flushes = new AtomicInteger();
        final PeerRings rings;

        Side(int port) {
            address = new UdpAddress(new InetSocketAddress("127.0.0.1", port));
            rings = PeerRings.of(Environment.SYSTEM, this, address);
            assumeThat(rings).as("memory for rings").isNotNull();
        }

        @Override
        public void carry(byte[] datagram, UdpAddress to) {
            datagrams.add(datagram);
        }

        @Override
        public void flush() {
            flushes.incrementAndGet();
        }

        @Override
        public void wake() {
            wakes.incrementAndGet();
        }

        /** Reads what another side has sent. */
        void hear(Side from) {
            for (byte[] one; (one = from.datagrams.poll()) != null; ) {
                assertThat(isControl(one, from.address)).isTrue();
            }
        }

        boolean isControl(byte[] datagram, UdpAddress from) {
            return rings.isControl(ByteBuffer.allocate(64).put(datagram).clear(), 0, datagram.length, from);
        }
    }

    private final Arena arena = Arena.ofShared();
    private final MemorySegment payload = arena.allocate(4096, 8);
    private final Packet packet = new Packet();
    private Side lower;
    private Side higher;
    private Peer toHigher;
    private Peer toLower;

    @BeforeEach
    void open() {
        lower = new Side(1000);
        higher = new Side(2000);
        toHigher = new Peer(higher.address);
        toLower = new Peer(lower.address);
    }

    @AfterEach
    void close() {
        lower.rings.close();
        higher.rings.close();
        arena.close();
    }

    private Packet packet(int psn) {
        packet.reset(Opcode.SEND_ONLY, 7, psn);
        packet.addPiece(payload.address(), 4096);
        return packet;
    }

    /** Lets both sides send by UDP until they share a ring. */
    private void share() {
        share(lower, toHigher, higher, toLower);
    }

    private void share(Side lower, Peer toHigher, Side higher, Peer toLower) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(1)).until(() -> {
            boolean shared = false;
            for (int i = 0; i < 100; i++) { // some of the first packets
                shared = lower.rings.reaches(toHigher) & higher.rings.reaches(toLower);
            }
            assertThat(lower.rings.receive(packet)).isNull();
            assertThat(higher.rings.receive(packet)).isNull();
            higher.hear(lower);
            lower.hear(higher);
            return shared;
        });
    }

    /** Sends as long as requests may. Returns the number of packets. */
    private int fill() {
        int sent = 0;
        while (lower.rings.hasRoom(toHigher)) {
            assertThat(sent).isLessThan(Ring.CAPACITY / 4096);
            lower.rings.send(packet(sent++), toHigher);
        }
        return sent;
    }

    private void emptySocket(Side side) {
        side.rings.socketWasRead(true);
        side.rings.socketWasRead(true);
    }

    /** A packet that waits in the socket's queue would be overtaken by the first one in the ring. */
    @Test
    void socketIsFlushedBeforeTheFirstPacketIsInTheRing() {
        share();
        assertThat(lower.flushes).hasPositiveValue();
        assertThat(higher.flushes).hasPositiveValue();
    }

    @Test
    void busyRingHoldsUpNeitherAnotherRingNorTheSocket() {
        Side other = new Side(1500);
        Peer fromOther = new Peer(higher.address);
        try {
            share();
            share(other, fromOther, higher, new Peer(other.address));
            for (int i = 0; i < 300; i++) {
                lower.rings.send(packet(i), toHigher);
            }
            other.rings.send(packet(999), fromOther);
            emptySocket(higher);
            int reads = 0;
            boolean socketDue = false;
            do {
                assertThat(higher.rings.receive(packet)).isNotNull();
                socketDue |= higher.rings.isSocketDue();
                reads++;
            } while (packet.psn != 999);
            assertThat(reads).isLessThan(40);
            for (; !socketDue; reads++) {
                assertThat(higher.rings.receive(packet))
                        .as("packet behind %s", reads)
                        .isNotNull();
                socketDue = higher.rings.isSocketDue();
            }
            assertThat(reads).isLessThan(100);
        } finally {
            other.rings.close();
        }
    }

    @Test
    void writerLeavesARingWhoseReaderHasLeft() {
        share();
        higher.rings.close();
        lower.rings.send(packet(1), toHigher);
        lower.rings.flush();
        assertThat(lower.rings.reaches(toHigher)).as("it goes on by UDP").isFalse();
        assertThat(lower.rings.hasRoom(toHigher)).isTrue();
        assertThat(lower.rings.receive(packet)).isNull();
        assertThat(lower.rings.reaches(toHigher)).as("its memory is free").isFalse();
    }

    @Test
    void addressThatOtherHostsMayUseHasNoRings() {
        UdpAddress address = new UdpAddress(new InetSocketAddress("192.0.2.1", 1000));
        assertThat(PeerRings.of(Environment.SYSTEM, lower, address)).isNull();
    }

    /** Its last packet may be the acknowledge of a request that it has executed. */
    @Test
    void lastPacketOfAPeerThatHasLeftIsRead() {
        share();
        higher.rings.send(packet(8), toLower);
        higher.rings.close();
        lower.rings.send(packet(1), toHigher);
        lower.rings.flush();
        assertThat(lower.rings.reaches(toHigher)).isFalse();
        emptySocket(lower);
        assertThat(lower.rings.receive(packet)).isNotNull();
        assertThat(packet.psn).isEqualTo(8);
        assertThat(lower.rings.receive(packet)).isNull();
    }

    @Test
    void busySocketIsReadWhileTheRingsAreEmpty() {
        share();
        lower.rings.send(packet(1), toHigher);
        emptySocket(higher);
        assertThat(higher.rings.receive(packet)).isNotNull();
        assertThat(higher.rings.isSocketBusy()).isFalse();
        higher.rings.socketWasRead(false);
        assertThat(higher.rings.receive(packet)).isNull();
        assertThat(higher.rings.isSocketBusy()).isTrue();
        higher.rings.socketWasRead(true);
        assertThat(higher.rings.isSocketDue()).isFalse();
        higher.rings.awake();
        assertThat(higher.rings.isSocketDue())
                .as("a datagram may have woken it")
                .isTrue();
    }

    @Test
    void sideWithTheHigherPortOffersNothing() {
        for (int i = 0; i < 5000; i++) {
            assertThat(higher.rings.reaches(toLower)).isFalse();
            assertThat(higher.rings.receive(packet)).isNull();
        }
        assertThat(higher.datagrams).isEmpty();
    }

    @Test
    void offerThatIsLostIsRepeated() {
        for (int i = 0; i < 100; i++) {
            lower.rings.reaches(toHigher);
        }
        await().atMost(PATIENCE).until(() -> {
            lower.rings.receive(packet);
            return !lower.datagrams.isEmpty();
        });
        lower.datagrams.clear();
        share();
    }

    @Test
    void packetWaitsForThoseThatWereSentBeforeItByUdp() {
        share();
        lower.rings.send(packet(5), toHigher);
        assertThat(higher.rings.receive(packet)).isNull();
        assertThat(higher.rings.isSocketDue()).isTrue();
        higher.rings.socketWasRead(false);
        higher.rings.socketWasRead(true);
        assertThat(higher.rings.receive(packet))
                .as("the socket may answer once without a look")
                .isNull();
        higher.rings.socketWasRead(true);
        assertThat(higher.rings.receive(packet)).isNotNull().matches(lower.address::same);
        assertThat(packet.psn).isEqualTo(5);
    }

    @Test
    void packetDoesNotWaitForASocketThatIsNeverEmpty() {
        share();
        lower.rings.send(packet(5), toHigher);
        int reads = 0;
        while (higher.rings.receive(packet) == null) {
            assertThat(reads++).isLessThan(1 << 17);
            higher.rings.socketWasRead(false);
        }
    }

    @Test
    void requestsWaitBeforeTheRingIsFullAndGoOnBehindTheReader() {
        share();
        int sent = fill();
        assertThat(sent).isGreaterThan(Ring.CAPACITY / 2 / 4096);
        for (int i = 0; i < 64; i++) { // answers still have room
            lower.rings.send(packet(sent++), toHigher);
        }
        assertThat(lower.rings.lost()).isZero();
        emptySocket(higher);
        for (int i = 0; i < sent; i++) {
            assertThat(higher.rings.receive(packet)).isNotNull();
            assertThat(packet.psn).isEqualTo(i);
        }
        assertThat(higher.rings.receive(packet)).isNull();
        assertThat(lower.rings.receive(packet)).isNull();
        assertThat(lower.rings.isCrowded()).isFalse();
        assertThat(lower.rings.hasRoom(toHigher)).isTrue();
    }

    /** Otherwise requests would wait for ever, and the transport would not notice that nobody reads. */
    @Test
    void readerThatStandsStillLetsRequestsBeLost() {
        share();
        int sent = fill();
        await().atMost(PATIENCE).until(() -> lower.rings.hasRoom(toHigher));
        while (lower.rings.lost() == 0) {
            assertThat(lower.rings.hasRoom(toHigher)).isTrue();
            lower.rings.send(packet(sent++), toHigher);
        }
        assertThat(lower.rings.carried()).isEqualTo(sent - 1);
    }

    @Test
    void readerIsKnockedOnlyWhileItSleeps() {
        share();
        emptySocket(higher);
        lower.rings.send(packet(1), toHigher);
        lower.rings.flush();
        assertThat(lower.datagrams).as("the reader is awake").isEmpty();
        assertThat(higher.rings.fallAsleep()).as("a packet waits").isFalse();
        emptySocket(higher);
        assertThat(higher.rings.receive(packet)).isNotNull();
        assertThat(higher.rings.receive(packet)).isNull();
        assertThat(higher.rings.fallAsleep()).isTrue();
        lower.rings.send(packet(2), toHigher);
        lower.rings.send(packet(3), toHigher);
        lower.rings.flush();
        assertThat(lower.datagrams).hasSize(1);
        higher.hear(lower);
        lower.rings.send(packet(4), toHigher);
        lower.rings.flush();
        assertThat(lower.datagrams).as("it is being woken").isEmpty();
        higher.rings.awake();
    }

    @Test
    void offersThatNoDeviceMakesAreRefused() {
        String name = "0123456789abcdef0123456789abcdef";
        UdpAddress remote = new UdpAddress(new InetSocketAddress("192.0.2.1", 900));
        assertThat(lower.isControl(("jrdmRing2" + name).getBytes(), higher.address))
                .isTrue();
        assertThat(higher.isControl(("jrdmRing2" + name).getBytes(), remote)).isTrue();
        assertThat(higher.isControl(("jrdmRing2../" + name.substring(3)).getBytes(), lower.address))
                .isFalse();
        assertThat(higher.isControl(("jrdmRing0" + name).getBytes(), lower.address))
                .isFalse();
        assertThat(higher.isControl("x".getBytes(), lower.address)).isFalse();
        assertThat(higher.wakes).as("files that were looked for").hasValue(0);
    }

    @Test
    void offersOfMissingFilesKeepNoPeerFromSharing() {
        byte[] offer = ("jrdmRing2" + "f".repeat(32)).getBytes();
        for (int port = 1; port < 1000; port++) {
            assertThat(higher.isControl(offer, new UdpAddress(new InetSocketAddress("127.0.0.1", port))))
                    .isTrue();
        }
        share();
    }
}
