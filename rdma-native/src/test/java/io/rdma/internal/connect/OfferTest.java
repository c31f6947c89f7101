package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.engine.PlacementAbilities;
import io.rdma.testing.TestDevice;
import io.rdma.types.Gid;
import io.rdma.types.Mtu;
import io.rdma.verbs.DeviceContext;
import java.io.DataInputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Versions and capabilities that two sides offer each other. */
class OfferTest {
    @Test
    void theHighestVersionThatBothHaveIsUsed() {
        Offer here = new Offer(2, 4, 0);
        assertThat(here.versionWith(new Offer(1, 3, 0), "it")).isEqualTo(3);
        assertThat(here.versionWith(new Offer(3, 9, 0), "it")).isEqualTo(4);
        assertThat(here.versionWith(new Offer(2, 2, 0), "it")).isEqualTo(2);
        for (Offer stranger : new Offer[] {new Offer(5, 9, 0), new Offer(0, 1, 0)}) {
            assertThatThrownBy(() -> here.versionWith(stranger, "it"))
                    .isInstanceOfSatisfying(
                            RdmaConnectException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.VERSION_MISMATCH))
                    .hasMessageContaining("2 to 4")
                    .hasMessageContaining(stranger.lowest() + " to " + stranger.highest());
        }
    }

    /** The ICRC of its FLUSH covers the headers twice, so that only its like accepts it. */
    @Test
    void aFlushIsAgreedOnWithinOrOutsideOfRxeAlone() {
        PlacementAbilities all = new PlacementAbilities(true, true, true);
        Offer plain = new Offer(1, 1, 0).with(all, 0);
        Offer rxe = new Offer(1, 1, 0).with(all, 0xffffff);
        assertThat(plain.placement(0)).isEqualTo(all);
        assertThat(rxe.placement(0xffffff)).isEqualTo(all);
        assertThat(rxe.placement(0)).isEqualTo(new PlacementAbilities(false, false, true));
        assertThat(plain.placement(0xffffff)).isEqualTo(new PlacementAbilities(false, false, true));
    }

    /** The vendor tells whose FLUSH a device understands. */
    @Test
    void aSoftwareDeviceIsOfAnotherVendorThanRxe() {
        for (String name : new String[] {"soft0", "soft-odp0", "soft-unordered0"}) {
            try (DeviceContext context = TestDevice.assumed(name).open()) {
                assertThat(context.queryDevice().vendorId())
                        .isNotEqualTo(0xffffff)
                        .isNotZero();
            }
        }
    }

    @Test
    void zerosMeanOneVersionAndNoCapabilities() {
        assertThat(Offer.heard(2, 0, 0, 0)).isEqualTo(new Offer(2, 2, 0));
        assertThat(Offer.heard(2, 2, 7, -1)).isEqualTo(new Offer(2, 7, -1));
    }

    @Test
    void aCapabilityIsUsedIfBothHaveIt() {
        Offer here = new Offer(1, 1, 0b0110);
        assertThat(here.shares(0b0010, new Offer(1, 1, -1))).isTrue();
        assertThat(here.shares(0b1000, new Offer(1, 1, -1))).isFalse();
        assertThat(here.shares(0b0010, new Offer(1, 1, 0))).isFalse();
    }

    /** Reads the constants, so that a new one with the bit of another one is found. */
    @Test
    void eachCapabilityHasABitOfItsOwnThatTheProtocolLists() throws Exception {
        int flushesOfRxe = new Offer(1, 1, 0)
                .with(new PlacementAbilities(true, true, false), 0xffffff)
                .capabilities();
        assertThat(Integer.bitCount(flushesOfRxe)).isEqualTo(2);
        int used = flushesOfRxe;
        for (Field constant : Offer.class.getDeclaredFields()) {
            int modifiers = constant.getModifiers();
            if (Modifier.isStatic(modifiers)
                    && !Modifier.isPrivate(modifiers)
                    && constant.getType() == int.class
                    && !constant.getName().equals("ALL")) {
                int capability = constant.getInt(null);
                assertThat(Integer.bitCount(capability)).as(constant.getName()).isOne();
                assertThat(used & capability)
                        .as("%s has the bit of another capability", constant.getName())
                        .isZero();
                used |= capability;
            }
        }
        assertThat(Integer.bitCount(used)).isGreaterThan(10);
        int listed = 0;
        String page = Files.readString(Path.of("../docs/internals/protocol.md"));
        String table = page.substring(page.indexOf("| bit | capability |"));
        Matcher row = Pattern.compile("\\G\\|([^|]*)\\|.*\\R").matcher(table);
        while (row.find()) {
            for (String bit : row.group(1).strip().split(", ")) {
                if (!bit.matches("bit|-+")) {
                    listed |= 1 << Integer.parseInt(bit);
                }
            }
        }
        assertThat(listed).isEqualTo(used);
        assertThat(Offer.ALL & ~used).isZero();
    }

    /**
     * Connects as a client of a later release. Its hello offers more versions and is in one that this release reads;
     * the answer is in that version.
     */
    @Test
    void aLaterClientIsAnsweredInAVersionOfBoth() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket later = new Socket(listening.getInetAddress(), listening.getLocalPort());
                Exchange server = TestExchange.over(listening.accept(), ConnectionOptions.DEFAULT, false)) {
            later.getOutputStream().write(hello(2, new Offer(2, 9, -1)));
            PeerParameters hello = server.receiveHello();
            assertThat(hello.offer()).isEqualTo(new Offer(2, 9, -1));
            server.accept(hello);
            DataInputStream in = new DataInputStream(later.getInputStream());
            in.readInt();
            assertThat(in.readUnsignedShort()).isEqualTo(2);
        }
    }

    @Test
    void aClientWithoutAVersionInCommonIsToldBothRanges() throws Exception {
        for (Offer stranger : new Offer[] {new Offer(8, 9, 0), new Offer(0, 0, 0)}) {
            try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                    Socket later = new Socket(listening.getInetAddress(), listening.getLocalPort());
                    Exchange server = TestExchange.over(listening.accept(), ConnectionOptions.DEFAULT, false)) {
                later.getOutputStream().write(hello(8, stranger));
                assertThatThrownBy(server::receiveHello)
                        .isInstanceOfSatisfying(
                                RdmaConnectException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.VERSION_MISMATCH))
                        .hasMessageContaining("version 8")
                        .hasMessageContaining("version " + Exchange.OFFER.lowest());
            }
        }
    }

    private static byte[] hello(int version, Offer offer) {
        Gid gid = Gid.of(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 77, 0, 1});
        PeerParameters parameters =
                new PeerParameters(17, 0, gid, 0, Mtu.BYTES_1024, 16, 16, true, 8, 1024, 1024, offer);
        ByteBuffer bytes = ByteBuffer.allocate(8 + PeerParameters.BYTES)
                .putInt(0x4a52444d)
                .putShort((short) version)
                .putShort((short) PeerParameters.BYTES);
        parameters.encode(bytes);
        return bytes.array();
    }
}
