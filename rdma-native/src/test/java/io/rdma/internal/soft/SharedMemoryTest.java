package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Wc;
import io.rdma.internal.soft.link.SoftFaults;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.testing.JavaProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two software devices of one host, which exchange packets in shared memory after the first ones. */
class SharedMemoryTest {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Arena arena = Arena.ofShared();
    private SoftSide a;
    private SoftSide b;

    @BeforeEach
    void connect() {
        assumeThat(Path.of("/dev/shm")).as("memory for rings").exists();
        connect(14);
    }

    private void connect(int retransmitAfter) {
        a = new SoftSide(arena, SoftFaults.NONE);
        b = new SoftSide(arena, SoftFaults.NONE);
        a.connect(b, retransmitAfter);
        b.connect(a, retransmitAfter);
    }

    @AfterEach
    void close() {
        if (b != null) {
            b.close();
            a.close();
        }
        arena.close();
    }

    private static long counted(SoftSide side, Counter counter) {
        return side.verbs.counters().get(counter.label());
    }

    private void write(int length) {
        a.send(1, Ibv.WR_RDMA_WRITE, b, 0, length);
        a.expect(1);
    }

    /** Writes until both devices send in shared memory. */
    private void share() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (counted(a, Counter.RING_PKTS) == 0 || counted(b, Counter.RING_PKTS) == 0) {
            assertThat(System.nanoTime()).as("a ring in time").isLessThan(deadline);
            write(64);
        }
    }

    private void randomize(MemorySegment memory) {
        randomize(memory, 3);
    }

    private void randomize(MemorySegment memory, int seed) {
        byte[] random = new byte[SoftSide.SIZE];
        new Random(seed).nextBytes(random);
        memory.copyFrom(MemorySegment.ofArray(random));
    }

    @Test
    void everythingArrivesAndNoPacketIsADatagram() {
        share();
        randomize(a.memory);
        long packets = counted(a, Counter.SENT_PKTS) + counted(b, Counter.SENT_PKTS);
        long shared = counted(a, Counter.RING_PKTS) + counted(b, Counter.RING_PKTS);
        write(SoftSide.SIZE);
        assertThat(b.memory.mismatch(a.memory)).isEqualTo(-1);
        a.memory.fill((byte) 0);
        a.send(2, Ibv.WR_RDMA_READ, b, 0, SoftSide.SIZE);
        a.expect(2);
        assertThat(a.memory.mismatch(b.memory)).isEqualTo(-1);
        for (int i = 0; i < 32; i++) {
            b.receive(i, i * 4000L, 4000);
            a.send(i, Ibv.WR_SEND, b, i * 4000L, i * 100);
            a.expect(i);
            b.expect(i);
        }
        long more = counted(a, Counter.SENT_PKTS) + counted(b, Counter.SENT_PKTS) - packets;
        assertThat(counted(a, Counter.RING_PKTS) + counted(b, Counter.RING_PKTS) - shared)
                .as("of %s packets", more)
                .isEqualTo(more);
        assertThat(more)
                .as("32 messages with their acknowledges, and few for data of %s path MTUs", 2 * SoftSide.SIZE / 1024)
                .isBetween(64L, 200L);
        assertThat(counted(a, Counter.COMPLETER_RETRY_ERR) + counted(b, Counter.COMPLETER_RETRY_ERR))
                .isZero();
    }

    @Test
    void sleepingPeerIsWoken() {
        b.close();
        a.close();
        connect(19); // 2 s: a machine that keeps a thread waiting for less has lost no wake-up
        share();
        for (int i = 0; i < 300; i++) { // the device's thread sleeps between some of them
            b.receive(i, 0, 64);
            b.arm();
            a.send(i, Ibv.WR_SEND, b, 0, 64);
            b.awaitEvent();
            b.expect(i);
            a.expect(i);
        }
        assertThat(counted(a, Counter.COMPLETER_RETRY_ERR))
                .as("wake-ups that were lost")
                .isZero();
    }

    @Test
    void faultsApplyToPacketsThatWereShared() {
        share();
        a.verbs.faults().setOthers(new SoftFaults(0.1, 0.05, 0.05, 4));
        long shared = counted(a, Counter.RING_PKTS);
        randomize(a.memory);
        write(SoftSide.SIZE);
        assertThat(b.memory.mismatch(a.memory)).isEqualTo(-1);
        assertThat(counted(a, Counter.COMPLETER_RETRY_ERR)).isPositive();
        assertThat(counted(a, Counter.RING_PKTS)).isEqualTo(shared);
        a.verbs.faults().clear();
        write(SoftSide.SIZE);
        assertThat(counted(a, Counter.RING_PKTS)).isGreaterThan(shared);
    }

    /**
     * Faults send packets by UDP, one for each path MTU, and lose some of them. Without faults they are joined again.
     * So what is sent again is cut in another way, in the middle of messages.
     */
    @Test
    void messagesAreCutAnewWheneverTheWayChanges() throws Exception {
        share();
        AtomicBoolean changes = new AtomicBoolean(true);
        Thread changer = Thread.startVirtualThread(() -> {
            for (int i = 0; changes.get(); i++) {
                SoftSide side = i % 2 == 0 ? a : b;
                side.verbs.faults().setOthers(i % 8 < 4 ? new SoftFaults(0.05, 0.02, 0.02, i) : SoftFaults.NONE);
                Thread.onSpinWait();
            }
        });
        try {
            Random random = new Random(9);
            long retries = 0;
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            for (int i = 0; retries < 30 || counted(a, Counter.RING_PKTS) < 300; i++) {
                assertThat(System.nanoTime()).as("changes in time").isLessThan(deadline);
                randomize(a.memory, i);
                b.memory.fill((byte) 0);
                int length = 1 + random.nextInt(SoftSide.SIZE);
                b.receive(i, 0, SoftSide.SIZE);
                boolean sends = random.nextBoolean();
                a.send(i, sends ? Ibv.WR_SEND : Ibv.WR_RDMA_WRITE_WITH_IMM, b, 0, length);
                a.expect(i);
                b.expect(i);
                assertThat(Wc.byteLen(b.completion())).isEqualTo(length);
                assertThat(b.memory.asSlice(0, length).mismatch(a.memory.asSlice(0, length)))
                        .isEqualTo(-1);
                assertThat(b.memory.asSlice(length).mismatch(MemorySegment.ofArray(new byte[SoftSide.SIZE - length])))
                        .isEqualTo(-1);
                a.memory.fill((byte) 0);
                a.send(i, Ibv.WR_RDMA_READ, b, 0, length);
                a.expect(i);
                assertThat(a.memory.mismatch(b.memory)).isEqualTo(-1);
                retries = counted(a, Counter.COMPLETER_RETRY_ERR) + counted(b, Counter.COMPLETER_RETRY_ERR);
            }
        } finally {
            changes.set(false);
            changer.join();
        }
    }

    @Test
    void captureHasSharedPacketsAsDatagrams(@TempDir Path folder) throws Exception {
        share();
        Path file = folder.resolve("shared.pcapng");
        b.verbs.captureTo(file);
        write(8 * 1024);
        b.verbs.captureTo(null);
        assertThat(Tshark.opcodes(file, b.verbs.address().getPort()))
                .as("opcodes without a mark: a write of eight packets, first, middle and last, and its acknowledge")
                .extracting(String::strip)
                .containsExactly("6", "7", "7", "7", "7", "7", "7", "8", "17");
    }

    @Test
    void manyQueuePairsLoseNothing() {
        share();
        randomize(a.memory);
        List<SoftSide> sides = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            SoftSide here = new SoftSide(arena, a, a.cq, 0);
            SoftSide there = new SoftSide(arena, b, b.cq, 0);
            here.connect(there);
            there.connect(here);
            sides.add(here);
            sides.add(there);
        }
        for (int i = 0; i < sides.size(); i += 2) {
            sides.get(i).send(i, Ibv.WR_RDMA_WRITE, b, 0, SoftSide.SIZE);
        }
        for (int i = 0; i < sides.size(); i += 2) {
            a.next();
            assertThat(Wc.status(a.completion())).isEqualTo(Ibv.WC_SUCCESS);
        }
        assertThat(b.memory.mismatch(a.memory)).isEqualTo(-1);
        assertThat(counted(a, Counter.SEND_ERR) + counted(b, Counter.SEND_ERR))
                .as("packets lost")
                .isZero();
        sides.forEach(SoftSide::closeQueuePair);
    }

    /** Returns a socket at a lower port. */
    private static DatagramSocket below(int port) throws SocketException {
        for (int lower = port - 1; ; lower--) {
            try {
                return new DatagramSocket(lower);
            } catch (BindException taken) {
                assertThat(lower).isPositive();
            }
        }
    }

    /** Offers that no device sends: of files that are not there, are none, or are elsewhere. */
    @Test
    void hostileOffersChangeNothing() throws Exception {
        Path own = Path.of("/dev/shm", "rdma-soft-" + Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        String short32 = "0123456789abcdef0123456789abcdef";
        Path none = own.resolve(short32);
        Files.writeString(none, "no ring");
        try (DatagramSocket attacker = below(b.verbs.address().getPort())) { // those of higher ports do not count
            String magic = "jrdmRing2";
            for (String offer : new String[] {
                magic + short32,
                magic + "f".repeat(32),
                magic + "../../../../etc/passwd/000000000",
                magic + "Z".repeat(32),
                "jrdmRing1" + short32,
                "k",
                "x",
                ""
            }) {
                for (int i = 0; i < 20; i++) {
                    byte[] bytes = offer.getBytes(StandardCharsets.US_ASCII);
                    InetSocketAddress to = b.verbs.address();
                    attacker.send(new DatagramPacket(bytes, bytes.length, to));
                }
            }
            share();
            write(64);
            assertThat(none).hasContent("no ring");
            assertThat(counted(b, Counter.MALFORMED_PKTS)).isPositive();
        } finally {
            Files.deleteIfExists(none);
        }
    }

    /**
     * The process is killed while packets are in its ring. Requests end with an error, as they do by UDP, and another
     * process at the same address is reached.
     */
    @Test
    void killedPeerEndsRequestsAndItsSuccessorIsReached() throws Exception {
        a.reset(); // it has a peer in this process
        int port;
        try (JavaProcess peer = SharedMemoryPeer.started(a, 0)) {
            port = SharedMemoryPeer.connect(a, peer);
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (counted(a, Counter.RING_PKTS) < 1000) {
                assertThat(System.nanoTime()).as("a ring in time").isLessThan(deadline);
                a.send(1, Ibv.WR_SEND, a, 0, 64);
                a.expect(1);
            }
            peer.kill();
            peer.ended(JavaProcess.KILLED);
        }
        a.send(2, Ibv.WR_SEND, a, 0, 64);
        a.expect(2, Ibv.WC_RETRY_EXC_ERR);
        a.reset();
        try (JavaProcess successor = SharedMemoryPeer.started(a, port)) {
            assertThat(SharedMemoryPeer.connect(a, successor)).isEqualTo(port);
            a.send(3, Ibv.WR_SEND, a, 0, 64);
            a.expect(3);
        }
    }
}
