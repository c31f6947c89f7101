package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ffi.Cma;
import io.rdma.internal.ffi.Ibv;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Management datagrams as bytes, and bytes that are none. */
class CmMadTest {
    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** A request in which every field is another. */
    static CmRequest request(int number, long guid) {
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
                63,
                14,
                bytes(CmRequest.PRIVATE_DATA));
    }

    static Stream<CmMad> messages() {
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
    void whatIsWrittenIsRead(CmMad message) {
        MadCodec.Mad read = MadCodec.decode(MadCodec.encode(-77, message));
        assertThat(read).isNotNull();
        assertThat(read.transaction()).isEqualTo(-77);
        assertThat(read.message()).usingRecursiveComparison().isEqualTo(message);
    }

    @ParameterizedTest
    @MethodSource("messages")
    void anotherHeaderIsNone(CmMad message) {
        for (int at : new int[] {0, 1, 2, 3, 4, 16, 17}) {
            byte[] bytes = MadCodec.encode(1, message);
            bytes[at] ^= 0x40;
            assertThat(MadCodec.decode(bytes)).as("byte %d", at).isNull();
        }
        assertThat(MadCodec.decode(Arrays.copyOf(MadCodec.encode(1, message), 255)))
                .isNull();
        assertThat(MadCodec.decode(new byte[0])).isNull();
    }

    /** Whatever the bytes say, they say something or nothing. */
    @ParameterizedTest
    @MethodSource("messages")
    void noBytesAreAnException(CmMad message) {
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
                SoftCmId.seen(mad.message());
                // What was read can be said.
                assertThat(MadCodec.encode(1, mad.message())).hasSize(MadCodec.BYTES);
            }
            CmAddressing.read(Arrays.copyOfRange(bytes, 24, 24 + CmAddressing.BYTES));
        }
        assertThat(read).isPositive();
    }

    @Test
    void anMtuThatDoesNotExistIsNoRequest() {
        byte[] bytes = MadCodec.encode(1, request(1, 1));
        bytes[24 + 50] = 0x07;
        assertThat(MadCodec.decode(bytes)).isNull();
        bytes[24 + 50] = 0x67;
        assertThat(MadCodec.decode(bytes)).isNull();
    }

    @Test
    void addressesOfBothVersions() throws UnknownHostException {
        for (String ip : new String[] {"10.77.0.1", "fd77::1"}) {
            CmAddressing said = new CmAddressing(new InetSocketAddress(ip, 50_001), InetAddress.getByName("10.77.0.2"));
            if (ip.contains(":")) {
                said = new CmAddressing(said.source(), InetAddress.getByName("fd77::2"));
            }
            byte[] data = said.before(new byte[] {1, 2}, CmRequest.PRIVATE_DATA);
            assertThat(data).hasSize(CmRequest.PRIVATE_DATA);
            assertThat(Arrays.copyOfRange(data, 36, 39)).containsExactly(1, 2, 0);
            assertThat(CmAddressing.read(data)).isEqualTo(said);
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
}
