package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.TestCertificates;
import io.rdma.testing.TestDevice;
import java.io.ByteArrayInputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertStore;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Authentication of the server by a client with TLS: names, validity, revocation, versions. It does not depend on the
 * device.
 */
class ServerNameTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT
            .withConnectMethod(ConnectMethod.TCP)
            .withHandshakeTimeout(PATIENCE)
            .withReceiveBuffers(8, 1024)
            .withSendBuffers(4, 1024);

    private final NewestFirst opened = new NewestFirst();
    private DeviceResources resources;

    @TempDir
    static Path folder; // shared by all tests, because keytool takes a second per certificate

    private static TestCertificates certificates;
    private static KeyStore client;
    private static KeyStore server;
    private static KeyStore authority;

    @BeforeAll
    static void create() throws Exception {
        certificates = new TestCertificates(folder);
        client = certificates.create("client");
        server = certificates.create("server");
        authority = certificates.create("authority", "-ext", "bc:critical=ca:true", "-ext", "ku=keyCertSign,cRLSign");
    }

    @BeforeEach
    void open() {
        resources = opened.later(new DeviceResources(TestDevice.assumed("soft0")));
    }

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    private RdmaListener listen(ConnectionOptions options) {
        return opened.later(RdmaListener.bind(
                resources, options, AdmissionLimits.DEFAULT, new InetSocketAddress("127.0.0.1", 0), one -> {}));
    }

    private RdmaListener listen(KeyStore own) throws Exception {
        return listen(OPTIONS.withTls(TestCertificates.context(own, client)));
    }

    private EstablishedConnection connect(ConnectionOptions options, String host, RdmaListener to) {
        InetSocketAddress address = new InetSocketAddress(host, to.address().getPort());
        ConnectOutcome outcome = ConnectOutcome.of(resources, options, address);
        try {
            return outcome.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    private void assertRefused(ConnectionOptions options, String host, RdmaListener by, String... words) {
        assertThatThrownBy(() -> connect(options, host, by))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class,
                        e -> assertThat(e.reason()).as("%s", e).isEqualTo(Reason.AUTHENTICATION))
                .message()
                .contains(words);
    }

    @Test
    void theCertificateMustBeForTheNameThatWasConnectedTo() throws Exception {
        KeyStore other = certificates.create("other", "-ext", "SAN=ip:192.0.2.1,dns:other.example");
        RdmaListener listener = listen(other);
        ConnectionOptions strict = OPTIONS.withTls(TestCertificates.context(client, other));
        assertRefused(strict, "127.0.0.1", listener, "127.0.0.1", "name or address that clients use");
        assertRefused(strict, "localhost", listener, "localhost");

        KeyStore named = certificates.create("named", "-ext", "SAN=dns:localhost");
        ConnectionOptions byName = OPTIONS.withTls(TestCertificates.context(client, named));
        RdmaListener right = listen(named);
        connect(byName, "localhost", right).endpoint().close();
        assertRefused(byName, "127.0.0.1", right, "127.0.0.1");

        try (CapturedLog log = new CapturedLog(TlsHandshake.class.getName())) {
            connect(strict.withVerifyServerName(false), "127.0.0.1", listener)
                    .endpoint()
                    .close();
            connect(strict.withVerifyServerName(false), "127.0.0.1", listener)
                    .endpoint()
                    .close();
            assertThat(log.lines()).hasSize(1);
            assertThat(log.lines().getFirst())
                    .startsWith("WARNING")
                    .contains("127.0.0.1 is not checked", "withVerifyServerName(false)");
        }
    }

    /** Checks SNI, by which a server with several certificates chooses the one to present. */
    @Test
    void theServerReceivesTheRequestedName() throws Exception {
        SSLContext context = TestCertificates.context(server, client);
        try (java.net.ServerSocket listening = context.getServerSocketFactory()
                        .createServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress());
                Socket raw = new Socket("localhost", listening.getLocalPort())) {
            CompletableFuture<List<String>> names = CompletableFuture.supplyAsync(() -> sniNamesOf(listening));
            ConnectionOptions tls = OPTIONS.withTls(TestCertificates.context(client, server));
            Exchange.over(raw, new ExchangeDeadline(Environment.SYSTEM, raw, PATIENCE), tls, "localhost");
            assertThat(names.get(60, TimeUnit.SECONDS)).containsExactly("localhost");
        }
    }

    private static List<String> sniNamesOf(java.net.ServerSocket listening) {
        try (SSLSocket accepted = (SSLSocket) listening.accept()) {
            accepted.startHandshake();
            return ((ExtendedSSLSession) accepted.getSession())
                    .getRequestedServerNames().stream()
                            .map(name -> new String(name.getEncoded()))
                            .toList();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aCertificateThatHasExpiredIsRefusedByEitherSide() throws Exception {
        String[] old = {"-startdate", "-10d", "-validity", "2", "-ext", "SAN=ip:127.0.0.1"};
        KeyStore expired = certificates.create("expired", old);
        assertRefused(
                OPTIONS.withTls(TestCertificates.context(client, expired)), "127.0.0.1", listen(expired), "NotAfter");
        RdmaListener listener = listen(OPTIONS.withTls(TestCertificates.context(server, expired)));
        ConnectionOptions late = OPTIONS.withTls(TestCertificates.context(expired, server));
        assertThatThrownBy(() -> connect(late, "127.0.0.1", listener)).isInstanceOf(RdmaConnectException.class);

        KeyStore issued = certificates.issue("authority", "late", "-startdate", "-10d", "-validity", "2");
        assertRefused(
                OPTIONS.withTls(TestCertificates.context(client, authority)),
                "127.0.0.1",
                listen(issued),
                "certificate_expired");
    }

    /** Relies on the trust manager of the SSLContext, which here checks a list of revoked certificates. */
    @Test
    void aCertificateThatWasRevokedIsRefused() throws Exception {
        KeyStore issued = certificates.issue("authority", "issued");
        RdmaListener listener = listen(issued);
        String serial = ((X509Certificate) issued.getCertificate("issued"))
                .getSerialNumber()
                .toString();
        connect(OPTIONS.withTls(TestCertificates.context(client, revoking(authority, "1"))), "127.0.0.1", listener)
                .endpoint()
                .close();
        assertRefused(
                OPTIONS.withTls(TestCertificates.context(client, revoking(authority, serial))),
                "127.0.0.1",
                listener,
                "revoked");
    }

    private TrustManagerFactory revoking(KeyStore authority, String serial) throws Exception {
        PKIXBuilderParameters path =
                new PKIXBuilderParameters(TestCertificates.certificates(authority), new X509CertSelector());
        byte[] list = certificates.revocationList("authority", serial);
        path.addCertStore(CertStore.getInstance(
                "Collection",
                new CollectionCertStoreParameters(
                        List.of(CertificateFactory.getInstance("X.509").generateCRL(new ByteArrayInputStream(list))))));
        path.setRevocationEnabled(true);
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(new CertPathTrustManagerParameters(path));
        return trust;
    }

    /**
     * Refuses versions of TLS that can renegotiate, so that the peer remains the one that was authenticated. A key
     * update of TLS 1.3 is harmless.
     */
    @Test
    void aVersionThatCanRenegotiateIsRefused() throws Exception {
        RdmaListener listener = listen(server);
        SSLContext tls = TestCertificates.context(client, server);
        try (SSLSocket old = (SSLSocket) tls.getSocketFactory()
                .createSocket("127.0.0.1", listener.address().getPort())) {
            old.setEnabledProtocols(new String[] {"TLSv1.2"});
            assertThatThrownBy(old::startHandshake).isInstanceOf(javax.net.ssl.SSLException.class);
        }
        try (SSLSocket again = (SSLSocket) tls.getSocketFactory()
                .createSocket("127.0.0.1", listener.address().getPort())) {
            again.startHandshake();
            again.startHandshake(); // new keys, the same peer
            again.getOutputStream().write("GET / HTTP/1.1".getBytes());
            again.setSoTimeout((int) PATIENCE.toMillis());
            assertThat(new String(again.getInputStream().readNBytes(4))).isEqualTo("JRDM"); // a refusal
        }
        connect(OPTIONS.withTls(tls), "127.0.0.1", listener).endpoint().close();
    }

    @Test
    void plaintextAndTlsDoNotConnect() throws Exception {
        RdmaListener secure = listen(server);
        assertThatThrownBy(() -> connect(OPTIONS, "127.0.0.1", secure))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining("Do both sides use TLS, or neither?");
        RdmaListener plain = listen(OPTIONS);
        ConnectionOptions tls = OPTIONS.withTls(TestCertificates.context(client, server));
        assertThatThrownBy(() -> connect(tls, "127.0.0.1", plain))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isEqualTo(Reason.AUTHENTICATION))
                .hasMessageContaining("TLS");
        connect(OPTIONS, "127.0.0.1", plain).endpoint().close(); // the listener goes on
        connect(tls, "127.0.0.1", secure).endpoint().close();
    }
}
