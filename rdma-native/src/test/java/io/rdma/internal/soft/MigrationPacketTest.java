package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.AltPath;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.testing.CapturedLog;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests to migrate, packet by packet. The test plays the peer at its two addresses, and strangers. A queue pair
 * follows only a packet with the MigReq bit, and a PSN of the connection, that came along its armed alternate path.
 */
@Tag("link")
class MigrationPacketTest {
    private static final int PSN = 0x1000;
    private static final int PEER_QPN = 0x4711;
    private static final int PATIENT = 20; // 4.3 s: the test itself answers
    private static final int ALTERNATE_TIMEOUT = 19;

    private final Arena arena = Arena.ofShared();
    private final Packet packet = new Packet();
    private final Packet answer = new Packet();
    private UdpLink first;
    private UdpLink second;
    private SoftSide side;
    private InetSocketAddress firstOfSide;
    private InetSocketAddress secondOfSide;
    private int psn = PSN;

    @BeforeEach
    void connect() {
        first = new UdpLink(SoftConfig.loopback(), new Counters());
        second = new UdpLink(SoftConfig.loopback(), new Counters());
        side = new SoftSide(arena, SoftConfig.twoOnLoopback());
        firstOfSide =
                SoftAddress.of(side.verbs.queryGidTable(side.context).get(0).gid());
        secondOfSide =
                SoftAddress.of(side.verbs.queryGidTable(side.context).get(1).gid());
        side.connect(SoftAddress.gid(first.local()), PEER_QPN, PSN, PATIENT);
        AltPath alternate = new AltPath(
                new AhAttr(SoftAddress.gid(second.local()), 0, 1, 64, 0, 0, 0, 0, 0, true, 1), 0, 1, ALTERNATE_TIMEOUT);
        side.verbs.modifyQp(
                side.qp.handle(),
                query().withMigration(Ibv.MIG_REARM, alternate),
                Ibv.QP_ALT_PATH | Ibv.QP_PATH_MIG_STATE);
    }

    @AfterEach
    void close() {
        side.close();
        first.close();
        second.close();
        arena.close();
    }

    private QpAttr query() {
        return side.verbs.queryQp(side.qp.handle(), Ibv.QP_STATE);
    }

    /** Sends a write of eight bytes. */
    private void write(UdpLink from, InetSocketAddress to, boolean migrated) {
        packet.reset(Opcode.WRITE_ONLY, side.qp.qpNum(), psn);
        packet.migrated = migrated;
        packet.ackRequest = true;
        packet.remoteAddress = side.memory.address();
        packet.rkey = side.mr.rkey();
        packet.length = 8;
        packet.addPiece(side.memory.address() + 64, 8);
        from.send(packet, to);
        from.flush();
    }

    private void expectAcknowledge(UdpLink at, boolean migrated) {
        for (int i = 0; at.receive(answer) == null; i++) {
            assertThat(i).as("tenths of a second until the answer").isLessThan(100);
            at.await(100_000_000, true);
        }
        assertThat(answer.opcode).isEqualTo(Opcode.ACKNOWLEDGE);
        assertThat(answer.psn).isEqualTo(psn);
        assertThat(answer.migrated).as("MigReq").isEqualTo(migrated);
        psn++;
    }

    private void arm() {
        write(first, firstOfSide, false);
        expectAcknowledge(first, false);
        assertThat(query().pathMigState()).isEqualTo(Ibv.MIG_ARMED);
    }

    /** Sends a packet that must not make the queue pair migrate, and one that shows that it has not. */
    private void ignored(UdpLink from, InetSocketAddress to, boolean migrated) {
        dropped(from, to, migrated);
        assertThat(query().pathMigState()).isEqualTo(Ibv.MIG_ARMED);
        write(first, firstOfSide, false);
        expectAcknowledge(first, false);
    }

    /** Sends a write and waits until the device has dropped it. */
    private void dropped(UdpLink from, InetSocketAddress to, boolean migrated) {
        dropped(from, to, migrated, 0);
    }

    private void dropped(UdpLink from, InetSocketAddress to, boolean migrated, int strange) {
        long before = dropped();
        psn += strange;
        write(from, to, migrated);
        psn -= strange;
        awaitDropped(before);
    }

    private void awaitDropped(long before) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (dropped() == before) {
            assertThat(System.nanoTime()).as("dropped in time").isLessThan(deadline);
            Thread.yield();
        }
    }

    private long dropped() {
        return side.verbs.counters().get("wrong_peer_pkts");
    }

    @Test
    void aStrangerDoesNotMakeItMigrate() {
        arm();
        try (UdpLink stranger = new UdpLink(SoftConfig.loopback(), new Counters())) {
            ignored(stranger, secondOfSide, true);
            ignored(stranger, firstOfSide, true);
        }
    }

    @Test
    void thePeersOtherAddressIsNotEnough() {
        arm();
        ignored(second, firstOfSide, true); // to the wrong address
        ignored(second, secondOfSide, false); // without MigReq
        ignored(first, secondOfSide, true); // from the wrong address
    }

    /** The source of a packet is easily forged, and an old packet may arrive late. */
    @Test
    void aRequestWithAnotherPsnIsIgnored() {
        dropped(second, secondOfSide, true, 1 << 20);
        assertThat(side.verbs.getAsyncEvent(side.context)).as("not armed").isNull();
        arm();
        dropped(second, secondOfSide, true, 1 << 20);
        dropped(second, secondOfSide, true, -(1 << 20));
        assertThat(query().pathMigState()).isEqualTo(Ibv.MIG_ARMED);
        write(first, firstOfSide, false);
        expectAcknowledge(first, false);
    }

    @Test
    void aResponseToNothingIsIgnored() {
        arm();
        long before = dropped();
        packet.reset(Opcode.ACKNOWLEDGE, side.qp.qpNum(), psn);
        packet.migrated = true;
        second.send(packet, secondOfSide);
        second.flush();
        awaitDropped(before);
        assertThat(query().pathMigState()).isEqualTo(Ibv.MIG_ARMED);
    }

    /** The peer migrated because it did not get the acknowledgement. */
    @Test
    void aRepeatedRequestIsFollowed() {
        arm();
        psn--;
        write(second, secondOfSide, true);
        expectAcknowledge(second, true);
        assertThat(query().pathMigState()).isEqualTo(Ibv.MIG_MIGRATED);
    }

    @Test
    void whatThePathOfAPacketThrowsEndsTheQueuePairAlone() {
        side.verbs.device().call(() -> {
            SoftQp broken = Objects.requireNonNull(side.verbs.device().find(side.qp.qpNum()));
            broken.via = 1;
            broken.peer = InetSocketAddress.createUnresolved("nowhere", 1);
            return 0;
        });
        write(second, secondOfSide, true);
        assertThat(side.verbs.pollAsyncEvents(side.context, 60_000)).isTrue();
        assertThat(Objects.requireNonNull(side.verbs.getAsyncEvent(side.context))
                        .eventType())
                .isEqualTo(Ibv.EVENT_QP_FATAL);
        assertThat(side.verbs.getAsyncEvent(side.context)).as("of the device").isNull();
    }

    /** One link closes the file of both. */
    @Test
    void aCaptureOfBothAddressesEndsOnce(@TempDir Path folder) throws Exception {
        try (CapturedLog log = new CapturedLog("io.rdma.internal.soft.link.CapturedSocket")) {
            for (int i = 0; i < 2; i++) {
                side.verbs.captureTo(folder.resolve(i + ".pcapng"));
                write(first, firstOfSide, false);
                expectAcknowledge(first, false);
                dropped(second, secondOfSide, true, 1 << 20);
            }
            side.verbs.captureTo(null);
            assertThat(log.lines()).isEmpty();
        }
        for (int i = 0; i < 2; i++) {
            assertThat(Files.size(folder.resolve(i + ".pcapng"))).isGreaterThan(3 * 60);
        }
    }

    @Test
    void aMigratedPeerOnThePathItselfDoesNotArmOrMigrate() {
        write(first, firstOfSide, true);
        expectAcknowledge(first, false);
        assertThat(query().pathMigState()).isEqualTo(Ibv.MIG_REARM);
        dropped(second, secondOfSide, true);
        write(first, firstOfSide, false);
        expectAcknowledge(first, false);
        write(first, firstOfSide, true); // late, from before the peer was in REARM
        expectAcknowledge(first, false);
        assertThat(query().pathMigState()).isEqualTo(Ibv.MIG_ARMED);
    }

    @Test
    void thePeersRequestIsFollowedAndItsOldPathIsLeft() {
        arm();
        write(second, secondOfSide, true);
        expectAcknowledge(second, true);
        assertThat(query().pathMigState()).isEqualTo(Ibv.MIG_MIGRATED);
        assertThat(query().timeout()).isEqualTo(ALTERNATE_TIMEOUT);
        dropped(first, firstOfSide, false);
        write(second, secondOfSide, true);
        expectAcknowledge(second, true);
    }

    @Test
    void tsharkReadsTheBitOnTheLoopbackInterface(@TempDir Path folder) throws Exception {
        String filter = "udp port " + firstOfSide.getPort() + " or udp port " + secondOfSide.getPort();
        try (LiveCapture capture = LiveCapture.start("lo", filter, 4, folder.resolve("live.pcapng"))) {
            arm();
            write(second, secondOfSide, true);
            expectAcknowledge(second, true);
            Path file = capture.await();
            String[] fields = {"infiniband.bth.opcode", "infiniband.bth.m", "_ws.malformed"};
            assertThat(lines(file, firstOfSide, fields)).containsExactly("10\t0", "17\t0");
            assertThat(lines(file, secondOfSide, fields)).containsExactly("10\t1", "17\t1");
        }
    }

    private static List<String> lines(Path file, InetSocketAddress of, String... fields) throws Exception {
        return Tshark.fields(file, of.getPort(), fields).stream()
                .map(String::strip)
                .map(line -> line.replace("True", "1").replace("False", "0"))
                .filter(line -> !line.isEmpty())
                .toList();
    }
}
