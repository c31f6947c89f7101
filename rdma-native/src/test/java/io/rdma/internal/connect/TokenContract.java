package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.TestCertificates;
import io.rdma.testing.TestDevice;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** RDMA CM for clients that TLS has authenticated, and for no other clients. */
abstract class TokenContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ConnectionOptions OPEN = ConnectionOptions.DEFAULT
            .withConnectMethod(ConnectMethod.RDMA_CM)
            .withHandshakeTimeout(PATIENCE)
            .withReceiveBuffers(8, 1024)
            .withSendBuffers(4, 1024);

    private final NewestFirst opened = new NewestFirst();
    private final BlockingQueue<EstablishedConnection> accepted = new LinkedBlockingQueue<>();
    private DeviceResources resources;

    @TempDir
    static Path folder;

    private static ConnectionOptions secure;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    abstract String host();

    @BeforeAll
    static void create() throws Exception {
        KeyStore both = new TestCertificates(folder).create("both");
        secure = OPEN.withTls(TestCertificates.context(both, both));
    }

    @BeforeEach
    void open() {
        TestDevice.assumeMethod(device(), ConnectMethod.TCP);
        resources = opened.later(new DeviceResources(TestDevice.assumed(device())));
    }

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    private RdmaListener listen(ConnectionOptions options, AdmissionLimits limits) {
        return opened.later(
                RdmaListener.bind(resources, options, limits, new InetSocketAddress(host(), 0), accepted::add));
    }

    private EstablishedConnection connect(ConnectionOptions options, RdmaListener to) {
        ConnectOutcome outcome = ConnectOutcome.of(resources, options, to.address());
        try {
            return outcome.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    private Endpoint accepted() throws InterruptedException {
        EstablishedConnection next = accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next.endpoint();
    }

    private EstablishedConnection connect(RdmaListener to, CmTokens.Token token) {
        return new CmConnector(resources, OPEN, to.address(), token).connect();
    }

    private static void assertReason(Reason reason, Runnable connect, String words) {
        assertThatThrownBy(connect::run)
                .isInstanceOfSatisfying(
                        RdmaConnectException.class,
                        e -> assertThat(e.reason()).as("%s", e).isEqualTo(reason))
                .hasMessageContaining(words);
    }

    private Exchange authenticated(RdmaListener by) throws Exception {
        Socket socket = opened.later(new Socket(host(), by.address().getPort()));
        return Exchange.over(socket, new ExchangeDeadline(Environment.SYSTEM, socket, PATIENCE), secure, host());
    }

    /** Allows one handshake at a time: the request of the connection manager takes over the permit of the exchange. */
    @Test
    void anAuthenticatedClientConnectsByTheConnectionManager() throws Exception {
        RdmaListener listener = listen(secure, AdmissionLimits.DEFAULT.withHandshakes(1));
        for (int i = 0; i < 3; i++) {
            Endpoint client = connect(secure, listener).endpoint();
            Endpoint server = accepted();
            assertThat(client.isClosing() || server.isClosing()).isFalse();
            client.close();
            await().atMost(PATIENCE).until(() -> server.closed().isDone());
            assertThat(server.failure()).isNull();
        }
    }

    @Test
    void aRequestWithoutATokenIsRefused() throws Exception {
        RdmaListener listener = listen(secure, AdmissionLimits.DEFAULT);
        try (Exchange exchange = authenticated(listener)) {
            exchange.requestToken();
            int port = exchange.receiveToken().port();
            CmTokens.Token zeros = new CmTokens.Token(port, new byte[CmTokens.BYTES], new byte[CmTokens.BYTES]);
            assertReason(Reason.REJECTED, () -> connect(listener, zeros), "authenticate by TLS");
            InetSocketAddress manager = new InetSocketAddress(host(), port);
            assertReason(
                    Reason.REJECTED,
                    () -> new CmConnector(resources, OPEN, manager, null).connect(),
                    "authenticate by TLS");
        }
        connect(secure, listener).endpoint().close();
    }

    @Test
    void aTokenIsGoodOnce() throws Exception {
        RdmaListener listener = listen(secure, AdmissionLimits.DEFAULT);
        try (Exchange exchange = authenticated(listener)) {
            exchange.requestToken();
            CmTokens.Token token = exchange.receiveToken();
            connect(listener, token).endpoint().close();
            assertReason(Reason.REJECTED, () -> connect(listener, token), "authenticate by TLS");
        }
    }

    @Test
    void aTokenEndsWithItsExchange() throws Exception {
        RdmaListener listener = listen(secure, AdmissionLimits.DEFAULT);
        try (CapturedLog log = new CapturedLog(RdmaListener.class.getName())) {
            CmTokens.Token token;
            String client;
            try (Exchange exchange = authenticated(listener)) {
                client = ":" + exchange.localAddress().getPort();
                exchange.requestToken();
                token = exchange.receiveToken();
            }
            await().atMost(PATIENCE).until(() -> log.has(client)); // the server has noticed the end of the exchange
            assertReason(Reason.REJECTED, () -> connect(listener, token), "authenticate by TLS");
        }
    }

    /**
     * Expects another second half than the server has. A third host on the device's network may answer a request, but
     * does not have the second half.
     */
    @Test
    void anAnswerWithoutTheSecondHalfOfTheTokenIsRefused() throws Exception {
        RdmaListener listener = listen(secure, AdmissionLimits.DEFAULT);
        try (Exchange exchange = authenticated(listener)) {
            exchange.requestToken();
            CmTokens.Token token = exchange.receiveToken();
            CmTokens.Token other = new CmTokens.Token(token.port(), token.request(), new byte[CmTokens.BYTES]);
            assertReason(Reason.AUTHENTICATION, () -> connect(listener, other), "not the server");
        }
        assertThat(accepted).isEmpty();
    }

    @Test
    void theExchangeConnectsWithoutTheConnectionManager() throws Exception {
        RdmaListener listener = listen(secure, AdmissionLimits.DEFAULT);
        connect(secure.withConnectMethod(ConnectMethod.TCP), listener)
                .endpoint()
                .close();
        accepted();
        RdmaListener tcp = listen(secure.withConnectMethod(ConnectMethod.TCP), AdmissionLimits.DEFAULT);
        assertReason(Reason.REJECTED, () -> connect(secure, tcp), "does not listen for RDMA CM");
        connect(secure.withConnectMethod(ConnectMethod.AUTOMATIC), tcp)
                .endpoint()
                .close();
        accepted();
    }
}
