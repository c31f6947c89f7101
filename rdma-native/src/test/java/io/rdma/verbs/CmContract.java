package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rdma.internal.ibv.QpAttr;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.TestDevice;
import io.rdma.types.CmEventType;
import io.rdma.types.Errno;
import io.rdma.types.PortSpace;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairState;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

/**
 * Contract of the connection manager, the same on every device that has one. Both sides of a connection are in one
 * process, with a channel for each.
 */
abstract class CmContract {
    static final Duration RESOLVE = Duration.ofSeconds(2);
    private static final int PATIENCE_MILLIS = 60_000;
    private static final int INVALID_SERVICE = 8; // no listener for the service
    private static final int CONSUMER_REJECT = 28;

    final NewestFirst opened = new NewestFirst();
    RdmaDevice device;
    CmEventChannel clients;
    CmEventChannel servers;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    abstract String host();

    /** Returns an IPv6 address of the device. */
    abstract String host6();

    /** Returns an address that leads nowhere. */
    abstract String nowhere();

    /** Returns the number of connections to make at once. */
    abstract int many();

    @BeforeEach
    void open() {
        device = TestDevice.assumed(device());
        clients = opened.later(device.createEventChannel());
        servers = opened.later(device.createEventChannel());
    }

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    private static CmEvent next(CmEventChannel channel) {
        long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
        while (true) {
            CmEvent event = channel.take();
            if (event != null) {
                return event;
            }
            assertThat(System.nanoTime()).as("an event in time").isLessThan(deadline);
            channel.await(1000);
        }
    }

    static CmEvent expect(CmEventChannel channel, CmEventType type) {
        CmEvent event = next(channel);
        assertThat(event.type()).as("%s", event).isEqualTo(type);
        return event;
    }

    CmIdentifier listener(String host) {
        CmIdentifier listener = opened.later(servers.createIdentifier(PortSpace.TCP));
        listener.bind(new InetSocketAddress(host, 0));
        listener.listen(128);
        return listener;
    }

    static InetSocketAddress address(CmIdentifier listener) {
        InetSocketAddress address = listener.localAddress();
        assertThat(address).isNotNull();
        assertThat(address.getPort()).isPositive();
        return address;
    }

    CmIdentifier routed(InetSocketAddress to) {
        CmIdentifier client = opened.later(clients.createIdentifier(PortSpace.TCP));
        client.resolveAddress(null, to, RESOLVE);
        assertThat(expect(clients, CmEventType.ADDR_RESOLVED).identifier()).isSameAs(client);
        client.resolveRoute(RESOLVE);
        expect(clients, CmEventType.ROUTE_RESOLVED);
        return client;
    }

    CmIdentifier request() {
        return opened.later(expect(servers, CmEventType.CONNECT_REQUEST).identifier());
    }

    private static ConnectionParameters withText(String text) {
        return ConnectionParameters.DEFAULT.withPrivateData(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the private data as text. It arrives padded with zeros. */
    private static String text(CmEvent event) {
        return new String(event.parameters().privateData(), StandardCharsets.UTF_8).replaceAll("\0+$", "");
    }

    static void exchange(CmEnd one, CmEnd other) {
        one.send("over there");
        assertThat(other.receive()).isEqualTo("over there");
    }

    /** Both ends of one connection. */
    record Connection(
            CmIdentifier listener, CmIdentifier client, CmEnd clientEnd, CmIdentifier server, CmEnd serverEnd) {}

    Connection connected(String host) {
        return connected(host, CmEnd::of);
    }

    private Connection connected(String host, Function<CmIdentifier, CmEnd> end) {
        CmIdentifier listener = listener(host);
        CmIdentifier client = routed(address(listener));
        CmEnd clientEnd = opened.later(end.apply(client));
        clientEnd.postReceive();
        client.connect(withText("from the client"));
        CmEvent requested = expect(servers, CmEventType.CONNECT_REQUEST);
        assertThat(requested.listener()).isSameAs(listener);
        assertThat(text(requested)).isEqualTo("from the client");
        assertThat(requested.parameters().queuePairNumber())
                .isEqualTo(TestDevice.connectsByMpa(device()) ? 0 : clientEnd.pair.number());
        CmIdentifier server = opened.later(requested.identifier());
        CmEnd serverEnd = opened.later(end.apply(server));
        serverEnd.postReceive();
        server.accept(withText("from the server"));
        CmEvent answered = expect(clients, CmEventType.ESTABLISHED);
        assertThat(answered.identifier()).isSameAs(client);
        assertThat(text(answered)).isEqualTo("from the server");
        assertThat(expect(servers, CmEventType.ESTABLISHED).identifier()).isSameAs(server);
        return new Connection(listener, client, clientEnd, server, serverEnd);
    }

    @Test
    void bothSidesConnectSpeakAndDisconnect() {
        Connection made = connected(host());
        exchange(made.clientEnd(), made.serverEnd());
        exchange(made.serverEnd(), made.clientEnd());
        assertThat(made.client().remoteAddress()).isEqualTo(made.server().localAddress());
        assertThat(made.client().device().name()).isEqualTo(device());
        assertThat(made.client().port()).isEqualTo(1);

        made.clientEnd().postReceive();
        made.client().disconnect();
        made.clientEnd().completed(7, WorkCompletionStatus.WR_FLUSH_ERR);
        assertThat(expect(servers, CmEventType.DISCONNECTED).identifier()).isSameAs(made.server());
        made.server().disconnect();
        assertThat(expect(clients, CmEventType.DISCONNECTED).identifier()).isSameAs(made.client());
    }

    @ParameterizedTest
    @EnumSource(names = {"CLASSIC", "EXTENDED"})
    void aQueuePairHasASharedReceiveQueueAndEitherInterface(PostingInterface posting) {
        Connection made = connected(host(), identifier -> {
            try {
                return CmEnd.sharing(identifier, posting);
            } catch (VerbsException e) {
                assertThat(e.errno()).as("%s", e).isEqualTo(Errno.EOPNOTSUPP);
                throw new TestAbortedException("this device lacks it: " + e.getMessage());
            }
        });
        assertThat(made.clientEnd().pair.posting()).isEqualTo(posting);
        exchange(made.clientEnd(), made.serverEnd());
        exchange(made.serverEnd(), made.clientEnd());
        ReceiveChain own = new ReceiveChain(1, 1);
        own.add(1);
        assertThat(made.clientEnd().pair.post(own)).as("a receive of its own").isEqualTo(-Errno.EINVAL);
        assertThat(made.client().queuePair()).isSameAs(made.clientEnd().pair);
    }

    @Test
    void connectionsWorkOverIpv6Too() throws IOException {
        assumeThat(NetworkInterface.getByInetAddress(InetAddress.getByName(host6())))
                .as("this machine has " + host6())
                .isNotNull();
        Connection made = connected(host6());
        exchange(made.clientEnd(), made.serverEnd());
    }

    /** The manager's own value is 0, which means 655 ms. */
    @Test
    void theRnrTimerIsThatOfTheParameters() {
        assumeThat(device.isIwarp()).as("iWARP has no receiver-not-ready").isFalse();
        Connection made = connected(host());
        int wanted = ConnectionParameters.DEFAULT.minRnrTimer();
        assertThat(made.clientEnd().query().minRnrTimer()).isEqualTo(wanted);
        assertThat(made.serverEnd().query().minRnrTimer()).isEqualTo(wanted);
    }

    /** The numbers are powers of two, since rdma_rxe rounds up to the next one. */
    @Test
    void readsAndAtomicsAreTheSmallerOfBothSides() {
        assumeFalse(TestDevice.connectsByMpa(device()), device() + " negotiates by MPA, and tells its own view of it");
        CmIdentifier client = routed(address(listener(host())));
        CmEnd clientEnd = opened.later(CmEnd.of(client));
        client.connect(ConnectionParameters.DEFAULT.withReadsAndAtomics(4, 8));
        CmEvent requested = expect(servers, CmEventType.CONNECT_REQUEST);
        CmIdentifier server = opened.later(requested.identifier());
        // The numbers are those of the other side.
        assertThat(requested.parameters().responderResources()).isEqualTo(8);
        assertThat(requested.parameters().initiatorDepth()).isEqualTo(4);
        CmEnd serverEnd = opened.later(CmEnd.of(server));
        server.accept(ConnectionParameters.DEFAULT.withReadsAndAtomics(2, ConnectionParameters.MAX));
        CmEvent answered = expect(clients, CmEventType.ESTABLISHED);
        assertThat(answered.parameters().responderResources()).isEqualTo(4);
        assertThat(answered.parameters().initiatorDepth()).isEqualTo(2);
        expect(servers, CmEventType.ESTABLISHED);
        assertThat(clientEnd.query().maxRdAtomic()).isEqualTo(2);
        assertThat(clientEnd.query().maxDestRdAtomic()).isGreaterThanOrEqualTo(4);
        assertThat(serverEnd.query().maxRdAtomic()).isEqualTo(4);
        assertThat(serverEnd.query().maxDestRdAtomic()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void aRejectionCarriesItsReason() {
        CmIdentifier client = routed(address(listener(host())));
        opened.later(CmEnd.of(client));
        client.connect(ConnectionParameters.DEFAULT);
        request().reject("not today".getBytes(StandardCharsets.UTF_8));
        CmEvent event = expect(clients, CmEventType.REJECTED);
        assertThat(event.status()).isEqualTo(TestDevice.connectsByMpa(device()) ? -Errno.ECONNRESET : CONSUMER_REJECT);
        assertThat(text(event)).isEqualTo("not today");
        Connection next = connected(host()); // a rejected client may connect again
        exchange(next.clientEnd(), next.serverEnd());
    }

    @Test
    void aPortWithoutAListenerIsRejected() {
        CmIdentifier listener = listener(host());
        InetSocketAddress was = address(listener);
        listener.close();
        CmIdentifier client = routed(was);
        opened.later(CmEnd.of(client));
        if (TestDevice.connectsByMpa(device())) {
            assertThatThrownBy(() -> client.connect(ConnectionParameters.DEFAULT))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ECONNREFUSED));
            return;
        }
        client.connect(ConnectionParameters.DEFAULT);
        CmEvent event = expect(clients, CmEventType.REJECTED);
        assertThat(event.status()).isEqualTo(INVALID_SERVICE);
    }

    @Test
    void anAddressThatLeadsNowhereIsAnError() {
        CmIdentifier client = opened.later(clients.createIdentifier(PortSpace.TCP));
        client.resolveAddress(null, new InetSocketAddress(nowhere(), 7471), RESOLVE);
        CmEvent event = expect(clients, CmEventType.ADDR_ERROR);
        assertThat(event.status()).isNegative();
        assertThatThrownBy(() -> client.resolveRoute(RESOLVE)).isInstanceOf(VerbsException.class);
    }

    @Test
    void stepsOutOfOrderAreRefused() {
        CmIdentifier client = opened.later(clients.createIdentifier(PortSpace.TCP));
        assertThatThrownBy(() -> client.resolveRoute(RESOLVE)).isInstanceOf(VerbsException.class);
        assertThatThrownBy(() -> client.connect(ConnectionParameters.DEFAULT)).isInstanceOf(VerbsException.class);
        assertThatThrownBy(() -> client.accept(ConnectionParameters.DEFAULT)).isInstanceOf(VerbsException.class);
        assertThatThrownBy(client::device).isInstanceOf(IllegalStateException.class);
        CmIdentifier listener = listener(host());
        CmIdentifier other = opened.later(servers.createIdentifier(PortSpace.TCP));
        assertThatThrownBy(() -> other.bind(address(listener)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
    }

    @Test
    void privateDataHasItsLimit() {
        CmIdentifier client = routed(address(listener(host())));
        opened.later(CmEnd.of(client));
        if (!TestDevice.connectsByMpa(device())) { // MPA's limit is 512 bytes, more than librdmacm passes on
            assertThatThrownBy(() -> client.connect(ConnectionParameters.DEFAULT.withPrivateData(new byte[57])))
                    .isInstanceOf(VerbsException.class);
        }
        byte[] full = new byte[56];
        Arrays.fill(full, (byte) 1);
        client.connect(ConnectionParameters.DEFAULT.withPrivateData(full));
        CmEvent requested = expect(servers, CmEventType.CONNECT_REQUEST);
        assertThat(requested.parameters().privateData()).isEqualTo(full);
        CmIdentifier server = opened.later(requested.identifier());
        opened.later(CmEnd.of(server));
        byte[] answer = new byte[196];
        Arrays.fill(answer, (byte) 2);
        server.accept(ConnectionParameters.DEFAULT.withPrivateData(answer));
        assertThat(expect(clients, CmEventType.ESTABLISHED).parameters().privateData())
                .isEqualTo(answer);
    }

    @Test
    void connectionsOutliveTheirListener() {
        Connection made = connected(host());
        CmEventChannel own = device.createEventChannel();
        made.server().migrate(own);
        assertThat(made.server().channel()).isSameAs(own);
        made.listener().close();
        exchange(made.clientEnd(), made.serverEnd());
        made.client().disconnect();
        assertThat(expect(own, CmEventType.DISCONNECTED).identifier()).isSameAs(made.server());
        assertThatThrownBy(own::close)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        made.server().migrate(servers);
        own.close();
    }

    @Test
    void aListenerThatIsClosedRejectsWaitingRequests() {
        CmIdentifier listener = listener(host());
        CmIdentifier client = routed(address(listener));
        opened.later(CmEnd.of(client));
        client.connect(ConnectionParameters.DEFAULT);
        assertThat(servers.await(PATIENCE_MILLIS)).isTrue();
        listener.close();
        expect(clients, CmEventType.REJECTED);
        assertThat(servers.take()).isNull();
    }

    @Test
    void aPeerThatClosesIsDisconnected() throws Exception {
        Connection made = connected(host());
        made.clientEnd().close();
        made.client().close();
        assertThat(expect(servers, CmEventType.DISCONNECTED).identifier()).isSameAs(made.server());
    }

    /** With iWARP a queue pair ends with its TCP connection. RoCE's manager does not know the state of a queue pair. */
    @ParameterizedTest(name = "destroyed: {0}")
    @ValueSource(booleans = {false, true})
    void theEndOfAQueuePairEndsTheConnectionWithIwarpAlone(boolean destroyed) throws Exception {
        Connection made = connected(host());
        if (destroyed) {
            made.clientEnd().close();
        } else {
            made.clientEnd().pair.modify(QueuePairAttributes.toState(QueuePairState.ERR));
        }
        if (!device.isIwarp()) {
            connected(host()); // its events would come behind a wrong end of the first one
            made.server().disconnect();
        }
        assertThat(expect(clients, CmEventType.DISCONNECTED).identifier()).isSameAs(made.client());
        if (!device.isIwarp()) {
            made.client().disconnect(); // answers the server, rdma_disconnect(3)
        }
        assertThat(expect(servers, CmEventType.DISCONNECTED).identifier()).isSameAs(made.server());
    }

    @Test
    void anIdentifierCanBeClosedWithUntakenEvents() throws Exception {
        Connection made = connected(host());
        assertThatThrownBy(made.server()::close)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        made.client().disconnect();
        assertThat(servers.await(PATIENCE_MILLIS)).isTrue();
        made.serverEnd().close();
        made.server().close();
        assertThat(servers.take()).isNull();
        assertThatThrownBy(made.server()::disconnect).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void queuePairsOfAnotherContextConnectToo() {
        assumeThat(device.isIwarp())
                .as("with iWARP the manager itself moves the queue pair")
                .isFalse();
        DeviceContext context = opened.later(device.open());
        CmIdentifier client = routed(address(listener(host())));
        CmEnd clientEnd = opened.later(CmEnd.outside(context));
        clientEnd.move(client, QueuePairState.INIT);
        clientEnd.postReceive();
        client.connect(
                ConnectionParameters.DEFAULT.withReadsAndAtomics(1, 1).withQueuePair(clientEnd.pair.number(), false));
        CmIdentifier server = request();
        CmEnd serverEnd = opened.later(CmEnd.outside(context));
        serverEnd.move(server, QueuePairState.INIT);
        serverEnd.postReceive();
        serverEnd.move(server, QueuePairState.RTR, QueuePairState.RTS);
        server.accept(
                ConnectionParameters.DEFAULT.withReadsAndAtomics(1, 1).withQueuePair(serverEnd.pair.number(), false));
        expect(clients, CmEventType.CONNECT_RESPONSE);
        clientEnd.move(client, QueuePairState.RTR, QueuePairState.RTS);
        client.establish();
        expect(servers, CmEventType.ESTABLISHED);
        exchange(clientEnd, serverEnd);
        exchange(serverEnd, clientEnd);
    }

    @Test
    void manyConnectAtOnce() {
        InetSocketAddress to = address(listener(host()));
        List<CmIdentifier> all = new ArrayList<>();
        for (int i = 0; i < many(); i++) {
            CmIdentifier client = routed(to);
            opened.later(CmEnd.of(client));
            all.add(client);
        }
        all.forEach(client -> client.connect(ConnectionParameters.DEFAULT));
        for (int i = 0; i < many(); i++) {
            CmEvent event = next(servers);
            while (event.type() == CmEventType.ESTABLISHED) {
                event = next(servers);
            }
            assertThat(event.type()).isEqualTo(CmEventType.CONNECT_REQUEST);
            opened.later(event.identifier());
            opened.later(CmEnd.of(event.identifier()));
            event.identifier().accept(ConnectionParameters.DEFAULT);
        }
        Set<CmIdentifier> established = new HashSet<>();
        for (int i = 0; i < many(); i++) {
            established.add(expect(clients, CmEventType.ESTABLISHED).identifier());
        }
        assertThat(established).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void aWakeUpEndsAWaitAndIsRememberedOnce() {
        clients.wake();
        assertThat(clients.await(PATIENCE_MILLIS)).isFalse();
        assertThat(clients.await(0)).isFalse();
        assertThat(clients.take()).isNull();
    }

    @Test
    void namesAreTranslated() {
        assertThat(clients.addresses(host(), 7471, false, PortSpace.TCP))
                .anySatisfy(info -> assertThat(info.destination()).isEqualTo(new InetSocketAddress(host(), 7471)));
        assertThatThrownBy(() -> clients.addresses("no.such.host.invalid", 7471, false, PortSpace.TCP))
                .isInstanceOf(VerbsException.class);
    }

    /**
     * Connects a client with an option.
     *
     * @return attributes of the client's queue pair
     */
    private QpAttr connectedWith(Consumer<CmIdentifier> option) {
        CmIdentifier listener = listener(host());
        CmIdentifier client = opened.later(clients.createIdentifier(PortSpace.TCP));
        assumeTaken(() -> option.accept(client));
        client.resolveAddress(null, address(listener), RESOLVE);
        expect(clients, CmEventType.ADDR_RESOLVED);
        client.resolveRoute(RESOLVE);
        expect(clients, CmEventType.ROUTE_RESOLVED);
        CmEnd clientEnd = opened.later(CmEnd.of(client));
        client.connect(ConnectionParameters.DEFAULT);
        CmIdentifier server = request();
        opened.later(CmEnd.of(server));
        server.accept(ConnectionParameters.DEFAULT);
        expect(clients, CmEventType.ESTABLISHED);
        return clientEnd.query();
    }

    /** Sets an option; a manager that has no such option refuses it, which skips the test. */
    private static void assumeTaken(Runnable option) {
        try {
            option.run();
        } catch (VerbsException e) {
            assertThat(e.call()).isEqualTo("rdma_set_option");
            assertThat(e.errno()).isIn(Errno.EOPNOTSUPP, Errno.ENOSYS);
            throw new TestAbortedException("the device's manager refuses the option: " + e.getMessage(), e);
        }
    }

    @Test
    void theAcknowledgeTimeOutIsTheQueuePairs() {
        assumeFalse(TestDevice.connectsByMpa(device()), device() + " leaves acknowledging to TCP");
        QpAttr attr = connectedWith(client -> client.setAckTimeout(19));
        assertThat(attr.timeout()).isEqualTo(19);
        CmIdentifier datagrams = opened.later(clients.createIdentifier(PortSpace.UDP));
        assertThatThrownBy(() -> datagrams.setAckTimeout(19))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void theTypeOfServiceIsThePaths() {
        assumeFalse(TestDevice.connectsByMpa(device()), device() + " has a TCP connection instead of a path");
        QpAttr attr = connectedWith(client -> client.setTypeOfService(0x68));
        assertThat(attr.ahAttr()).isNotNull();
        assertThat(attr.ahAttr().trafficClass()).isEqualTo(0x68);
    }

    @Test
    void anAddressIsSharedByThoseThatSaySo() {
        CmIdentifier first = opened.later(servers.createIdentifier(PortSpace.TCP));
        assumeTaken(() -> first.setReuseAddress(true));
        first.bind(new InetSocketAddress(host(), 0));
        CmIdentifier second = opened.later(servers.createIdentifier(PortSpace.TCP));
        second.setReuseAddress(true);
        second.bind(address(first));
        CmIdentifier third = opened.later(servers.createIdentifier(PortSpace.TCP));
        third.setReuseAddress(false);
        assertThatThrownBy(() -> third.bind(address(first)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anIpv6WildcardIsForIpv4TooUnlessItSaysNot(boolean only) {
        CmIdentifier listener = opened.later(servers.createIdentifier(PortSpace.TCP));
        assumeTaken(() -> listener.setIpv6Only(only));
        assumeFalse(
                TestDevice.connectsByMpa(device()), device() + " listens at an IPv6 wildcard for IPv6 addresses alone");
        listener.bind(new InetSocketAddress("::", 0));
        listener.listen(8);
        CmIdentifier client =
                routed(new InetSocketAddress(host(), address(listener).getPort()));
        opened.later(CmEnd.of(client));
        client.connect(ConnectionParameters.DEFAULT);
        if (only) {
            // The kernel's manager has a listener for the port, which finds none for the address and rejects the
            // request itself.
            assertThat(expect(clients, CmEventType.REJECTED).status()).isIn(INVALID_SERVICE, CONSUMER_REJECT);
        } else {
            request();
        }
    }
}
