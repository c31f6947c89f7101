package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.ResourceOptions;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.HangUp;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.TestCertificates;
import io.rdma.testing.TestDevice;
import io.rdma.types.Gid;
import io.rdma.types.Mtu;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Resources that clients of the exchange over TCP can take from a server, and details that the server tells them. */
abstract class HostileClientContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT
            .withConnectMethod(ConnectMethod.TCP)
            .withReceiveBuffers(8, 1024)
            .withSendBuffers(4, 1024);

    private final NewestFirst opened = new NewestFirst();

    @TempDir
    private Path folder;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns the address of a third host, to which the device finds a route. */
    abstract String thirdHost();

    @BeforeEach
    void assumeDevice() {
        TestDevice.assumed(device());
        TestDevice.assumeMethod(device(), ConnectMethod.TCP);
    }

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    private DeviceResources resources(ResourceOptions options) {
        return opened.later(new DeviceResources(TestDevice.assumed(device()), options));
    }

    private RdmaListener listen(ResourceOptions resources, ConnectionOptions options, AdmissionLimits limits) {
        InetSocketAddress any = new InetSocketAddress("127.0.0.1", 0);
        return opened.later(RdmaListener.bind(resources(resources), options, limits, any, connection -> {}));
    }

    private RdmaConnectException refused(ConnectionOptions options, RdmaListener by) {
        ConnectOutcome outcome = ConnectOutcome.of(resources(ResourceOptions.DEFAULT), options, by.address());
        try {
            outcome.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            throw new AssertionError("it was not refused");
        } catch (CompletionException e) {
            return (RdmaConnectException) e.getCause();
        }
    }

    private SSLContext tls() throws Exception {
        KeyStore both = new TestCertificates(folder).create("both");
        return TestCertificates.context(both, both);
    }

    /** Sends a TLS record byte by byte. Each byte is a separate read, and none of them may restart the timeout. */
    @Test
    void aClientThatSendsByteByByteHoldsNoPermitBeyondTheDeadline() throws Exception {
        SSLContext tls = tls();
        Duration timeout = Duration.ofSeconds(1);
        boolean authenticated = false;
        while (!authenticated) { // the handshake of TLS has the same deadline, and takes seconds on a slow machine
            timeout = timeout.multipliedBy(2);
            authenticated = sendByteByByte(tls, timeout);
        }
    }

    /** Returns whether the client was authenticated before the deadline; then its bytes did not extend that. */
    private boolean sendByteByByte(SSLContext tls, Duration timeout) throws IOException {
        RdmaListener listener = listen(
                ResourceOptions.DEFAULT,
                OPTIONS.withTls(tls).withHandshakeTimeout(timeout),
                AdmissionLimits.DEFAULT.withHandshakes(1));
        try (CapturedLog log = new CapturedLog(RdmaListener.class.getName());
                Socket raw = new Socket("127.0.0.1", listener.address().getPort())) {
            SSLSocket secure = (SSLSocket) tls.getSocketFactory().createSocket(raw, "127.0.0.1", raw.getPort(), false);
            try {
                secure.startHandshake();
            } catch (IOException late) {
                assertThat(timeout).as("deadline of " + late).isLessThan(PATIENCE);
                return false;
            }
            raw.getOutputStream().write(new byte[] {23, 3, 3, 0x40, 0}); // header of a 16 KiB record; its bytes follow
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(() -> isBrokenAfterAByte(raw));
            await().atMost(PATIENCE).until(() -> log.has("handshakeTimeout of " + timeout));
            return true;
        }
    }

    private static boolean isBrokenAfterAByte(Socket raw) {
        try {
            raw.getOutputStream().write(0);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void oneAddressDoesNotTakeAllPermits() throws Exception {
        RdmaListener listener = listen(
                ResourceOptions.DEFAULT,
                OPTIONS.withHandshakeTimeout(PATIENCE),
                AdmissionLimits.DEFAULT.withHandshakes(4).withHandshakesPerAddress(2));
        int port = listener.address().getPort();
        try (CapturedLog log = new CapturedLog(RdmaListener.class.getName());
                Socket first = new Socket("127.0.0.1", port);
                Socket second = new Socket("127.0.0.1", port);
                Socket third = new Socket("127.0.0.1", port)) {
            HangUp.await(third);
            assertThat(first.isConnected() && second.isConnected()).isTrue();
            String refused = "127.0.0.1:" + third.getLocalPort();
            await().atMost(PATIENCE).until(() -> log.has("WARNING", refused, "2 handshakesPerAddress"));
            try (Socket other = new Socket()) {
                other.bind(new InetSocketAddress("127.0.0.2", 0));
                other.connect(new InetSocketAddress("127.0.0.1", port));
                other.getOutputStream().write("GET / HTTP/1.1".getBytes());
                other.setSoTimeout((int) PATIENCE.toMillis());
                assertThat(new String(other.getInputStream().readNBytes(4))).isEqualTo("JRDM"); // a refusal
            }
        }
    }

    /**
     * Compares the refusals of unknown and of authenticated clients. Only the latter may see how much memory may be
     * registered and how much is.
     */
    @Test
    void onlyAuthenticatedClientsAreToldTheDetailsOfARefusal() throws Exception {
        ResourceOptions tight = ResourceOptions.DEFAULT.withMaxRegisteredBytes(4096);
        RdmaListener listener = listen(tight, OPTIONS, AdmissionLimits.DEFAULT);
        try (CapturedLog log = new CapturedLog(RdmaListener.class.getName())) {
            RdmaConnectException refusal = refused(OPTIONS, listener);
            assertThat(refusal.reason()).isEqualTo(Reason.REJECTED);
            assertThat(refusal).hasMessageContaining("its log says why").hasMessageNotContaining("4096");
            await().atMost(PATIENCE).until(() -> log.has("WARNING", "4096"));
        }
        ConnectionOptions known = OPTIONS.withTls(tls());
        assertThat(refused(known, listen(tight, known, AdmissionLimits.DEFAULT)))
                .hasMessageContaining("4096");
    }

    @Test
    void aTimeoutOfAnyLengthWorks() {
        ConnectionOptions patient = OPTIONS.withHandshakeTimeout(Duration.ofSeconds(Long.MAX_VALUE));
        RdmaListener full =
                listen(ResourceOptions.DEFAULT.withMaxRegisteredBytes(4096), patient, AdmissionLimits.DEFAULT);
        assertThat(refused(patient, full).reason()).isEqualTo(Reason.REJECTED);
    }

    /**
     * Names the address of a third host. Without the check, a hello of 56 bytes makes the server send 150 KiB to any
     * address.
     */
    @Test
    void aServerSendsNothingToAThirdHost() throws Exception {
        Gid third = Gid.of(InetAddress.ofLiteral(thirdHost()));
        PeerParameters deceiver =
                new PeerParameters(77, 0, third, 0, Mtu.BYTES_1024, 1, 1, true, 8, 1024, 1024, Exchange.OFFER);
        RdmaListener listener = listen(ResourceOptions.DEFAULT, OPTIONS, AdmissionLimits.DEFAULT);
        assertThatThrownBy(() -> answer(listener, deceiver))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining(thirdHost())
                .hasMessageContaining("127.0.0.1")
                .hasMessageContaining("withVerifyPeerGid");
        RdmaListener credulous =
                listen(ResourceOptions.DEFAULT, OPTIONS.withVerifyPeerGid(false), AdmissionLimits.DEFAULT);
        assertThat(answer(credulous, deceiver).qpNumber()).isPositive();
    }

    private static PeerParameters answer(RdmaListener listener, PeerParameters hello) throws IOException {
        try (Socket raw = new Socket("127.0.0.1", listener.address().getPort());
                Exchange client = Exchange.over(
                        raw, new ExchangeDeadline(Environment.SYSTEM, raw, PATIENCE), OPTIONS, "127.0.0.1")) {
            client.sendHello(hello);
            return client.receiveAnswer();
        }
    }
}
