package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.internal.soft.FaultySoft;
import io.rdma.internal.soft.HostileManager;
import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The software device's connection manager under attack at its queue pair 1. It trusts no stranger, and the listener
 * continues to work.
 */
class HostileCmTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BACKLOG = 8;

    private CmEventChannel channel;
    private CmIdentifier listener;
    private HostileManager stranger;

    @BeforeEach
    void listen() {
        var verbs = FaultySoft.create(0, 0, 0, 1);
        channel = CmEventChannel.of(verbs);
        listener = channel.createIdentifier(PortSpace.TCP);
        listener.bind(new InetSocketAddress("127.0.0.1", 0));
        listener.listen(BACKLOG);
        stranger = new HostileManager(verbs);
    }

    @AfterEach
    void close() {
        stranger.close();
        listener.close();
        channel.close();
    }

    @Test
    void damagedDatagramsAreCountedAndDropped() {
        int damaged = stranger.sendDamaged(500);
        await().atMost(PATIENCE).until(() -> stranger.dropped() >= damaged);
        assertThat(channel.take()).isNull();
        assertStillListens();
    }

    /** The datagrams parse, but belong to no conversation or ask for something that does not exist. */
    @Test
    void messagesWithoutAConversationChangeNothing() {
        stranger.sendUnrelated(500);
        assertThat(channel.take()).isNull();
        assertStillListens();
    }

    @Test
    void aFloodOfRequestsFillsTheBacklogAndNoMore() {
        stranger.sendRequests(300, address().getPort());
        List<CmIdentifier> requests = new ArrayList<>();
        for (CmEvent event; (event = channel.take()) != null; ) {
            requests.add(event.identifier());
        }
        assertThat(requests).hasSize(BACKLOG);
        requests.forEach(CmIdentifier::close);
        assertStillListens();
    }

    private InetSocketAddress address() {
        InetSocketAddress address = listener.localAddress();
        assertThat(address).isNotNull();
        return address;
    }

    private void assertStillListens() {
        CmEventChannel other = CmEventChannel.of(FaultySoft.create(0, 0, 0, 2));
        CmIdentifier client = other.createIdentifier(PortSpace.TCP);
        client.resolveAddress(null, address(), Duration.ofSeconds(2));
        assertThat(other.take()).extracting(CmEvent::type).isEqualTo(CmEventType.ADDR_RESOLVED);
        client.resolveRoute(Duration.ofSeconds(2));
        assertThat(other.take()).extracting(CmEvent::type).isEqualTo(CmEventType.ROUTE_RESOLVED);
        client.connect(ConnectionParameters.DEFAULT.withQueuePair(77, false));
        CmEvent event;
        do { // requests of the stranger may come first
            assertThat(channel.await((int) PATIENCE.toMillis())).isTrue();
            event = channel.take();
            assertThat(event).extracting(CmEvent::type).isEqualTo(CmEventType.CONNECT_REQUEST);
            event.identifier().close();
        } while (event.parameters().queuePairNumber() != 77);
        client.close();
        other.close();
    }
}
