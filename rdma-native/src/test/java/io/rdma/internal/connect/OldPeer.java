package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.ConnectionOptions;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.types.CmEventType;
import io.rdma.types.Gid;
import io.rdma.types.Mtu;
import io.rdma.types.QueuePairState;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import io.rdma.verbs.QueuePairAttributes;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

// The bytes here are those of version 2 of the exchange and of version 1 of the private data, before ranges of versions
// and capabilities existed. They are written by hand, not taken from the library, and must not change.

/**
 * Peer from before capabilities existed. It connects with its own bytes; its queue pair and frames are the engine's.
 */
final class OldPeer {
    private static final int MAGIC = 0x4a52444d;
    private static final int PARAMETERS = 48;
    private static final Offer NOTHING = new Offer(0, 0, 0);

    private final DeviceResources resources;
    private final ConnectionOptions options;

    OldPeer(DeviceResources resources, ConnectionOptions options) {
        this.resources = resources;
        this.options = options;
    }

    private QueuePairBringUp queuePair(InetAddress local) {
        return new QueuePairBringUp(
                resources,
                options,
                local,
                1,
                QueuePairAttributes.toState(QueuePairState.INIT).pkeyIndex(0).port(1),
                NOTHING,
                null);
    }

    private static byte[] parameters(PeerParameters of) {
        return ByteBuffer.allocate(PARAMETERS)
                .putInt(of.qpNumber())
                .putInt(of.psn())
                .put(of.gid().bytes())
                .putShort((short) of.lid())
                .put((byte) of.mtu().code())
                .put((byte) of.initiatorDepth())
                .put((byte) of.responderResources())
                .put((byte) 1) // counts credits
                .putShort((short) 0)
                .putInt(of.receiveBuffers())
                .putInt(of.receiveBufferSize())
                .putInt(of.maxMessageSize())
                .putInt(0)
                .array();
    }

    private static PeerParameters parameters(byte[] bytes) {
        ByteBuffer from = ByteBuffer.wrap(bytes);
        int qpNumber = from.getInt();
        int psn = from.getInt();
        byte[] gid = new byte[16];
        from.get(gid);
        return new PeerParameters(
                qpNumber,
                psn,
                Gid.of(gid),
                from.getShort(),
                Mtu.of(from.get()),
                Byte.toUnsignedInt(from.get()),
                Byte.toUnsignedInt(from.get()),
                (from.get() & 1) != 0,
                from.position(from.position() + 2).getInt(),
                from.getInt(),
                from.getInt(),
                NOTHING);
    }

    private static void header(DataInputStream in) throws IOException {
        assertThat(in.readInt()).isEqualTo(MAGIC);
        assertThat(in.readUnsignedShort())
                .as("an old release refuses any other version")
                .isEqualTo(2);
    }

    /** Runs the client's half of the exchange on a connected socket. */
    Endpoint connect(Socket socket) throws IOException {
        try (QueuePairBringUp queuePair = queuePair(socket.getLocalAddress())) {
            ByteBuffer hello = ByteBuffer.allocate(8 + PARAMETERS)
                    .putInt(MAGIC)
                    .putShort((short) 2)
                    .putShort((short) PARAMETERS)
                    .put(parameters(queuePair.local()));
            socket.getOutputStream().write(hello.array());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            header(in);
            assertThat(in.readByte()).isEqualTo((byte) 'Y');
            Endpoint endpoint = queuePair.connect(parameters(in.readNBytes(PARAMETERS)), socket.getInetAddress());
            socket.getOutputStream().write('R');
            return endpoint;
        }
    }

    /** Runs the server's half of the exchange with the next client. */
    Endpoint accept(ServerSocket listening, Socket[] accepted) throws IOException {
        Socket socket = accepted[0] = listening.accept();
        DataInputStream in = new DataInputStream(socket.getInputStream());
        header(in);
        assertThat(in.readUnsignedShort())
                .as("an old release refuses any other length")
                .isEqualTo(PARAMETERS);
        try (QueuePairBringUp queuePair = queuePair(socket.getLocalAddress())) {
            Endpoint endpoint = queuePair.connect(parameters(in.readNBytes(PARAMETERS)), socket.getInetAddress());
            ByteBuffer answer = ByteBuffer.allocate(7 + PARAMETERS)
                    .putInt(MAGIC)
                    .putShort((short) 2)
                    .put((byte) 'Y')
                    .put(parameters(queuePair.local()));
            socket.getOutputStream().write(answer.array());
            assertThat(in.readByte()).isEqualTo((byte) 'R');
            return endpoint;
        }
    }

    private static byte[] greeting(PeerParameters of) {
        return ByteBuffer.allocate(20)
                .putInt(MAGIC)
                .putShort((short) 1)
                .put((byte) 1) // counts credits
                .put((byte) 0)
                .putInt(of.receiveBuffers())
                .putInt(of.receiveBufferSize())
                .putInt(of.maxMessageSize())
                .array();
    }

    private static PeerParameters parametersOf(ConnectionParameters received, PeerParameters local) {
        ByteBuffer data = ByteBuffer.wrap(received.privateData());
        assertThat(data.remaining()).isGreaterThanOrEqualTo(20);
        assertThat(data.getInt()).isEqualTo(MAGIC);
        assertThat(data.getShort())
                .as("an old release refuses any other version")
                .isEqualTo((short) 1);
        boolean credits = (data.getShort() & 0x100) != 0;
        return new PeerParameters(
                received.queuePairNumber(),
                0,
                local.gid(),
                0,
                local.mtu(),
                received.responderResources(),
                received.initiatorDepth(),
                credits,
                data.getInt(),
                data.getInt(),
                data.getInt(),
                NOTHING);
    }

    private ConnectionParameters connectionParameters(PeerParameters local) {
        return ConnectionParameters.DEFAULT
                .withPrivateData(greeting(local))
                .withReadsAndAtomics(local.responderResources(), local.initiatorDepth())
                .withRetries(options.retryCnt(), options.rnrRetry())
                .withQueuePair(local.qpNumber(), false);
    }

    /** Connects as a client of the connection manager. */
    Endpoint connectByManager(InetSocketAddress address) {
        CmLoop loop = CmLoop.of(resources);
        CmDialog dialog = new CmDialog(Environment.SYSTEM, address.toString(), options.handshakeTimeout());
        CmIdentifier id = loop.create(dialog);
        CmConnector.resolve(resources, id, dialog, null, address);
        InetAddress local = id.localAddress().getAddress();
        try (QueuePairBringUp queuePair = new QueuePairBringUp(
                resources, options, local, id.port(), id.attributesTo(QueuePairState.INIT), NOTHING, null)) {
            id.connect(connectionParameters(queuePair.local()));
            CmEvent answer = dialog.await(CmEventType.CONNECT_RESPONSE);
            Endpoint endpoint = queuePair.connect(
                    parametersOf(answer.parameters(), queuePair.local()),
                    id.attributesTo(QueuePairState.RTR),
                    id.attributesTo(QueuePairState.RTS));
            id.establish();
            CmConnector.watch(loop, id, dialog, endpoint);
            return endpoint;
        }
    }

    /** Accepts one request of the connection manager. */
    Endpoint acceptByManager(CmEvent event) {
        CmIdentifier request = event.identifier();
        CmDialog dialog = new CmDialog(Environment.SYSTEM, "a client", options.handshakeTimeout());
        request.attach(dialog);
        try (QueuePairBringUp queuePair = new QueuePairBringUp(
                resources,
                options,
                request.localAddress().getAddress(),
                request.port(),
                request.attributesTo(QueuePairState.INIT),
                NOTHING,
                null)) {
            Endpoint endpoint = queuePair.connect(
                    parametersOf(event.parameters(), queuePair.local()),
                    request.attributesTo(QueuePairState.RTR),
                    request.attributesTo(QueuePairState.RTS));
            request.accept(connectionParameters(queuePair.local()));
            dialog.await(CmEventType.ESTABLISHED);
            CmConnector.watch(CmLoop.of(resources), request, dialog, endpoint);
            return endpoint;
        }
    }
}
