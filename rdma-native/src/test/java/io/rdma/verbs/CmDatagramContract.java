package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.testing.NewestFirst;
import io.rdma.testing.TestDevice;
import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import io.rdma.types.VerbsException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of the connection manager for datagrams. Services are found by address and port; groups are joined. */
@SuppressWarnings("try") // close() of the objects may throw any exception
abstract class CmDatagramContract {
    private static final Duration RESOLVE = Duration.ofSeconds(2);
    private static final int PATIENCE_MILLIS = 60_000;
    private static final int UDP_QKEY = 0x01234567;
    private static final int MULTICAST_QPN = 0xffffff;
    private static final InetSocketAddress GROUP = new InetSocketAddress("239.77.77.9", 0);

    private final NewestFirst opened = new NewestFirst();
    private CmEventChannel clients;
    private CmEventChannel servers;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    abstract String host();

    @BeforeEach
    void open() {
        RdmaDevice device = TestDevice.assumedInfiniBand(device());
        clients = opened.later(device.createEventChannel());
        servers = opened.later(device.createEventChannel());
    }

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    private static CmEvent expect(CmEventChannel channel, CmEventType type) {
        assertThat(channel.await(PATIENCE_MILLIS)).as("an event in time").isTrue();
        CmEvent event = channel.take();
        assertThat(event).isNotNull();
        assertThat(event.type()).as("%s", event).isEqualTo(type);
        return event;
    }

    private CmIdentifier bound(CmEventChannel channel) {
        CmIdentifier made = opened.later(channel.createIdentifier(PortSpace.UDP));
        made.bind(new InetSocketAddress(host(), 0));
        return made;
    }

    private CmIdentifier routed(CmIdentifier listener) {
        CmIdentifier client = opened.later(clients.createIdentifier(PortSpace.UDP));
        client.resolveAddress(null, listener.localAddress(), RESOLVE);
        expect(clients, CmEventType.ADDR_RESOLVED);
        client.resolveRoute(RESOLVE);
        expect(clients, CmEventType.ROUTE_RESOLVED);
        return client;
    }

    private static ConnectionParameters withText(String text) {
        return ConnectionParameters.DEFAULT.withPrivateData(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(CmEvent event) {
        return new String(event.parameters().privateData(), StandardCharsets.UTF_8).replaceAll("\0+$", "");
    }

    @Test
    void aServiceIsFoundAndReceivesADatagram() {
        CmIdentifier listener = bound(servers);
        listener.listen(8);
        CmIdentifier client = routed(listener);
        CmEnd clientEnd = opened.later(CmEnd.of(client));
        client.connect(withText("who is there?"));
        CmEvent requested = expect(servers, CmEventType.CONNECT_REQUEST);
        assertThat(text(requested)).isEqualTo("who is there?");
        assertThat(requested.identifier().portSpace()).isEqualTo(PortSpace.UDP);
        CmIdentifier server = opened.later(requested.identifier());
        CmEnd serverEnd = opened.later(CmEnd.of(server));
        serverEnd.postReceive();
        server.accept(withText("a datagram service"));
        CmEvent found = expect(clients, CmEventType.ESTABLISHED);
        assertThat(text(found)).isEqualTo("a datagram service");
        assertThat(found.parameters().queuePairNumber()).isEqualTo(serverEnd.pair.number());
        assertThat(found.qkey()).isEqualTo(UDP_QKEY);
        clientEnd.sendTo(found, "a datagram");
        assertThat(serverEnd.receiveDatagram()).isEqualTo("a datagram");
    }

    @Test
    void aServiceThatRejectsIsUnreachable() {
        CmIdentifier listener = bound(servers);
        listener.listen(8);
        CmIdentifier client = routed(listener);
        opened.later(CmEnd.of(client));
        client.connect(ConnectionParameters.DEFAULT);
        opened.later(expect(servers, CmEventType.CONNECT_REQUEST).identifier()).reject(new byte[0]);
        CmEvent event = expect(clients, CmEventType.UNREACHABLE);
        assertThat(event.status()).isPositive();
        assertThat(event.destination()).isNull();
    }

    @Test
    void everyMemberOfAGroupGetsACopy() {
        CmIdentifier one = bound(servers);
        CmEnd oneEnd = opened.later(CmEnd.of(one));
        CmIdentifier other = bound(servers);
        CmEnd otherEnd = opened.later(CmEnd.of(other));
        CmIdentifier sender = bound(clients);
        CmEnd senderEnd = opened.later(CmEnd.of(sender));
        one.joinMulticast(GROUP, false);
        assertThat(expect(servers, CmEventType.MULTICAST_JOIN).identifier()).isSameAs(one);
        other.joinMulticast(GROUP, false);
        expect(servers, CmEventType.MULTICAST_JOIN);
        sender.joinMulticast(GROUP, true);
        CmEvent joined = expect(clients, CmEventType.MULTICAST_JOIN);
        assertThat(joined.parameters().queuePairNumber()).isEqualTo(MULTICAST_QPN);
        oneEnd.postReceive();
        otherEnd.postReceive();
        senderEnd.sendTo(joined, "to all");
        assertThat(oneEnd.receiveDatagram()).isEqualTo("to all");
        assertThat(otherEnd.receiveDatagram()).isEqualTo("to all");
        one.leaveMulticast(GROUP);
        other.leaveMulticast(GROUP);
        sender.leaveMulticast(GROUP);
        assertThatThrownBy(() -> sender.leaveMulticast(GROUP)).isInstanceOf(VerbsException.class);
    }

    @Test
    void aGroupIsForDatagrams() {
        CmIdentifier connections = opened.later(servers.createIdentifier(PortSpace.TCP));
        connections.bind(new InetSocketAddress(host(), 0));
        assertThatThrownBy(() -> connections.joinMulticast(GROUP, false)).isInstanceOf(VerbsException.class);
    }
}
