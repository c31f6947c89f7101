package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.types.AccessFlag;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ends of a connection as the other side sees them, with both ways to connect, on every device. */
abstract class FarewellContract extends ConnectedContract {
    /** Returns an address of the device. */
    abstract String host();

    private void connect(ConnectMethod connector) {
        assumeMethod(connector);
        ConnectionOptions options = small().withConnectMethod(connector);
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        try (RdmaListener listener = RdmaListener.bind(
                resources, options, AdmissionLimits.DEFAULT, new InetSocketAddress(host(), 0), accepted::complete)) {
            client = connected(resources, options, listener).endpoint();
            server = accepted.join().endpoint();
        }
    }

    private List<Counted> send(int messages) {
        return send(0, messages);
    }

    private List<Counted> send(int from, int to) {
        List<Counted> sent = new ArrayList<>();
        for (int i = from; i < to; i++) {
            RegisteredBuffer buffer = acquire(client).limit(Integer.BYTES);
            buffer.segment().set(ValueLayout.JAVA_INT, 0, i);
            sent.add(submit(client, WorkRequest.send(buffer, true)));
        }
        return sent;
    }

    /** Uses up all receives of the server, which takes none of the messages. */
    private void fillReceives() {
        send(0, 4).forEach(Counted::ended);
        send(4, 8).forEach(Counted::ended);
    }

    private void assertArrived(int messages) {
        for (int i = 0; i < messages; i++) {
            try (ReceivedMessage message = next(server.receives()::poll)) {
                assertThat(message.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(i);
            }
        }
    }

    private static void awaitClosed(Endpoint endpoint) {
        await().atMost(PATIENCE).until(() -> endpoint.closed().isDone());
    }

    private void assertLost(String why) {
        awaitClosed(server);
        assertThat(server.failure()).isNotNull().hasMessageContaining(why);
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void messagesPostedBeforeACloseArriveAndTheEndIsOrderly(ConnectMethod connector) {
        connect(connector);
        List<Counted> sent = send(4);
        client.close();
        awaitClosed(server);
        assertThat(server.failure()).isNull();
        assertArrived(4);
        assertThat(sent).allSatisfy(one -> assertThat(one.ended().error).isNull());
        awaitClosed(client);
        assertThat(client.failure()).isNull();
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void anAbortReachesThePeerAfterTheMessagesSentBefore(ConnectMethod connector) {
        connect(connector);
        send(4).forEach(Counted::ended);
        client.abort(new IllegalStateException("the handler failed"));
        assertLost("aborted the connection");
        assertArrived(4);
        awaitClosed(client);
        assertThat(client.failure()).hasMessage("the handler failed");
    }

    /** The loop ends the connection. A submit that overtakes it must not send what the application believes refused. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void nothingIsSentBehindACloseThatTheLoopHasNotSeen(ConnectMethod connector) {
        connect(connector);
        RegisteredBuffer buffer = acquire(client).limit(8);
        CompletableFuture<Void> released = new CompletableFuture<>();
        client.loop().execute(released::join);
        client.close();
        Counted late = submit(client, WorkRequest.send(buffer, true));
        released.complete(null);
        assertThat(late.ended().error).isInstanceOf(ConnectionClosedException.class);
        awaitClosed(server);
        assertThat(server.failure()).isNull();
        assertThat(server.receives().isEmpty()).isTrue();
    }

    /** Uses up every message credit and the last control credit: the farewell has a receive of its own. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void aFarewellNeedsNoCredit(ConnectMethod connector) {
        connect(connector);
        fillReceives();
        client.close();
        awaitClosed(server);
        assertThat(server.failure()).isNull();
        assertArrived(8);
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void aCloseWithUnsentMessagesIsNotOrderlyForThePeer(ConnectMethod connector) {
        connect(connector);
        fillReceives();
        List<Counted> waiting = send(8, 9); // the server has no receive for it
        client.close();
        assertThat(waiting.getFirst().ended().error).isInstanceOf(ConnectionClosedException.class);
        assertLost("aborted the connection");
        assertArrived(8);
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void aCloseBeforeALargeMessageIsFetchedIsNotOrderlyForThePeer(ConnectMethod connector) {
        connect(connector);
        var region = client.memory().allocate(4096, Set.of(AccessFlag.REMOTE_READ));
        Counted large = submit(client, WorkRequest.send(RegisteredBuffer.of(region, 0, 4096), true));
        await().atMost(PATIENCE).until(() -> !server.receives().isEmpty());
        client.close();
        assertThat(large.ended().error).isInstanceOf(ConnectionClosedException.class);
        assertLost("aborted the connection");
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void bothMayCloseAtOnce(ConnectMethod connector) {
        connect(connector);
        client.close();
        server.close();
        awaitClosed(client);
        awaitClosed(server);
        assertThat(client.failure()).isNull();
        assertThat(server.failure()).isNull();
    }

    /**
     * Ends the connection without a farewell, as happens when the kernel disconnects for a killed process, or when the
     * exchange ends for another reason.
     */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void anEndWithoutAFarewellIsALoss(ConnectMethod connector) {
        connect(connector);
        send(4).forEach(Counted::ended);
        server.peerClosed();
        assertLost("without a farewell");
        assertArrived(4);
    }
}
