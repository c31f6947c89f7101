package io.rdma.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The TCP client with servers that end the connection, or answer nonsense. */
@Timeout(600)
class TcpCacheClientTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private ServerSocket server;
    private TcpCacheClient client;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        client = new TcpCacheClient("127.0.0.1", server.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    /** Answers the first request of each connection. */
    private void answer(byte[]... answers) {
        Thread.ofVirtual().start(() -> {
            for (byte[] answer : answers) {
                try (Socket socket = server.accept()) {
                    DataInputStream in = new DataInputStream(socket.getInputStream());
                    in.readNBytes(in.readInt());
                    socket.getOutputStream().write(answer);
                    if (answer.length > 0) {
                        in.read(); // until the client closes the connection
                    }
                } catch (IOException e) {
                    continue; // the client has closed the connection
                }
            }
        });
    }

    private static byte[] frame(int status, long number) {
        return ByteBuffer.allocate(13)
                .putInt(9)
                .put((byte) status)
                .putLong(number)
                .array();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7fffffff",
                "ffffffff",
                "00000000",
                "0000000100",
                "000000090900000000000000ff",
                "000000090300000000000000ff"
            })
    void anAnswerThatMakesNoSenseEndsTheConnection(String answer) {
        byte[] bytes = HexFormat.of().parseHex(answer);
        answer(bytes, frame(0, 42));
        assertThatThrownBy(() -> client.add(0, 1).block(PATIENCE))
                .isInstanceOf(Unreachable.class)
                .hasMessageContaining("has ended");
        await("another connection is made")
                .atMost(PATIENCE)
                .ignoreException(Unreachable.class)
                .untilAsserted(
                        () -> assertThat(client.add(0, 1).block(PATIENCE)).isEqualTo(42));
    }

    @Test
    void nobodyListens() throws IOException {
        server.close();
        assertThatThrownBy(() -> client.get(new byte[] {1}).block(PATIENCE))
                .isInstanceOf(Unreachable.class)
                .hasMessageContaining("no memory process answers over TCP");
    }
}
