package io.rdma.internal.connect;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

// TLS 1.3 only: it has no renegotiation, so the peer of the handshake is the peer of the connection.

/** Mutual TLS for the exchange. A separate class, so that the classes of TLS are loaded only where TLS is used. */
final class TlsHandshake {
    private static final String PROTOCOL = "TLSv1.3"; // both sides use this library on Java 22 or later
    private static final Nameless NAMELESS = new Nameless();

    private TlsHandshake() {}

    /**
     * Performs the handshake over a connected socket. If this throws, the caller closes the socket.
     *
     * @param deadline of the exchange, which closes the socket if the peer trickles
     * @param server name of the server if this side connected, null if it accepted
     * @return the socket after the handshake
     */
    static Socket over(
            Socket socket,
            ExchangeDeadline deadline,
            ConnectionOptions options,
            SSLContext tls,
            @Nullable String server)
            throws IOException {
        socket.setSoTimeout(deadline.millisLeft());
        SSLSocket secure =
                (SSLSocket) tls.getSocketFactory().createSocket(socket, named(server, socket), socket.getPort(), true);
        secure.setUseClientMode(server != null);
        restrict(secure, options, server);
        try {
            secure.startHandshake();
            // The JDK's trust managers accept an expired certificate if the trust store contains that
            // certificate itself.
            ((X509Certificate) secure.getSession().getPeerCertificates()[0]).checkValidity();
        } catch (CertificateException e) {
            throw new RdmaConnectException(
                    Reason.AUTHENTICATION,
                    "the certificate of " + socket.getRemoteSocketAddress() + " is not valid now: "
                            + PeerText.of(e.getMessage()) + ". Renew it, or set the clock",
                    e);
        } catch (SSLException e) {
            if (deadline.meaning(e) != e) {
                throw e;
            }
            throw new RdmaConnectException(
                    Reason.AUTHENTICATION,
                    "TLS with " + socket.getRemoteSocketAddress() + " failed: " + PeerText.of(e.getMessage())
                            + ". Both sides need TLS 1.3 and an SSLContext whose trust store knows the other's certificate;"
                            + " that of the server must be valid now and for the name or address that clients use",
                    e);
        }
        return secure;
    }

    private static String named(@Nullable String server, Socket socket) {
        return server != null ? server : socket.getInetAddress().getHostAddress();
    }

    private static void restrict(SSLSocket secure, ConnectionOptions options, @Nullable String server) {
        SSLParameters parameters = secure.getSSLParameters();
        if (!List.of(secure.getSupportedProtocols()).contains(PROTOCOL)) {
            throw new RdmaConnectException(
                    Reason.AUTHENTICATION,
                    "the SSLContext does not support " + PROTOCOL + ", which the exchange needs: use another provider,"
                            + " or remove it from the security property jdk.tls.disabledAlgorithms",
                    null);
        }
        parameters.setProtocols(new String[] {PROTOCOL});
        if (server == null) {
            parameters.setNeedClientAuth(true); // mutual: the server authenticates the clients to which it gives keys
        } else {
            indicate(parameters, server);
            if (options.verifyServerName()) {
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
            } else {
                NAMELESS.warn(server);
            }
        }
        secure.setSSLParameters(parameters);
    }

    /** Sends the name of the server (SNI), so that a server with several certificates presents the right one. */
    private static void indicate(SSLParameters parameters, String server) {
        try {
            InetAddress.ofLiteral(server); // SNI has no addresses
        } catch (IllegalArgumentException name) {
            try {
                parameters.setServerNames(List.of(new SNIHostName(server)));
            } catch (IllegalArgumentException e) { // such as a name with an underscore, which is not sent
                System.getLogger(TlsHandshake.class.getName())
                        .log(System.Logger.Level.DEBUG, "not a name for SNI: " + server, e);
            }
        }
    }

    /** Warning that the name of a server is not verified, once for each name. */
    private static final class Nameless {
        private static final int MOST = 1_000; // names that are remembered
        private final Set<String> warned = ConcurrentHashMap.newKeySet();

        void warn(String server) {
            if (warned.size() < MOST && warned.add(server)) {
                System.getLogger(TlsHandshake.class.getName())
                        .log(
                                System.Logger.Level.WARNING,
                                "the name in the certificate of " + server + " is not checked: any host with a"
                                        + " certificate that the trust store accepts can answer in its place. Remove"
                                        + " ConnectionOptions.withVerifyServerName(false) when the certificate has the"
                                        + " name");
            }
        }
    }
}
