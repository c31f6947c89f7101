package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.BoundWindow;
import io.rdma.engine.ResourceOptions;
import io.rdma.testing.PeerRefusal;
import io.rdma.testing.TestCertificates;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.RegistrationLimitException;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/**
 * Contract of admission and of access to memory, tried by a hostile peer: docs/operate/security.md. The same on every
 * device.
 */
abstract class SecurityContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    private RdmaResources resources;
    private DisposableServer server;

    @TempDir
    private Path folder;

    /** Returns the name of the device. */
    abstract String device();

    /**
     * Returns whether the device sets {@code IBV_WC_WITH_INV} in the completion of a message that was sent with
     * invalidate.
     */
    boolean tellsInvalidation() {
        return true;
    }

    @BeforeEach
    void open() {
        resources = RdmaResources.open(TestDevice.assumed(device()));
    }

    private void bind(UnaryOperator<RdmaServer> change) {
        server = change.apply(RdmaServer.create()
                        .resources(resources)
                        .host("127.0.0.1")
                        .receiveBuffers(16, 1024)
                        .options(o -> o.withHandshakeTimeout(PATIENCE))
                        .handle(connection -> {
                            accepted.add(connection);
                            return Mono.never();
                        }))
                .bindNow(PATIENCE);
    }

    private RdmaClient client() {
        return RdmaClient.create()
                .resources(resources)
                .host("127.0.0.1")
                .port(server.port())
                .receiveBuffers(16, 1024)
                .options(o -> o.withHandshakeTimeout(PATIENCE));
    }

    private RdmaConnection nextAccepted() throws InterruptedException {
        return Objects.requireNonNull(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    @AfterEach
    void nothingIsLeft() {
        if (server != null) {
            server.disposeNow(PATIENCE);
        }
        if (resources != null) {
            resources.close();
            TestDevice.awaitClosed(resources.context());
        }
    }

    private void assertRefused(RdmaConnection by, RemoteMemory memory) {
        RegisteredBuffer buffer = Objects.requireNonNull(by.acquire().block(PATIENCE));
        PeerRefusal.assertOfRead(
                device(), catchThrowable(() -> by.read(memory, buffer.limit(8)).block(PATIENCE)));
        buffer.close();
        by.onDispose().block(PATIENCE);
    }

    private static void assertReads(RdmaConnection by, RemoteMemory memory) {
        RegisteredBuffer buffer = Objects.requireNonNull(by.acquire().block(PATIENCE));
        by.read(memory, buffer.limit(8)).block(PATIENCE);
        buffer.close();
    }

    private static MemoryRegion region(RdmaConnection of) {
        return Objects.requireNonNull(of.allocate(64, AccessFlag.REMOTE_READ).block(PATIENCE));
    }

    @Test
    void aKeyIsRefusedOnAnotherConnectionThatHasItsOwnDomain() throws InterruptedException {
        bind(s -> s.options(o -> o.withOwnProtectionDomain(true)));
        RdmaConnection friend = client().connectNow(PATIENCE);
        RemoteMemory secret = region(nextAccepted()).remote();
        RdmaConnection thief = client().connectNow(PATIENCE);
        assertRefused(thief, secret);
        assertReads(friend, secret);
        friend.disposeNow(PATIENCE);
    }

    @Test
    void aFormerPeerReadsNothing() throws InterruptedException {
        bind(s -> s);
        RdmaConnection first = client().connectNow(PATIENCE);
        RdmaConnection atServer = nextAccepted();
        RemoteMemory granted = region(atServer).remote();
        assertReads(first, granted);
        atServer.disposeNow(PATIENCE);
        first.onDispose().block(PATIENCE);
        assertRefused(client().connectNow(PATIENCE), granted); // the same process reconnects and still has the key
    }

    @Test
    void aRegionThatIsClosedIsRevokedWhileTheConnectionLives() throws InterruptedException {
        bind(s -> s);
        RdmaConnection connection = client().connectNow(PATIENCE);
        MemoryRegion lent = region(nextAccepted());
        assertReads(connection, lent.remote());
        RemoteMemory remembered = lent.remote();
        lent.close();
        assertRefused(connection, remembered);
    }

    @Test
    void aGrantIsLimitedToARangeAndATime() throws InterruptedException {
        bind(s -> s);
        RdmaConnection connection = client().connectNow(PATIENCE);
        RdmaConnection atServer = nextAccepted();
        MemoryRegion whole = Objects.requireNonNull(
                atServer.allocate(64, AccessFlag.LOCAL_WRITE).block(PATIENCE));
        MemoryRegion grant = Objects.requireNonNull(
                atServer.grant(whole, 16, 8, PATIENCE, AccessFlag.REMOTE_READ).block(PATIENCE));
        assertReads(connection, grant.remote());
        RemoteMemory beyond = new RemoteMemory(grant.remote().address() + 8, 8, grant.rkey());
        assertRefused(connection, beyond);

        RdmaConnection again = client().connectNow(PATIENCE);
        RdmaConnection atServerAgain = nextAccepted();
        MemoryRegion brief = Objects.requireNonNull(atServerAgain
                .allocate(64)
                .flatMap(memory -> atServerAgain.grant(memory, 0, 8, Duration.ofMillis(1), AccessFlag.REMOTE_READ))
                .block(PATIENCE));
        RemoteMemory remembered = brief.remote();
        await().atMost(PATIENCE).until(brief::isClosed);
        assertRefused(again, remembered);
    }

    private static BoundWindow window(RdmaConnection of) {
        return Objects.requireNonNull(of.allocate(64, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND)
                .flatMap(memory -> of.bind(memory, 16, 8, AccessFlag.REMOTE_READ))
                .block(PATIENCE));
    }

    private void assumeWindows() {
        assumeTrue(resources.context().queryDevice().hasMemoryWindowsOfType2(), "this device has no windows of type 2");
    }

    @Test
    void aWindowIsValidUntilItIsClosed() throws InterruptedException {
        assumeWindows();
        bind(s -> s);
        RdmaConnection connection = client().connectNow(PATIENCE);
        BoundWindow window = window(nextAccepted());
        assertReads(connection, window.remote());
        window.close();
        assertThat(window.isClosed()).isTrue();
        assertRefused(connection, window.remote());
    }

    @Test
    void aWindowIsValidOnOneConnectionOnly() throws InterruptedException {
        assumeWindows();
        bind(s -> s);
        RdmaConnection connection = client().connectNow(PATIENCE);
        BoundWindow window = window(nextAccepted());
        assertRefused(client().connectNow(PATIENCE), window.remote());
        assertReads(connection, window.remote());
        connection.disposeNow(PATIENCE);
        await().atMost(PATIENCE).until(window::isClosed);
    }

    @Test
    void aSendWithInvalidateInvalidatesTheWindow() throws InterruptedException {
        assumeWindows();
        bind(s -> s);
        RdmaConnection connection = client().connectNow(PATIENCE);
        RdmaConnection atServer = nextAccepted();
        BoundWindow window = window(atServer);
        assertReads(connection, window.remote());
        RegisteredBuffer message = Objects.requireNonNull(connection.acquire().block(PATIENCE));
        connection.sendWithInvalidate(message.limit(3), window.remote()).block(PATIENCE);
        message.close();
        ReceivedMessage received =
                Objects.requireNonNull(atServer.receiveOwned().blockFirst(PATIENCE));
        assertThat(received.length()).isEqualTo(3);
        assertThat(received.hasImmediate()).isFalse();
        boolean reported = received.hasInvalidatedKey();
        int key = reported ? received.invalidatedKey() : 0;
        received.close();
        assertThat(reported).isEqualTo(tellsInvalidation());
        assertThat(key).isEqualTo(reported ? window.remote().rkey() : 0);
        assertRefused(connection, window.remote());
        window.close();
    }

    @Test
    void aServerRegistersNoMoreThanItsLimit() throws InterruptedException {
        resources.close();
        resources = RdmaResources.open(
                TestDevice.assumed(device()), ResourceOptions.DEFAULT.withMaxRegisteredBytes(3 << 20));
        bind(s -> s.resources(resources));
        try (RdmaResources clientResources = RdmaResources.open(TestDevice.assumed(device()))) {
            RdmaClient clients = client().resources(clientResources);
            RdmaConnection first = clients.connectNow(PATIENCE);
            RdmaConnection atServer = nextAccepted();
            long before = resources.registrationBudget().registered();
            assertThat(before).isPositive();
            assertThatThrownBy(() -> atServer.allocate(3 << 20).block(PATIENCE))
                    .isInstanceOf(RegistrationLimitException.class)
                    .hasMessageContaining("maxRegisteredBytes");
            assertThat(resources.registrationBudget().registered()).isEqualTo(before);
            assertThatThrownBy(() -> clients.sendBuffers(1, 64)
                            .receiveBuffers(16, 1024)
                            .connect()
                            .repeat()
                            .blockLast(PATIENCE))
                    .isInstanceOfSatisfying(RdmaConnectException.class, e -> {
                        assertThat(e.reason()).isEqualTo(Reason.REJECTED);
                        assertThat(e).hasMessageContaining("its log says why");
                    });
            assertReads(first, region(atServer).remote()); // the established connection goes on
        }
        await().atMost(PATIENCE).until(() -> resources.endpoints().isEmpty());
        server.disposeNow(PATIENCE);
    }

    @Test
    void aServerAdmitsNoMoreThanItsLimit() throws InterruptedException {
        bind(s -> s.limits(l -> l.withConnections(2)));
        RdmaConnection first = client().connectNow(PATIENCE);
        RdmaConnection firstAtServer = nextAccepted();
        RdmaConnection second = client().connectNow(PATIENCE);
        assertThatThrownBy(() -> client().connectNow(PATIENCE))
                .isInstanceOfSatisfying(RdmaConnectException.class, e -> {
                    assertThat(e.reason()).isEqualTo(Reason.REJECTED);
                    assertThat(e).hasMessageContaining("as many connections as it admits");
                });
        first.disposeNow(PATIENCE);
        firstAtServer.onDispose().block(PATIENCE);
        client().connectNow(PATIENCE).disposeNow(PATIENCE);
        second.disposeNow(PATIENCE);
    }

    @Test
    void bothSidesAuthenticate() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        KeyStore serverKey = certificates.create("server");
        KeyStore clientKey = certificates.create("client");
        KeyStore strangerKey = certificates.create("stranger");
        SSLContext serverTls = TestCertificates.context(serverKey, clientKey);
        bind(s -> s.options(o -> o.withTls(serverTls)));

        SSLContext clientTls = TestCertificates.context(clientKey, serverKey);
        RdmaConnection connection = client().options(o -> o.withTls(clientTls)).connectNow(PATIENCE);
        connection
                .send(5, to -> to.copyFrom(MemorySegment.ofArray("hello".getBytes())))
                .block(PATIENCE);
        RdmaConnection atServer = nextAccepted();
        assertThat(atServer.receive(message -> new String(message.toByteArray()))
                        .next()
                        .block(PATIENCE))
                .isEqualTo("hello");

        SSLContext stranger = TestCertificates.context(strangerKey, serverKey);
        assertRefusedBy(stranger, Reason.AUTHENTICATION, Reason.PROTOCOL_ERROR); // the server does not trust the client
        SSLContext deceived = TestCertificates.context(clientKey, strangerKey);
        assertRefusedBy(deceived, Reason.AUTHENTICATION); // the client does not trust the server
        assertThatThrownBy(() -> client().connectNow(PATIENCE)) // without TLS
                .isInstanceOf(RdmaConnectException.class);
        assertThat(accepted).isEmpty();

        connection.disposeNow(PATIENCE); // the farewell is sent over TLS too
        atServer.onDispose().block(PATIENCE);
        assertThat(atServer.endpoint().failure()).isNull();
    }

    private void assertRefusedBy(SSLContext tls, Reason... reasons) {
        assertThatThrownBy(() -> client().options(o -> o.withTls(tls)).connectNow(PATIENCE))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isIn((Object[]) reasons));
    }

    @Test
    void aClientThatNeverFinishesTlsIsDroppedInTime() throws Exception {
        KeyStore key = new TestCertificates(folder).create("server");
        SSLContext tls = TestCertificates.context(key, key);
        bind(s -> s.options(o -> o.withTls(tls).withHandshakeTimeout(Duration.ofMillis(500))));
        try (Socket stalled = new Socket("127.0.0.1", server.port())) {
            stalled.getOutputStream().write(new byte[] {22, 3, 1}); // the beginning of a ClientHello
            stalled.setSoTimeout(60_000);
            while (stalled.getInputStream().read() >= 0) {
                // the server may send an alert before the stream ends
            }
        } catch (SocketException reset) {
            // the server closed the socket with unread bytes
        }
        assertThat(accepted).isEmpty();
    }
}
