package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.soft.FaultySoft;
import io.rdma.testing.NewestFirst;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two software devices that connect through links which lose management datagrams: what is lost is said again. */
class LossyCmTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A device and the link that it sends by. */
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

        /** From now on all is lost. */
        void lose() {
            sent.set(0);
            down.set(true);
        }

        /** Once something was lost, nothing is. */
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
    void whatIsLostIsSaidAgain(Lost lost) {
        CmIdentifier asking = routed(PortSpace.TCP);
        CmEnd askingEnd = opened.later(CmEnd.of(asking));
        askingEnd.postReceive();
        if (lost == Lost.REQUEST) {
            client.lose();
        }
        asking.connect(ConnectionParameters.DEFAULT);
        if (lost == Lost.REQUEST) {
            client.loseNoMore();
        }
        CmIdentifier asked =
                opened.later(server.next(CmEventType.CONNECT_REQUEST).identifier());
        CmEnd askedEnd = opened.later(CmEnd.of(asked));
        askedEnd.postReceive();
        if (lost == Lost.REPLY) {
            server.lose();
        } else if (lost == Lost.READY) {
            client.lose();
        }
        asked.accept(ConnectionParameters.DEFAULT);
        if (lost == Lost.REPLY) {
            server.loseNoMore();
        }
        client.next(CmEventType.ESTABLISHED);
        if (lost == Lost.READY) {
            client.loseNoMore();
        }
        server.next(CmEventType.ESTABLISHED);
        askingEnd.send("over there");
        assertThat(askedEnd.receive()).isEqualTo("over there");
        askedEnd.send("and back");
        assertThat(askingEnd.receive()).isEqualTo("and back");

        if (lost == Lost.DISCONNECT) {
            client.lose();
        } else if (lost == Lost.DISCONNECTED) {
            server.lose();
        }
        asking.disconnect();
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
    void anApplicationMayTakeItsTime() {
        CmIdentifier asking = routed(PortSpace.TCP);
        opened.later(CmEnd.of(asking));
        asking.connect(ConnectionParameters.DEFAULT);
        CmIdentifier asked =
                opened.later(server.next(CmEventType.CONNECT_REQUEST).identifier());
        opened.later(CmEnd.of(asked));
        // The request came again, and was answered with an MRA.
        await().atMost(PATIENCE).until(() -> server.sent.get() > 0);
        asked.accept(ConnectionParameters.DEFAULT);
        client.next(CmEventType.ESTABLISHED);
        server.next(CmEventType.ESTABLISHED);
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUEST", "REPLY"})
    void aLookUpIsSaidAgain(Lost lost) {
        CmIdentifier asking = routed(PortSpace.UDP);
        opened.later(CmEnd.of(asking));
        if (lost == Lost.REQUEST) {
            client.lose();
        }
        asking.connect(ConnectionParameters.DEFAULT);
        if (lost == Lost.REQUEST) {
            client.loseNoMore();
        }
        CmIdentifier asked =
                opened.later(server.next(CmEventType.CONNECT_REQUEST).identifier());
        CmEnd askedEnd = opened.later(CmEnd.of(asked));
        if (lost == Lost.REPLY) {
            server.lose();
        }
        asked.accept(ConnectionParameters.DEFAULT);
        if (lost == Lost.REPLY) {
            server.loseNoMore();
        }
        CmEvent found = client.next(CmEventType.ESTABLISHED);
        assertThat(found.parameters().queuePairNumber()).isEqualTo(askedEnd.pair.number());
    }

    @Test
    void aRejectionIsSaidAgain() {
        CmIdentifier asking = routed(PortSpace.TCP);
        opened.later(CmEnd.of(asking));
        asking.connect(ConnectionParameters.DEFAULT);
        CmIdentifier asked = server.next(CmEventType.CONNECT_REQUEST).identifier();
        server.lose();
        asked.reject(new byte[] {'n', 'o'});
        asked.close(); // what it said is said without it
        server.loseNoMore();
        CmEvent event = client.next(CmEventType.REJECTED);
        assertThat(event.parameters().privateData()).startsWith('n', 'o');
        assertThat(server.events.take()).isNull();
    }
}
