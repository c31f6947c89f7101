package io.rdma.internal.connect;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

// The peer promises to count credits and does not. So its messages are sent as they are, and it writes their frames by
// hand, as docs/internals/protocol.md has them. It never announces credits behind those of the exchange.

/** Client that keeps to the exchange as far as the test wants, and then sends the frames that the test forges. */
public final class ForgingPeer implements AutoCloseable {
    /** Type of the frame of a message. */
    public static final int DATA = 0;

    /** Type of the announcement of a large message. */
    public static final int ANNOUNCEMENT = 2;

    private static final int BATCH = 5;
    private static final int BUFFERS = 16;
    private static final int CONTROL = 7; // without the one for farewells
    private static final int FRAME = 16;
    private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT
            .withConnectMethod(ConnectMethod.TCP)
            .withReceiveBuffers(BUFFERS, 8192)
            .withFlowControl(FlowControl.PLAIN);

    private final DeviceResources resources;
    private final Socket socket;
    private final Exchange exchange;
    private @Nullable QueuePairBringUp queuePair;
    private @Nullable Endpoint endpoint;

    /** Connects to the exchange of a server. */
    public ForgingPeer(String device, InetSocketAddress server) throws IOException {
        resources = new DeviceResources(TestDevice.assumed(device));
        socket = new Socket(server.getAddress(), server.getPort());
        exchange = Exchange.over(
                socket, new ExchangeDeadline(Environment.SYSTEM, socket, Duration.ofSeconds(60)), OPTIONS, "server");
    }

    /** Sends its parameters. */
    public ForgingPeer introduced() throws IOException {
        QueuePairBringUp made = new QueuePairBringUp(resources, OPTIONS, socket.getLocalAddress(), null);
        queuePair = made;
        PeerParameters local = made.local();
        Offer offer = new Offer(2, 2, Offer.FAREWELLS | Offer.BATCHES);
        exchange.sendHello(counting(local, true, local.receiveBufferSize() - FRAME, offer));
        return this;
    }

    private static PeerParameters counting(PeerParameters of, boolean credits, int receiveBufferSize, Offer offer) {
        return new PeerParameters(
                of.qpNumber(),
                of.psn(),
                of.gid(),
                of.lid(),
                of.mtu(),
                of.initiatorDepth(),
                of.responderResources(),
                credits,
                of.receiveBuffers(),
                receiveBufferSize,
                of.maxMessageSize(),
                offer);
    }

    /** Takes the server's answer, and connects its queue pair. */
    public ForgingPeer answered() throws IOException {
        PeerParameters server = exchange.receiveAnswer();
        QueuePairBringUp made = queuePair;
        if (made == null) {
            throw new IllegalStateException("it has not introduced itself");
        }
        endpoint = made.connect(
                counting(server, false, server.receiveBufferSize(), server.offer()), socket.getInetAddress());
        return this;
    }

    /** Reports that it is ready. */
    public ForgingPeer ready() throws IOException {
        exchange.sendReady();
        return this;
    }

    /** Returns the reason for which the server ended the exchange, or the end of the connection. */
    public String end() {
        return String.valueOf(exchange.awaitEnd());
    }

    /** Sends a frame, with true counters, and what follows it. */
    public void send(int type, byte... payload) {
        send(type, BUFFERS, payload);
    }

    /** Sends a frame that announces so many receives for messages, and what follows it. */
    public void send(int type, int granted, byte... payload) {
        sendRaw(frame(type, granted, payload));
    }

    private static byte[] frame(int type, int granted, byte... payload) {
        return ByteBuffer.allocate(FRAME + payload.length)
                .putInt(type << 24)
                .putInt(granted)
                .putInt(CONTROL)
                .putInt(0)
                .put(payload)
                .array();
    }

    /** Sends the frame of a message without bytes, with immediate data. */
    public void sendWithImmediate() {
        try (RegisteredBuffer frame = buffer(frame(DATA, BUFFERS))) {
            submit(WorkRequest.sendWithImmediate(frame, 1));
        }
    }

    /** Sends the frame of a batch of so many messages, and what follows it. */
    public void sendBatch(int messages, byte... payload) {
        byte[] batch = frame(BATCH, BUFFERS, payload);
        ByteBuffer.wrap(batch).putShort(2, (short) messages);
        sendRaw(batch);
    }

    /** Sends bytes. */
    public void sendRaw(byte... bytes) {
        submit(WorkRequest.send(buffer(bytes), true));
    }

    private RegisteredBuffer buffer(byte... bytes) {
        RegisteredBuffer buffer = RegisteredBuffer.of(
                endpoint().memory().allocate(Math.max(1, bytes.length), Set.of(AccessFlag.LOCAL_WRITE)),
                0,
                bytes.length);
        buffer.segment().asByteBuffer().put(bytes);
        return buffer;
    }

    private void submit(WorkRequest request) {
        endpoint().submit(new Operation(request) {
            @Override
            protected void completed(long value) {}

            @Override
            protected void failed(RuntimeException error) {}
        });
    }

    private Endpoint endpoint() {
        Endpoint made = endpoint;
        if (made == null) {
            throw new IllegalStateException("it is not connected");
        }
        return made;
    }

    /** Ends the connection without a word. */
    @Override
    public void close() throws IOException {
        Endpoint connected = endpoint;
        if (connected != null) {
            connected.discard();
        } else if (queuePair != null) {
            queuePair.close();
        }
        exchange.close();
        resources.close();
    }
}
