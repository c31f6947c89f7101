package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.internal.soft.FaultySoft;
import io.rdma.testing.NewestFirst;
import io.rdma.types.CmEventType;
import io.rdma.types.Errno;
import io.rdma.types.PortSpace;
import io.rdma.types.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two software devices with an IP address each, as on two hosts. Peers are found by their addresses and port numbers.
 */
@Tag("link")
class OwnAddressCmTest {
    private static final int PATIENCE_MILLIS = 60_000;
    private static final Duration RESOLVE = Duration.ofSeconds(2);
    private static final int SERVICE = 7174;

    private final NewestFirst opened = new NewestFirst();
    private InetAddress one;
    private InetAddress other;
    private CmEventChannel clients;
    private CmEventChannel servers;

    @BeforeEach
    void open() throws UnknownHostException {
        // Linux has all of 127/8. Other tests have other addresses.
        assumeTrue(
                System.getProperty("os.name").startsWith("Linux"), "only Linux has more loopback addresses than one");
        ThreadLocalRandom random = ThreadLocalRandom.current();
        byte[] ip = {127, (byte) random.nextInt(1, 255), (byte) random.nextInt(1, 255), 1};
        one = InetAddress.getByAddress(ip);
        ip[3] = 2;
        other = InetAddress.getByAddress(ip);
        assumeTrue(
                FaultySoft.isFree(one) && FaultySoft.isFree(other),
                "somebody else has the UDP port of RoCE, on all addresses");
        clients = opened.later(CmEventChannel.of(FaultySoft.at(one)));
        servers = opened.later(CmEventChannel.of(FaultySoft.at(other)));
    }

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    private static CmEvent next(CmEventChannel channel, CmEventType type) {
        assertThat(channel.await(PATIENCE_MILLIS)).as("an event in time").isTrue();
        CmEvent event = channel.take();
        assertThat(event).isNotNull();
        assertThat(event.type()).as("%s", event).isEqualTo(type);
        return event;
    }

    private CmIdentifier listener(PortSpace space, InetSocketAddress at) {
        CmIdentifier listener = opened.later(servers.createIdentifier(space));
        listener.bind(at);
        listener.listen(4);
        return listener;
    }

    private CmIdentifier routed(PortSpace space, int port) {
        CmIdentifier client = opened.later(clients.createIdentifier(space));
        client.resolveAddress(null, new InetSocketAddress(other, port), RESOLVE);
        next(clients, CmEventType.ADDR_RESOLVED);
        client.resolveRoute(RESOLVE);
        next(clients, CmEventType.ROUTE_RESOLVED);
        return client;
    }

    @Test
    void twoDevicesConnectExchangeAndDisconnect() {
        listener(PortSpace.TCP, new InetSocketAddress("0.0.0.0", SERVICE));
        CmIdentifier client = routed(PortSpace.TCP, SERVICE);
        CmEnd clientEnd = opened.later(CmEnd.of(client));
        clientEnd.postReceive();
        client.connect(ConnectionParameters.DEFAULT);
        CmIdentifier server =
                opened.later(next(servers, CmEventType.CONNECT_REQUEST).identifier());
        assertThat(server.localAddress()).isEqualTo(new InetSocketAddress(other, SERVICE));
        assertThat(server.remoteAddress()).isEqualTo(client.localAddress());
        assertThat(server.remoteAddress().getAddress()).isEqualTo(one);
        CmEnd serverEnd = opened.later(CmEnd.of(server));
        serverEnd.postReceive();
        server.accept(ConnectionParameters.DEFAULT);
        next(clients, CmEventType.ESTABLISHED);
        next(servers, CmEventType.ESTABLISHED);
        clientEnd.send("over there");
        assertThat(serverEnd.receive()).isEqualTo("over there");
        serverEnd.send("and back");
        assertThat(clientEnd.receive()).isEqualTo("and back");
        server.disconnect();
        next(clients, CmEventType.DISCONNECTED);
        next(servers, CmEventType.DISCONNECTED);
    }

    @Test
    void aPortWithoutAListenerIsRefused() {
        opened.later(servers.createIdentifier(PortSpace.TCP)).bind(new InetSocketAddress(other, 0)); // opens the device
        CmIdentifier client = routed(PortSpace.TCP, SERVICE);
        opened.later(CmEnd.of(client));
        client.connect(ConnectionParameters.DEFAULT);
        assertThat(next(clients, CmEventType.REJECTED).status()).isEqualTo(8); // invalid service id
        CmIdentifier asking = routed(PortSpace.UDP, SERVICE);
        opened.later(CmEnd.of(asking));
        asking.connect(ConnectionParameters.DEFAULT);
        assertThat(next(clients, CmEventType.UNREACHABLE).status()).isEqualTo(1); // unsupported
    }

    @Test
    void portsAreTheDevicesOwn() {
        listener(PortSpace.TCP, new InetSocketAddress(other, SERVICE));
        listener(PortSpace.UDP, new InetSocketAddress("0.0.0.0", SERVICE));
        CmIdentifier second = opened.later(servers.createIdentifier(PortSpace.TCP));
        assertThatThrownBy(() -> second.bind(new InetSocketAddress("0.0.0.0", SERVICE)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
        assertThatThrownBy(() -> second.bind(new InetSocketAddress(one, 0)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
        second.bind(new InetSocketAddress(other, 0));
        assertThat(second.localAddress().getPort()).isPositive();
    }
}
