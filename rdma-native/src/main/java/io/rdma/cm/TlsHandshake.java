package io.rdma.cm;

import io.rdma.cm.RdmaConnectException.Reason;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/** Mutual TLS for the exchange. A class of its own, so that the classes of TLS are loaded where it is used only. */
final class TlsHandshake {
    private TlsHandshake() {}

    /** Over a connected socket, which stays the caller's to close if this throws. @return with the handshake done */
    static Socket over(Socket socket, ConnectionOptions options, SSLContext tls, boolean client) throws IOException {
        socket.setSoTimeout((int) Math.min(options.handshakeTimeout().toMillis(), Integer.MAX_VALUE));
        SSLSocket secure = (SSLSocket) tls.getSocketFactory()
                .createSocket(socket, socket.getInetAddress().getHostAddress(), socket.getPort(), true);
        secure.setUseClientMode(client);
        if (!client) {
            secure.setNeedClientAuth(true); // mutual: the server knows whom it hands keys to
        }
        AtomicBoolean done = new AtomicBoolean();
        // The socket's time-out is for each read: a peer that sends a byte now and then would hold the exchange for
        // ever.
        CompletableFuture.delayedExecutor(options.handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> closeUnless(done, socket));
        try {
            secure.startHandshake();
            done.set(true);
        } catch (SSLException e) {
            throw new RdmaConnectException(
                    Reason.AUTHENTICATION,
                    "TLS with " + socket.getRemoteSocketAddress() + " failed: " + e.getMessage()
                            + ". Both sides need an SSLContext whose trust store knows the other's certificate",
                    e);
        }
        return secure;
    }

    private static void closeUnless(AtomicBoolean done, Socket socket) {
        try {
            if (!done.get()) {
                socket.close();
            }
        } catch (IOException e) {
            System.getLogger(TlsHandshake.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
        }
    }
}
