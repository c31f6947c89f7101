package io.rdma.internal.connect;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.types.RdmaException;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

// The exchange, version 2. All numbers are big-endian. Parameters carry the range of versions and the capabilities of a
// side, see Offer. A client begins with its lowest version; a server answers with the version that it chose.
//   client -> server   magic "JRDM", version u16, length u16 (48), PeerParameters
//   server -> client   magic, version, then 'Y' + PeerParameters, or 'N' + length u16 (<= 512) + UTF-8 reason
//   client -> server   'R' when its queue pair is ready to send; the server may still send 'N' with a reason
// If both sides have alternate paths, an AlternateEnd follows 'Y' + PeerParameters, and another one 'R'.
// The server then sends 'R' as well, or 'N' with a reason, once it has set its alternate path.
//   either, at the end 'B' orderly close; end of stream without it: the peer is lost
// A client may first send length 0, a request for a token. The server answers magic, version, then 'T' + token, or 'X'.
//
// Every read has the deadline of the whole exchange, TLS included, and a fixed size. A stalled, trickling or babbling
// peer therefore costs one virtual thread for a bounded time.

/** TCP connection that carries the exchange and, afterwards, the notification of the peer's end. */
final class Exchange implements Closeable {
    /** Versions and capabilities of this side. */
    static final Offer OFFER = new Offer(2, 2, Offer.ALL);

    private static final String NAME = "the exchange";
    private static final int MAGIC = 0x4a52444d; // "JRDM"
    private static final int MAX_REASON = 512;
    private static final int MAX_REFUSAL = 1 + Short.BYTES + MAX_REASON;
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);
    private static final byte YES = 'Y';
    private static final byte NO = 'N';
    private static final byte READY = 'R';
    private static final byte TOKEN = 'T';
    private static final byte NO_TOKEN = 'X';
    private static final byte BYE = 'B';

    private final Socket socket;
    private final boolean authenticated; // a field, because a test of the socket would load classes of TLS
    private int version = OFFER.lowest(); // of the messages that are sent
    private ExchangeDeadline deadline; // of the next read; one thread at a time reads

    private Exchange(Socket socket, boolean authenticated, ExchangeDeadline deadline) {
        this.socket = socket;
        this.authenticated = authenticated;
        this.deadline = deadline;
    }

    /**
     * Creates an exchange over a connected socket. With TLS, the handshake is done on return. If this throws, the
     * caller closes the socket.
     *
     * @param deadline of the whole exchange; closed with the exchange, or by {@link #complete}
     * @param server name of the server if this side connected, null if it accepted
     */
    static Exchange over(Socket socket, ExchangeDeadline deadline, ConnectionOptions options, @Nullable String server)
            throws IOException {
        try {
            socket.setTcpNoDelay(true);
            keepAlive(socket, options.probeInterval());
            SSLContext tls = options.tls();
            return tls == null
                    ? new Exchange(socket, false, deadline)
                    : new Exchange(TlsHandshake.over(socket, deadline, options, tls, server), true, deadline);
        } catch (IOException e) {
            throw deadline.meaning(e);
        }
    }

    /** Returns whether the two sides have authenticated each other. */
    boolean isAuthenticated() {
        return authenticated;
    }

    /** Ends the deadline, as both sides are ready: later reads have none. */
    void complete() {
        deadline.close();
    }

    /**
     * Enables TCP keep-alive, because a host that loses power sends no end of stream. Two intervals of silence end the
     * connection, or half a minute if probes are off.
     */
    private static void keepAlive(Socket socket, Duration interval) throws IOException {
        int idle = interval.isZero() ? 15 : Math.clamp(interval.toSeconds(), 1, 1 << 14);
        socket.setKeepAlive(true);
        if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, idle);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, Math.max(1, idle / 3));
            socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
        }
    }

    InetSocketAddress localAddress() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    InetSocketAddress remoteAddress() {
        return (InetSocketAddress) socket.getRemoteSocketAddress();
    }

    void sendHello(PeerParameters parameters) throws IOException {
        ByteBuffer hello = header(Short.BYTES + PeerParameters.BYTES).putShort((short) PeerParameters.BYTES);
        parameters.encode(hello);
        write(hello);
    }

    /** Requests a token for the connection manager; {@link #receiveToken} follows. */
    void requestToken() throws IOException {
        write(header(Short.BYTES).putShort((short) 0));
    }

    /**
     * Receives the answer to {@link #requestToken}.
     *
     * @return null if the server does not listen for the connection manager: then a hello may follow
     */
    CmTokens.@Nullable Token receiveToken() throws IOException {
        readHeader();
        byte answer = read(1).get();
        if (answer == TOKEN) {
            return CmTokens.decode(read(CmTokens.ENCODED));
        }
        if (answer == NO_TOKEN) {
            return null;
        }
        throw unexpected(answer);
    }

    /**
     * Answers {@link #requestToken}.
     *
     * @param token null if this side does not listen for the connection manager
     */
    void sendToken(CmTokens.@Nullable Token token) throws IOException {
        ByteBuffer answer = header(1 + CmTokens.ENCODED);
        write(token == null ? answer.put(NO_TOKEN) : answer.put(TOKEN).put(CmTokens.encode(token)));
    }

    /**
     * Receives the parameters of the client.
     *
     * @return null if the client asks for a token first: {@link #sendToken} follows
     */
    @Nullable
    PeerParameters receiveHello() throws IOException {
        int theirs = readHeader();
        int length = Short.toUnsignedInt(read(Short.BYTES).getShort());
        if (length == 0) {
            return null;
        }
        if (length != PeerParameters.BYTES) {
            throw new RdmaConnectException(
                    Reason.PROTOCOL_ERROR,
                    "the peer sent parameters of " + length + " bytes instead of " + PeerParameters.BYTES,
                    null);
        }
        PeerParameters peer = PeerParameters.decode(theirs, read(PeerParameters.BYTES));
        version = OFFER.versionWith(peer.offer(), NAME);
        return peer;
    }

    void accept(PeerParameters parameters) throws IOException {
        ByteBuffer answer = header(1 + PeerParameters.BYTES).put(YES);
        parameters.encode(answer);
        write(answer);
    }

    void reject(RuntimeException failure) throws IOException {
        write(refusal(header(MAX_REFUSAL), Refusal.reason(failure, isAuthenticated())));
    }

    private static ByteBuffer refusal(ByteBuffer into, String reason) {
        byte[] text = Refusal.utf8(reason, MAX_REASON);
        return into.put(NO).putShort((short) text.length).put(text);
    }

    PeerParameters receiveAnswer() throws IOException {
        int chosen = readHeader();
        byte answer = read(1).get();
        if (answer == YES) {
            return PeerParameters.decode(chosen, read(PeerParameters.BYTES));
        }
        throw unexpected(answer);
    }

    private RdmaConnectException unexpected(byte answer) throws IOException {
        return answer == NO
                ? new RdmaConnectException(Reason.REJECTED, "the server refused the connection: " + readReason(), null)
                : new RdmaConnectException(Reason.PROTOCOL_ERROR, "the server sent an unknown answer: " + answer, null);
    }

    private String readReason() throws IOException {
        int length = Short.toUnsignedInt(read(Short.BYTES).getShort());
        if (length > MAX_REASON) {
            throw new RdmaConnectException(
                    Reason.PROTOCOL_ERROR,
                    "the server sent a reason of " + length + " bytes, at most " + MAX_REASON + " are allowed",
                    null);
        }
        return PeerText.of(StandardCharsets.UTF_8.decode(read(length)).toString());
    }

    void sendReady() throws IOException {
        write(ByteBuffer.allocate(1).put(READY));
    }

    void awaitReady() throws IOException {
        byte ready;
        try {
            ready = read(1).get();
        } catch (SocketTimeoutException e) { // the client may already consider itself connected
            write(refusal(
                    ByteBuffer.allocate(MAX_REFUSAL),
                    "the client did not report within the server's handshakeTimeout that it is ready"));
            throw e;
        }
        if (ready != READY) {
            throw new RdmaConnectException(
                    Reason.PROTOCOL_ERROR, "the client sent " + ready + " instead of reporting that it is ready", null);
        }
    }

    /** Refuses a client that has reported that it is ready, and that waits for this side's report. */
    void rejectReady(RuntimeException failure) throws IOException {
        write(refusal(ByteBuffer.allocate(MAX_REFUSAL), Refusal.reason(failure, isAuthenticated())));
    }

    /** Waits until the server has set its alternate path. */
    void awaitServerReady() throws IOException {
        byte answer = read(1).get();
        if (answer != READY) {
            throw unexpected(answer);
        }
    }

    /** Sends this side's end of the alternate path: a server after its parameters, a client after it is ready. */
    void sendAlternate(AlternateEnd end) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(AlternateEnd.BYTES);
        end.encode(bytes);
        write(bytes);
    }

    AlternateEnd receiveAlternate() throws IOException {
        return AlternateEnd.decode(read(AlternateEnd.BYTES));
    }

    /** Notifies the peer of an orderly end. */
    void sendBye() throws IOException {
        write(ByteBuffer.allocate(1).put(BYE));
    }

    /**
     * End of an exchange.
     *
     * @param loss the failure if the peer is lost; null if its end was orderly
     * @param broken whether the connection broke, which says nothing of a peer that another path may reach
     */
    record End(@Nullable RdmaException loss, boolean broken) {}

    /** Waits for the peer's end, without a time limit. */
    End awaitEnd() {
        try {
            socket.setSoTimeout(0);
            int end = socket.getInputStream().read();
            if (end == BYE) {
                return new End(null, false);
            }
            if (end == NO) {
                deadline = deadline.next(socket, LAST_WORDS); // the connection is closed in any case
                return new End(new RdmaException("the server aborted this connection: " + readReason()), false);
            }
        } catch (IOException e) {
            return new End(new RdmaException("the peer is gone: its exchange connection broke", e), true);
        } catch (RdmaConnectException e) {
            return new End(new RdmaException("the peer is gone: its exchange connection broke", e), false);
        }
        return new End(new RdmaException("the peer is gone: its exchange connection ended without a farewell"), false);
    }

    private ByteBuffer header(int more) {
        return ByteBuffer.allocate(Integer.BYTES + Short.BYTES + more)
                .putInt(MAGIC)
                .putShort((short) version);
    }

    /**
     * Reads and checks a header.
     *
     * @return the version of the message that follows
     */
    private int readHeader() throws IOException {
        int magic = read(Integer.BYTES).getInt();
        if (magic != MAGIC) {
            throw new RdmaConnectException(
                    Reason.PROTOCOL_ERROR,
                    remoteAddress() + " does not speak this library's exchange. Do both sides use TLS, or neither?",
                    null);
        }
        int theirs = Short.toUnsignedInt(read(Short.BYTES).getShort());
        if (!OFFER.includes(theirs)) {
            throw OFFER.mismatch(Integer.toString(theirs), NAME);
        }
        return theirs;
    }

    private void write(ByteBuffer bytes) throws IOException {
        socket.getOutputStream().write(bytes.array(), 0, bytes.position());
    }

    private ByteBuffer read(int bytes) throws IOException {
        byte[] into = new byte[bytes];
        int have = 0;
        while (have < bytes) {
            socket.setSoTimeout(deadline.millisLeft());
            int got = receive(into, have);
            if (got < 0) {
                throw new RdmaConnectException(
                        Reason.PROTOCOL_ERROR, "the peer closed the connection during the exchange", null);
            }
            have += got;
        }
        return ByteBuffer.wrap(into);
    }

    private int receive(byte[] into, int have) throws IOException {
        try {
            return socket.getInputStream().read(into, have, into.length - have);
        } catch (IOException e) {
            throw deadline.meaning(e);
        }
    }

    @Override
    public void close() throws IOException {
        deadline.close();
        ExchangeDeadline.close(socket);
    }
}
