package io.rdma.internal.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.Cma;
import io.rdma.internal.ibv.ConnParam;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.soft.device.ManagementPort;
import io.rdma.internal.soft.wire.SoftAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Management datagrams in encoded form, and bytes that are no management datagram. */
public class CmMadTest {
    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** Returns a request in which every field has a different value. */
    public static CmRequest request(int number, long guid) {
        return new CmRequest(
                number,
                0x0106_1234L,
                guid,
                5,
                3,
                4,
                17,
                CmRequest.TRANSPORT_RC,
                true,
                0xabcdef,
                19,
                6,
                Ibv.MTU_4096,
                5,
                13,
                true,
                bytes(16),
                bytes(16),
                104,
                63,
                14,
                bytes(CmRequest.PRIVATE_DATA));
    }

    public static Stream<CmMad> messages() {
        return Stream.of(
                request(0x80000001, -2),
                new CmReply(1, 2, 0xfffffe, 0xfedcba, 9, 8, true, 5, true, -3, bytes(CmReply.PRIVATE_DATA)),
                new CmReject(1, 2, 2, 28, bytes(72), bytes(CmReject.PRIVATE_DATA)),
                new CmMad.Received(1, 2, 1, 31),
                new CmMad.Ready(1, 2),
                new CmMad.Disconnect(1, 2, 0xfffffe),
                new CmMad.Disconnected(1, 2),
                new CmLookup(1, 0x0111_0001L, bytes(CmLookup.PRIVATE_DATA)),
                new CmLookupReply(2, 1, 0xfffffe, 0x0111_0001L, -5, bytes(CmLookupReply.PRIVATE_DATA)));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void aMessageIsDecodedAsItWasEncoded(CmMad message) {
        MadCodec.Mad read = MadCodec.decode(MadCodec.encode(-77, message));
        assertThat(read).isNotNull();
        assertThat(read.transaction()).isEqualTo(-77);
        assertThat(read.message()).usingRecursiveComparison().isEqualTo(message);
    }

    @ParameterizedTest
    @MethodSource("messages")
    void aForeignHeaderIsNotDecoded(CmMad message) {
        for (int at : new int[] {0, 1, 2, 3, 4, 16, 17}) {
            byte[] bytes = MadCodec.encode(1, message);
            bytes[at] ^= 0x40;
            assertThat(MadCodec.decode(bytes)).as("byte %d", at).isNull();
        }
        assertThat(MadCodec.decode(Arrays.copyOf(MadCodec.encode(1, message), 255)))
                .isNull();
        assertThat(MadCodec.decode(new byte[0])).isNull();
    }

    /** Any bytes are a message or none, and never cause an exception. */
    @ParameterizedTest
    @MethodSource("messages")
    void noBytesCauseAnException(CmMad message) {
        Random random = new Random(message.attribute());
        byte[] whole = MadCodec.encode(1, message);
        int read = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = whole.clone();
            for (int j = random.nextInt(1, 40); j > 0; j--) {
                bytes[24 + random.nextInt(CmMad.BYTES)] = (byte) random.nextInt();
            }
            MadCodec.Mad mad = MadCodec.decode(bytes);
            if (mad != null) {
                read++;
                CmParameters.seen(mad.message());
                // A decoded message can be encoded.
                assertThat(MadCodec.encode(1, mad.message())).hasSize(ManagementPort.BYTES);
            }
            CmAddressing.read(Arrays.copyOfRange(bytes, 24, 24 + CmAddressing.BYTES));
        }
        assertThat(read).isPositive();
    }

    @Test
    void aRequestWithAnUnknownMtuIsNotDecoded() {
        byte[] bytes = MadCodec.encode(1, request(1, 1));
        bytes[24 + 50] = 0x07;
        assertThat(MadCodec.decode(bytes)).isNull();
        bytes[24 + 50] = 0x67;
        assertThat(MadCodec.decode(bytes)).isNull();
    }

    @Test
    void addressesOfBothVersions() throws UnknownHostException {
        for (String ip : new String[] {"10.77.0.1", "fd77::1"}) {
            CmAddressing addr = new CmAddressing(new InetSocketAddress(ip, 50_001), InetAddress.getByName("10.77.0.2"));
            if (ip.contains(":")) {
                addr = new CmAddressing(addr.source(), InetAddress.getByName("fd77::2"));
            }
            byte[] data = addr.before(new byte[] {1, 2}, CmRequest.PRIVATE_DATA);
            assertThat(data).hasSize(CmRequest.PRIVATE_DATA);
            assertThat(Arrays.copyOfRange(data, 36, 39)).containsExactly(1, 2, 0);
            assertThat(CmAddressing.read(data)).isEqualTo(addr);
            data[0] = 1;
            assertThat(CmAddressing.read(data)).isNull();
            data[0] = 0;
            data[1] = 0x50;
            assertThat(CmAddressing.read(data)).isNull();
        }
    }

    @Test
    void servicesArePortsOfPortSpaces() {
        long service = CmAddressing.service(Cma.PS_TCP, 7174);
        assertThat(service).isEqualTo(0x0106_1c06L);
        assertThat(CmAddressing.isOurs(service)).isTrue();
        assertThat(CmAddressing.isOurs(0x0000_0001_0106_1c06L)).isFalse();
        assertThat(CmAddressing.isOurs(0x0206_1c06L)).isFalse();
    }

    private static byte[] captured(String hex) {
        return Arrays.copyOf(HexFormat.of().parseHex(hex), ManagementPort.BYTES);
    }

    /** A request of rping on rdma_rxe of Linux 6.1, from a capture. */
    @Test
    void aRequestOfTheKernelIsDecoded() {
        MadCodec.Mad mad = MadCodec.decode(captured("010702030000000000000002ced52b740010000000000000"
                + "742bd5ce000000000000000001061c0600000afffe4d000100000000000000000000110100000001000000a0a172d9a7"
                + "ffff37f0ffffffff00000000000000000000ffff0a4d000100000000000000000000ffff0a4d0002bb38b00000400098"
                + "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                + "0040e3db0000000000000000000000000a4d00010000000000000000000000000a4d0002"));
        assertThat(mad).isNotNull();
        assertThat(mad.transaction()).isEqualTo(0x2_ced5_2b74L);
        assertThat(mad.message()).isInstanceOfSatisfying(CmRequest.class, request -> {
            assertThat(request.localId()).isEqualTo(0x742bd5ce);
            assertThat(request.service()).isEqualTo(CmAddressing.service(Cma.PS_TCP, 7174));
            assertThat(request.guid()).isEqualTo(0x00000afffe4d0001L);
            assertThat(request.qpn()).isEqualTo(0x11);
            assertThat(request.responderResources()).isEqualTo(1);
            assertThat(request.initiatorDepth()).isEqualTo(1);
            assertThat(request.peerTimeout()).isEqualTo(20);
            assertThat(request.transport()).isEqualTo(CmRequest.TRANSPORT_RC);
            assertThat(request.psn()).isEqualTo(0xa172d9);
            assertThat(request.ownTimeout()).isEqualTo(20);
            assertThat(request.retryCount()).isEqualTo(7);
            assertThat(request.mtu()).isEqualTo(Ibv.MTU_1024);
            assertThat(request.rnrRetryCount()).isEqualTo(7);
            assertThat(request.maxRetries()).isEqualTo(15);
            assertThat(request.srq()).isFalse();
            assertThat(SoftAddress.of(request.localGid())).isEqualTo(new InetSocketAddress("10.77.0.1", 4791));
            assertThat(SoftAddress.of(request.remoteGid())).isEqualTo(new InetSocketAddress("10.77.0.2", 4791));
            assertThat(request.trafficClass()).isZero();
            assertThat(request.hopLimit()).isEqualTo(64);
            assertThat(request.ackTimeout()).isEqualTo(19);
            assertThat(CmAddressing.read(request.privateData()))
                    .isEqualTo(new CmAddressing(new InetSocketAddress("10.77.0.1", 0xe3db), ip("10.77.0.2")));
        });
    }

    private static InetAddress ip(String text) {
        return new InetSocketAddress(text, 0).getAddress();
    }

    @Test
    void aReplyOfTheKernelIsDecoded() {
        MadCodec.Mad mad = MadCodec.decode(captured("010702030000000019d7d78e8c1ca5b80013000000000000"
                + "762bd5ce86b92a76000000000000120000000000b7513b00010178e000000afffe4d0001"));
        assertThat(mad).isNotNull();
        assertThat(mad.message()).isInstanceOfSatisfying(CmReply.class, reply -> {
            assertThat(reply.localId()).isEqualTo(0x762bd5ce);
            assertThat(reply.remoteId()).isEqualTo(0x86b92a76);
            assertThat(reply.qpn()).isEqualTo(0x12);
            assertThat(reply.psn()).isEqualTo(0xb7513b);
            assertThat(reply.responderResources()).isEqualTo(1);
            assertThat(reply.initiatorDepth()).isEqualTo(1);
            assertThat(reply.rnrRetryCount()).isEqualTo(7);
            assertThat(reply.guid()).isEqualTo(0x00000afffe4d0001L);
        });
    }

    /** The encoded bytes are exactly those that the kernel writes. */
    @Test
    void shortMessagesAreEncodedAsByTheKernel() {
        assertThat(MadCodec.encode(0x2_ced5_2b74L, new CmMad.Ready(0x742bd5ce, 0x21e71f51)))
                .isEqualTo(captured("010702030000000000000002ced52b740014000000000000742bd5ce21e71f51"));
        assertThat(MadCodec.encode(0x2_ced5_2b74L, new CmMad.Disconnect(0x742bd5ce, 0x21e71f51, 0x6784f2)))
                .isEqualTo(captured("010702030000000000000002ced52b740015000000000000742bd5ce21e71f516784f200"));
        assertThat(MadCodec.encode(0x19d7d78e8c1ca5b8L, new CmMad.Disconnected(0x762bd5ce, 0x86b92a76)))
                .isEqualTo(captured("010702030000000019d7d78e8c1ca5b80016000000000000762bd5ce86b92a76"));
    }

    /** A request contains the PSN that the other side begins with, which is the one that this side expects. */
    @Test
    void theOtherSideBeginsWithThePsnOfARequest() {
        CmParameters parameters = new CmParameters(false, 1);
        parameters.psn = 0x123456;
        ConnParam conn = new ConnParam(new byte[0], 1, 1, 0, 7, 7, false, 5);
        byte[] gid = SoftAddress.gid(new InetSocketAddress("10.77.0.1", 4791));
        CmRequest request = parameters.request(
                1, 0x0106_1c06L, conn, 2, CmRequest.TRANSPORT_RC, new byte[16], Ibv.MTU_1024, 17, bytes(92));
        assertThat(request.psn()).isEqualTo(0x123456);
        parameters.take(new CmReply(3, 1, 7, 0xabcdef, 1, 1, false, 7, false, 1, bytes(CmReply.PRIVATE_DATA)), gid);
        assertThat(parameters.attr(Ibv.QPS_RTR).attr().rqPsn()).isEqualTo(0x123456);
        assertThat(parameters.attr(Ibv.QPS_RTS).attr().sqPsn()).isEqualTo(0xabcdef);
    }
}
