package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.soft.FaultySoft;
import io.rdma.testing.NewestFirst;
import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two software devices that connect through links that lose management datagrams. Lost datagrams are sent again. */
class LossyCmTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A device and the link that it sends over. */
    private static final class Side {
        final AtomicBoolean down = new AtomicBoolean();
        final AtomicInteger sent = new AtomicInteger();
        final CmEventChannel events;

        Side() {
            Verbs verbs = FaultySoft.create(() -> {
                sent.incrementAndGet();
                return down.get();
            });
            events = CmEventChannel.of(verbs);
        }

        /** Makes the link lose all datagrams from now on. */
        void lose() {
            sent.set(0);
            down.set(true);
        }

        /** Waits until a datagram was lost. After that none is lost. */
        void loseNoMore() {
            await().atMost(PATIENCE).until(() -> sent.get() > 0);
            down.set(false);
        }

        CmEvent next(CmEventType type) {
            assertThat(events.await((int) PATIENCE.toMillis()))
                    .as("an event in time")
                    .isTrue();
            CmEvent event = events.take();
            assertThat(event).isNotNull();
            assertThat(event.type()).as("%s", event).isEqualTo(type);
            return event;
        }
    }

    private final NewestFirst opened = new NewestFirst();
    private final Side client = new Side();
    private final Side server = new Side();

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
        client.events.close();
        server.events.close();
    }

    private CmIdentifier routed(PortSpace space) {
        CmIdentifier listener = opened.later(server.events.createIdentifier(space));
        listener.bind(new InetSocketAddress("127.0.0.1", 0));
        listener.listen(16);
        CmIdentifier made = opened.later(client.events.createIdentifier(space));
        made.resolveAddress(null, listener.localAddress(), PATIENCE);
        client.next(CmEventType.ADDR_RESOLVED);
        made.resolveRoute(PATIENCE);
        client.next(CmEventType.ROUTE_RESOLVED);
        return made;
    }

    private enum Lost {
        REQUEST,
        REPLY,
        READY,
        DISCONNECT,
        DISCONNECTED
    }

    @ParameterizedTest
    @EnumSource(Lost.class)
    void aLostMessageIsSentAgain(Lost lost) {
        CmIdentifier active = routed(PortSpace.TCP);
        CmEnd activeEnd = opened.later(CmEnd.of(active));
        activeEnd.postReceive();
        if (lost == Lost.REQUEST) {
            client.lose();
        }
        active.connect(ConnectionParameters.DEFAULT);
        if (lost == Lost.REQUEST) {
            client.loseNoMore();
        }
        CmIdentifier peer =
                opened.later(server.next(CmEventType.CONNECT_REQUEST).identifier());
        CmEnd peerEnd = opened.later(CmEnd.of(peer));
        peerEnd.postReceive();
        if (lost == Lost.REPLY) {
            server.lose();
        } else if (lost == Lost.READY) {
            client.lose();
        }
        peer.accept(ConnectionParameters.DEFAULT);
        if (lost == Lost.REPLY) {
            server.loseNoMore();
        }
        client.next(CmEventType.ESTABLISHED);
        if (lost == Lost.READY) {
            client.loseNoMore();
        }
        server.next(CmEventType.ESTABLISHED);
        activeEnd.send("over there");
        assertThat(peerEnd.receive()).isEqualTo("over there");
        peerEnd.send("and back");
        assertThat(activeEnd.receive()).isEqualTo("and back");

        if (lost == Lost.DISCONNECT) {
            client.lose();
        } else if (lost == Lost.DISCONNECTED) {
            server.lose();
        }
        active.disconnect();
        if (lost == Lost.DISCONNECT) {
            client.loseNoMore();
        }
        server.next(CmEventType.DISCONNECTED);
        if (lost == Lost.DISCONNECTED) {
            server.loseNoMore();
        }
        client.next(CmEventType.DISCONNECTED);
        client.next(CmEventType.TIMEWAIT_EXIT);
        server.next(CmEventType.TIMEWAIT_EXIT);
    }

    @Test
    void anApplicationMayAcceptLate() {
        CmIdentifier active = routed(PortSpace.TCP);
        opened.later(CmEnd.of(active));
        active.connect(ConnectionParameters.DEFAULT);
        CmIdentifier peer =
                opened.later(server.next(CmEventType.CONNECT_REQUEST).identifier());
        opened.later(CmEnd.of(peer));
        // The request came again and was answered with an MRA.
        await().atMost(PATIENCE).until(() -> server.sent.get() > 0);
        peer.accept(ConnectionParameters.DEFAULT);
        client.next(CmEventType.ESTABLISHED);
        server.next(CmEventType.ESTABLISHED);
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUEST", "REPLY"})
    void aLostLookUpIsSentAgain(Lost lost) {
        CmIdentifier active = routed(PortSpace.UDP);
        opened.later(CmEnd.of(active));
        if (lost == Lost.REQUEST) {
            client.lose();
        }
        active.connect(ConnectionParameters.DEFAULT);
        if (lost == Lost.REQUEST) {
            client.loseNoMore();
        }
        CmIdentifier peer =
                opened.later(server.next(CmEventType.CONNECT_REQUEST).identifier());
        CmEnd peerEnd = opened.later(CmEnd.of(peer));
        if (lost == Lost.REPLY) {
            server.lose();
        }
        peer.accept(ConnectionParameters.DEFAULT);
        if (lost == Lost.REPLY) {
            server.loseNoMore();
        }
        CmEvent found = client.next(CmEventType.ESTABLISHED);
        assertThat(found.parameters().queuePairNumber()).isEqualTo(peerEnd.pair.number());
    }

    @Test
    void aLostRejectionIsSentAgain() {
        CmIdentifier active = routed(PortSpace.TCP);
        opened.later(CmEnd.of(active));
        active.connect(ConnectionParameters.DEFAULT);
        CmIdentifier peer = server.next(CmEventType.CONNECT_REQUEST).identifier();
        server.lose();
        peer.reject(new byte[] {'n', 'o'});
        peer.close(); // the rejection is sent again although its identifier is closed
        server.loseNoMore();
        CmEvent event = client.next(CmEventType.REJECTED);
        assertThat(event.parameters().privateData()).startsWith('n', 'o');
        assertThat(server.events.take()).isNull();
    }
}
