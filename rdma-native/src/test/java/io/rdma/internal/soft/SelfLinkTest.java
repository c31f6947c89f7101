package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.environment.Environment;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.soft.link.FaultInjector;
import io.rdma.internal.soft.link.FaultPlan;
import io.rdma.internal.soft.link.RecordingSocket;
import io.rdma.internal.soft.link.SoftFaults;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.UdpAddress;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two queue pairs of one device, whose packets go through the socket while a fault is set. Covers the counters and the
 * content of a capture, too.
 */
@Tag("link")
class SelfLinkTest {
    private Arena arena;
    private SoftSide a;
    private SoftSide b;

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        a = new SoftSide(arena, SoftFaults.NONE);
        b = new SoftSide(arena, a, a.cq, 0);
        a.connect(b);
        b.connect(a);
    }

    @AfterEach
    void close() {
        b.closeQueuePair();
        a.close();
        arena.close();
    }

    private void write(int count) {
        for (int i = 0; i < count; i++) {
            a.send(i, Ibv.WR_RDMA_WRITE, b, 0, 8192);
            a.expect(i);
        }
    }

    private long counted(Counter counter) {
        return a.verbs.counters().get(counter.label());
    }

    @Test
    void faultsComeAndGoWithTheConnectionOpen() {
        write(10);
        assertThat(counted(Counter.COMPLETER_RETRY_ERR)).isZero();
        a.verbs.faults().setOthers(new SoftFaults(0.05, 0.05, 0.05, 0.05, 0, 0, 0, 11, () -> false));
        write(200);
        assertThat(counted(Counter.COMPLETER_RETRY_ERR)).isPositive();
        assertThat(counted(Counter.DUPLICATE_REQUEST)).isPositive();
        assertThat(counted(Counter.ICRC_ERR)).isPositive();
        a.verbs.faults().clear();
        long received = counted(Counter.RCVD_PKTS);
        write(10);
        assertThat(counted(Counter.RCVD_PKTS)).isGreaterThan(received);
    }

    @Test
    void aFaultCanBeSetForOneLink() {
        // The link works again before the retries are used up, however slow the machine is.
        AtomicInteger packets = new AtomicInteger();
        SoftFaults bad = new SoftFaults(0, 0, 0, 1, () -> packets.incrementAndGet() <= 3);
        a.verbs.faults().set(a.verbs.address(), bad);
        a.send(1, Ibv.WR_RDMA_WRITE, b, 0, 64);
        a.expect(1);
        assertThat(counted(Counter.COMPLETER_RETRY_ERR)).isPositive();
        a.verbs.faults().set(a.verbs.address(), null);
    }

    @Test
    void aSlowLinkTakesItsTime() {
        a.verbs.faults().setOthers(new SoftFaults(0, 0, 0, 0, 0, 0, 1_000_000, 1, () -> false));
        long start = System.nanoTime();
        write(5); // 40 KiB at 1 MB/s
        assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(40));
    }

    /** The fate of the n-th packet of a link depends on the seed alone. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theSameSeedCausesTheSameFaults(long seed) {
        assertThat(decisions(seed)).isEqualTo(decisions(seed)).isNotEqualTo(decisions(seed + 100));
    }

    private static String decisions(long seed) {
        SoftFaults faults = new SoftFaults(0.3, 0.3, 0, 0.3, 0, 0, 0, seed, () -> false);
        FaultPlan.Settings settings = new FaultPlan(faults).settings();
        StringBuilder sent = new StringBuilder();
        RecordingSocket socket = new RecordingSocket(sent);
        FaultInjector injector = new FaultInjector(Environment.SYSTEM, socket, settings);
        UdpAddress to = new UdpAddress(socket.local());
        for (int i = 0; i < 200; i++) {
            socket.memory().putLong(0, i);
            injector.send(settings, Long.BYTES, socket.local(), to);
            injector.release(Long.MAX_VALUE / 2 + System.nanoTime());
        }
        return sent.toString();
    }

    @Test
    void packetsAreCounted() {
        Map<String, Long> before = a.verbs.counters();
        write(10);
        Map<String, Long> after = a.verbs.counters();
        // A write of eight path MTUs takes one joined packet and an acknowledge.
        assertThat(after.get("sent_pkts") - before.get("sent_pkts")).isEqualTo(20);
        assertThat(after.get("rcvd_pkts") - before.get("rcvd_pkts")).isEqualTo(20);
        assertThat(after).containsKeys("retry_rnr_exceeded_err", "send_rnr_err", "link_downed", "malformed_pkts");
    }

    /**
     * tshark checks the capture where it is installed. The length and the first block of the file are always checked.
     */
    @Test
    void wiresharkDissectsACapture(@TempDir Path directory) throws IOException, InterruptedException {
        Path file = directory.resolve("soft0.pcapng");
        a.verbs.captureTo(file);
        byte[] random = new byte[SoftSide.SIZE];
        new Random(3).nextBytes(random);
        a.memory.copyFrom(MemorySegment.ofArray(random));
        write(2); // within the device, not through the socket
        a.verbs.faults().setOthers(new SoftFaults(0, 0.5, 0, 1));
        write(2); // through the socket: each packet is sent and received
        a.verbs.captureTo(null);
        byte[] bytes = Files.readAllBytes(file);
        assertThat(bytes).startsWith(0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a);
        assertThat(bytes.length).isGreaterThan(4 * 8192);
        assertThat(Tshark.opcodes(file, a.verbs.address().getPort()))
                .hasSizeGreaterThan(2 * 9 + 2 * 18)
                .allMatch(line -> line.strip().matches("\\d+"), "an opcode, no mark");
    }
}
