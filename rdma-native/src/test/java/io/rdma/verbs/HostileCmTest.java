package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.TestDevice;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The software device's connection manager, and strangers at its port: they are hung up on, and the listener goes on. */
class HostileCmTest {
    private static final int MAGIC = 0x4a52434d;
    private static final int PATIENCE_MILLIS = 60_000;

    private CmEventChannel channel;
    private CmIdentifier listener;

    @BeforeEach
    void listen() {
        channel = TestDevice.assumed("soft0").createEventChannel();
        listener = channel.createIdentifier(PortSpace.TCP);
        listener.bind(new InetSocketAddress("127.0.0.1", 0));
        listener.listen(8);
    }

    @AfterEach
    void close() {
        listener.close();
        channel.close();
    }

    private static byte[] message(int magic, int type, int length, int body) {
        return ByteBuffer.allocate(7 + body)
                .putInt(magic)
                .put((byte) type)
                .putShort((short) length)
                .array();
    }

    private static byte[] nonsense() {
        ByteBuffer request = ByteBuffer.allocate(7 + 34);
        request.putInt(MAGIC).put((byte) 1).putShort((short) 34);
        return request.putInt(-1).putInt(-1).put(new byte[16]).put((byte) 77).array();
    }

    /** A reply where a request belongs, a body too long, too short for what it is, an unknown type, another magic, numbers of no queue pair, text. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void whatIsNoRequestIsHungUpOn(int kind) throws IOException {
        byte[] bytes = switch (kind) {
            case 0 -> message(MAGIC, 2, 34, 34);
            case 1 -> message(MAGIC, 1, 0xffff, 0);
            case 2 -> message(MAGIC, 1, 33, 33);
            case 3 -> message(MAGIC, 99, 0, 0);
            case 4 -> message(MAGIC + 1, 1, 34, 34);
            case 5 -> nonsense();
            default -> "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        };
        try (Socket socket = new Socket()) {
            socket.connect(listener.localAddress());
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(bytes);
            int end;
            try {
                end = socket.getInputStream().read();
            } catch (java.net.SocketException reset) {
                end = -1; // hung up on with bytes unread
            }
            assertThat(end).isEqualTo(-1);
        }
        stillListens();
    }

    @Test
    void aStrangerWhoSaysNothingKeepsNobodyElseAway() throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(listener.localAddress());
            stillListens();
            socket.setSoTimeout(PATIENCE_MILLIS);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    private void stillListens() {
        CmEventChannel other = TestDevice.assumed("soft0").createEventChannel();
        CmIdentifier client = other.createIdentifier(PortSpace.TCP);
        client.resolveAddress(null, listener.localAddress(), Duration.ofSeconds(2));
        assertThat(other.take()).extracting(CmEvent::type).isEqualTo(CmEventType.ADDR_RESOLVED);
        client.resolveRoute(Duration.ofSeconds(2));
        assertThat(other.take()).extracting(CmEvent::type).isEqualTo(CmEventType.ROUTE_RESOLVED);
        client.connect(ConnectionParameters.DEFAULT.withQueuePair(1, false));
        assertThat(channel.await(PATIENCE_MILLIS)).isTrue();
        CmEvent event = channel.take();
        assertThat(event).extracting(CmEvent::type).isEqualTo(CmEventType.CONNECT_REQUEST);
        event.identifier().close();
        client.close();
        other.close();
    }
}
