package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.types.Gid;
import io.rdma.types.Mtu;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Malformed and hostile data in an exchange, and the reactions to it. */
class HostileExchangeTest {
    /**
     * Compares with the bytes that docs/internals/protocol.md specifies, written by hand: another implementation must
     * be able to read them.
     */
    @Test
    void parametersHaveTheDocumentedForm() {
        Gid gid = Gid.of(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 77, 0, 1});
        PeerParameters parameters = new PeerParameters(
                0x123456,
                0xabcdef,
                gid,
                0x0102,
                Mtu.BYTES_1024,
                16,
                17,
                true,
                128,
                8192,
                1 << 20,
                new Offer(2, 3, 0x12345678));
        ByteBuffer bytes = ByteBuffer.allocate(PeerParameters.BYTES);
        parameters.encode(bytes);
        assertThat(java.util.HexFormat.of().formatHex(bytes.array()))
                .isEqualTo("00123456" + "00abcdef" + "00000000000000000000ffff0a4d0001" + "0102" + "03" + "10" + "11"
                        + "01" + "0203" + "00000080" + "00002000" + "00100000" + "12345678");
        assertThat(PeerParameters.decode(2, bytes.flip())).isEqualTo(parameters);
    }

    @Test
    void randomParametersAreRefusedOrInRange() {
        Random random = new Random(4711);
        int refused = 0;
        byte[] bytes = new byte[PeerParameters.BYTES];
        for (int i = 0; i < 200_000; i++) {
            random.nextBytes(bytes);
            if (i % 2 == 0) { // most random numbers are too large, so half of the inputs get small ones
                bytes[0] = bytes[4] = bytes[32] = bytes[33] = bytes[36] = bytes[37] = 0;
                bytes[40] = 0x20;
                bytes[26] = (byte) random.nextInt(8);
            }
            try {
                PeerParameters parameters = PeerParameters.decode(2, ByteBuffer.wrap(bytes));
                assertThat(parameters.qpNumber()).isBetween(1, 0xffffff);
                assertThat(parameters.psn()).isBetween(0, 0xffffff);
                assertThat(parameters.receiveBuffers()).isBetween(1, 1 << 16);
                assertThat(parameters.receiveBufferSize()).isBetween(1, 1 << 30);
            } catch (RdmaConnectException e) {
                assertThat(e.reason()).isEqualTo(RdmaConnectException.Reason.PROTOCOL_ERROR);
                refused++;
            }
        }
        assertThat(refused).isBetween(100_000, 200_000 - 1);
    }

    @Test
    void aValueThatIsOutOfRangeIsNamed() {
        ByteBuffer bytes = ByteBuffer.allocate(PeerParameters.BYTES);
        bytes.putInt(0, 1 << 24);
        assertThatThrownBy(() -> PeerParameters.decode(2, bytes))
                .hasMessageContaining("queue pair number")
                .hasMessageContaining(Integer.toString(1 << 24));
    }

    /**
     * Sends the client's answer too late. The client considers itself connected, so it must receive the reason why it
     * is not.
     */
    @Test
    void aClientThatIsTooLateReceivesTheReason() throws Exception {
        ConnectionOptions impatient = ConnectionOptions.DEFAULT.withHandshakeTimeout(Duration.ofMillis(50));
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket connecting = new Socket(listening.getInetAddress(), listening.getLocalPort());
                Exchange client = TestExchange.over(connecting, ConnectionOptions.DEFAULT, true);
                Exchange server = TestExchange.over(listening.accept(), impatient, false)) {
            assertThatThrownBy(server::awaitReady).isInstanceOf(SocketTimeoutException.class);
            client.sendReady();
            assertThat(client.awaitEnd().loss()).hasMessageContaining("handshakeTimeout");
        }
    }

    /**
     * Sends a refusal with control characters. The text appears in messages and logs of the client, so the server must
     * not be able to write lines or colours there.
     */
    @Test
    void theReasonOfARefusalIsEscapedAndBounded() throws Exception {
        byte[] reason =
                ("no\n2026 ERROR all is lost \u001b[31m \u202e " + "x".repeat(470)).getBytes(StandardCharsets.UTF_8);
        ByteBuffer refusal = ByteBuffer.allocate(1024).putInt(0x4a52444d).putShort((short) Exchange.OFFER.lowest());
        refusal.put((byte) 'N').putShort((short) reason.length).put(reason);
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket connecting = new Socket(listening.getInetAddress(), listening.getLocalPort());
                Exchange client = TestExchange.over(connecting, ConnectionOptions.DEFAULT, true);
                Socket server = listening.accept()) {
            server.getOutputStream().write(refusal.array(), 0, refusal.position());
            assertThatThrownBy(client::receiveAnswer)
                    .hasMessageContaining("no\\u000a2026 ERROR all is lost \\u001b[31m \\u202e xxx")
                    .hasMessageEndingWith("x...")
                    .message()
                    .hasSizeLessThan(PeerText.LIMIT + 60);
        }
    }

    @Test
    void aReasonIsCutBetweenCharacters() {
        assertThat(Refusal.utf8("a\u00e4\u00e4", 4)).isEqualTo("a\u00e4".getBytes(StandardCharsets.UTF_8));
        assertThat(Refusal.utf8("a\u00e4\u00e4", 5)).hasSize(5);
        byte[] rejection = CmGreeting.rejection("x".repeat(143) + "\u00e4");
        assertThat(CmGreeting.rejected(rejection)).isEqualTo("x".repeat(143));
    }

    @Test
    void anEndWithoutAFarewellIsALossWhateverThePeerSendsLast() throws Exception {
        for (byte[] last : new byte[][] {{}, {'X'}, {'N'}, {'N', 0, 9, 'a'}, {'N', -1, -1, 'a'}}) {
            try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                    Socket connecting = new Socket(listening.getInetAddress(), listening.getLocalPort());
                    Exchange client = TestExchange.over(connecting, ConnectionOptions.DEFAULT, true);
                    Socket server = listening.accept()) {
                server.getOutputStream().write(last);
                server.shutdownOutput();
                assertThat(client.awaitEnd().loss()).hasMessageContaining("the peer is gone");
            }
        }
    }
}
