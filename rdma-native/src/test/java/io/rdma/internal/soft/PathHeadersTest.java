package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.link.SoftFaults;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * IP headers of the packets of a path: in the device's own capture, and as the kernel sends them. tshark reads both.
 */
@Tag("link")
class PathHeadersTest {
    private static final int CLASS = 0x6a; // DSCP 26 and ECT(0)
    private static final int HOPS = 17;
    private static final int LABEL = 0x12345;
    private static final int OTHER_CLASS = 0x20;
    private static final int WRITES = 4;
    private static final String WRITE_4 = "10\t0x6a\t17\t";
    private static final String WRITE_6 = "10\t0x0000006a\t17\t0x012345\t";
    private static final String ACKNOWLEDGE_6 = "17\t0x00000020\t17\t0x012345"; // of the other queue pair's path

    private final Arena arena = Arena.ofShared();
    private SoftSide a;
    private SoftSide b;

    @AfterEach
    void close() {
        if (b != null && b.verbs == a.verbs) {
            b.closeQueuePair();
        } else if (b != null) {
            b.close();
        }
        if (a != null) {
            a.close();
        }
        arena.close();
    }

    private void open() throws Exception {
        InetAddress at = InetAddress.getByName("127.0.0.1");
        a = new SoftSide(arena, SoftConfig.at(at, 0));
        b = new SoftSide(arena, SoftConfig.at(at, 0));
        connect(a, b, CLASS);
        connect(b, a, OTHER_CLASS);
    }

    /** Opens one device at the port that GIDs of IPv6 stand for. Its packets go through the socket. */
    private void openIpv6() throws Exception {
        InetAddress at = InetAddress.getByName("::1");
        try {
            a = new SoftSide(arena, SoftConfig.at(at, SoftAddress.ROCE_PORT));
        } catch (VerbsException inUse) {
            Assumptions.abort("another device has the port: " + inUse.getMessage());
        }
        a.verbs.faults().setOthers(new SoftFaults(0, 0, 0, 1, () -> false));
        b = new SoftSide(arena, a, a.cq, 0);
        connect(a, b, CLASS);
        connect(b, a, OTHER_CLASS);
    }

    private static void connect(SoftSide from, SoftSide to, int trafficClass) {
        AhAttr path = new AhAttr(to.gid(), LABEL, 0, HOPS, trafficClass, 0, 0, 0, 0, true, 1);
        from.connect(path, to.qp.qpNum(), 0xffffe0, SoftSide.USUAL_RETRANSMIT);
    }

    private void write() {
        for (int i = 0; i < WRITES; i++) {
            a.send(i, Ibv.WR_RDMA_WRITE, b, 0, 64);
            a.expect(i);
        }
    }

    private List<String> ipv4(Path file) throws Exception {
        return Tshark.fields(
                file, a.verbs.address().getPort(), "infiniband.bth.opcode", "ip.dsfield", "ip.ttl", "_ws.malformed");
    }

    private static List<String> ipv6(Path file) throws Exception {
        return Tshark.fields(
                file,
                SoftAddress.ROCE_PORT,
                "infiniband.bth.opcode",
                "ipv6.tclass",
                "ipv6.hlim",
                "ipv6.flow",
                "_ws.malformed");
    }

    @Test
    void theOwnCaptureHasThem(@TempDir Path folder) throws Exception {
        open();
        Path file = folder.resolve("own.pcapng");
        a.verbs.captureTo(file);
        write();
        a.verbs.captureTo(null);
        assertThat(ipv4(file)).filteredOn(WRITE_4::equals).hasSizeGreaterThanOrEqualTo(WRITES); // perhaps sent again
    }

    @Test
    void theOwnCaptureHasThoseOfIpv6(@TempDir Path folder) throws Exception {
        openIpv6();
        Path file = folder.resolve("own.pcapng");
        a.verbs.captureTo(file);
        write();
        a.verbs.captureTo(null);
        assertThat(ipv6(file)).filteredOn(WRITE_6::equals).hasSizeGreaterThanOrEqualTo(WRITES);
    }

    @Test
    void theKernelSendsThem(@TempDir Path folder) throws Exception {
        open();
        String filter = "udp dst port " + b.verbs.address().getPort();
        try (LiveCapture capture = LiveCapture.start("lo", filter, WRITES, folder.resolve("live.pcapng"))) {
            write();
            assertThat(ipv4(capture.await())).hasSize(WRITES).allMatch(WRITE_4::equals, WRITE_4);
        }
    }

    @Test
    void theKernelSendsThoseOfIpv6(@TempDir Path folder) throws Exception {
        openIpv6();
        String filter = "ip6 and udp dst port " + SoftAddress.ROCE_PORT;
        try (LiveCapture capture = LiveCapture.start("lo", filter, 2 * WRITES, folder.resolve("live.pcapng"))) {
            write();
            // Packets may be sent again, so the capture may end before the last acknowledge.
            assertThat(ipv6(capture.await()))
                    .contains(WRITE_6)
                    .anyMatch(line -> line.startsWith(ACKNOWLEDGE_6))
                    .allMatch(line -> line.equals(WRITE_6) || line.startsWith(ACKNOWLEDGE_6));
        }
    }

    /** A joined packet, to this device itself or in shared memory, stands for datagrams with these headers. */
    @Test
    void packetsWithinTheDeviceHaveThem(@TempDir Path folder) throws Exception {
        a = new SoftSide(arena, SoftConfig.loopback());
        SoftSide c = new SoftSide(arena, a, a.cq, 0);
        connect(a, c, CLASS);
        connect(c, a, 0);
        Path file = folder.resolve("self.pcapng");
        a.verbs.captureTo(file);
        a.send(1, Ibv.WR_RDMA_WRITE, c, 0, 8192);
        a.expect(1);
        a.verbs.captureTo(null);
        assertThat(Tshark.fields(file, a.verbs.address().getPort(), "ip.dsfield", "ip.ttl"))
                .contains("0x6a\t17", "0x00\t17");
        c.closeQueuePair();
    }

    @Test
    void aQueryReportsThePathOfThePackets() throws Exception {
        open();
        AhAttr path = a.verbs.queryQp(a.qp.handle(), Ibv.QP_AV).ahAttr();
        assertThat(path).isNotNull();
        assertThat(path.trafficClass()).isEqualTo(CLASS);
        assertThat(path.hopLimit()).isEqualTo(HOPS);
        assertThat(path.flowLabel()).as("IPv4 has none").isZero();
    }
}
