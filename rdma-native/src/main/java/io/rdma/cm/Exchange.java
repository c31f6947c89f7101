package io.rdma.cm;

import io.rdma.cm.RdmaConnectException.Reason;
import io.rdma.verbs.RdmaException;
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

// The exchange, version 2, all numbers big-endian. Parameters carry the range of versions and the capabilities of a
// side, see Offer; a client begins in its lowest version, a server answers in the one it chose.
//   client -> server   magic "JRDM", version u16, length u16 (48), PeerParameters
//   server -> client   magic, version, then 'Y' + PeerParameters, or 'N' + length u16 (<= 512) + UTF-8 reason
//   client -> server   'R' when its queue pair is ready to send; the server may still say 'N' with a reason
//   either, at the end 'B' orderly close; end of stream without it: the peer is lost
// Every read has the deadline of the whole exchange and a fixed size: a stalled or babbling peer costs one thread that
// is virtual, for a bounded time.

/** One TCP connection that carries the exchange and, afterwards, the news of the peer's end. */
final class Exchange implements Closeable {
    /** What this side speaks. */
    static final Offer OFFER = new Offer(2, 2, Offer.ALL);

    private static final String NAME = "the exchange";
    private static final int MAGIC = 0x4a52444d; // "JRDM"
    private static final int MAX_REASON = 512;
    private static final int MAX_REFUSAL = 1 + Short.BYTES + MAX_REASON;
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);
    private static final byte YES = 'Y';
    private static final byte NO = 'N';
    private static final byte READY = 'R';
    private static final byte BYE = 'B';

    private final Socket socket;
    private int version = OFFER.lowest(); // of what is sent
    private long deadline; // of what is read next; one thread at a time reads

    private Exchange(Socket socket, long deadline) {
        this.socket = socket;
        this.deadline = deadline;
    }

    /**
     * Over a connected socket; with TLS the handshake is done when this returns. The socket is the caller's to close if this throws.
     *
     * @param client whether this side connected
     */
    static Exchange over(Socket socket, ConnectionOptions options, boolean client) throws IOException {
        long deadline = System.nanoTime() + options.handshakeTimeout().toNanos();
        socket.setTcpNoDelay(true);
        keepAlive(socket, options.probeInterval());
        SSLContext tls = options.tls();
        if (tls == null) {
            return new Exchange(socket, deadline);
        }
        return new Exchange(TlsHandshake.over(socket, options, tls, client), deadline);
    }

    /** A host that loses power sends no end: two intervals of silence are one; where nobody probes, half a minute. */
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

    PeerParameters receiveHello() throws IOException {
        int theirs = readHeader();
        int length = Short.toUnsignedInt(read(Short.BYTES).getShort());
        if (length != PeerParameters.BYTES) {
            throw new RdmaConnectException(
                    Reason.PROTOCOL_ERROR, "the peer announced " + length + " bytes of parameters", null);
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

    void reject(String reason) throws IOException {
        write(refusal(header(MAX_REFUSAL), reason));
    }

    private static ByteBuffer refusal(ByteBuffer into, String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, MAX_REASON);
        return into.put(NO).putShort((short) length).put(text, 0, length);
    }

    PeerParameters receiveAnswer() throws IOException {
        int chosen = readHeader();
        byte answer = read(1).get();
        if (answer == YES) {
            return PeerParameters.decode(chosen, read(PeerParameters.BYTES));
        }
        if (answer != NO) {
            throw new RdmaConnectException(Reason.PROTOCOL_ERROR, "the server gave an unknown answer: " + answer, null);
        }
        throw new RdmaConnectException(Reason.REJECTED, "the server refused the connection: " + readReason(), null);
    }

    private String readReason() throws IOException {
        int length = Short.toUnsignedInt(read(Short.BYTES).getShort());
        if (length > MAX_REASON) {
            throw new RdmaConnectException(Reason.PROTOCOL_ERROR, "the server's reason is too long: " + length, null);
        }
        return StandardCharsets.UTF_8.decode(read(length)).toString();
    }

    void sendReady() throws IOException {
        write(ByteBuffer.allocate(1).put(READY));
    }

    void awaitReady() throws IOException {
        byte ready;
        try {
            ready = read(1).get();
        } catch (SocketTimeoutException e) { // the client may believe by now that it is connected
            write(refusal(
                    ByteBuffer.allocate(MAX_REFUSAL),
                    "it did not hear within its handshakeTimeout that the client is ready"));
            throw e;
        }
        if (ready != READY) {
            throw new RdmaConnectException(
                    Reason.PROTOCOL_ERROR, "the client did not become ready but sent " + ready, null);
        }
    }

    /** Tells the peer of an orderly end. */
    void sendBye() throws IOException {
        write(ByteBuffer.allocate(1).put(BYE));
    }

    /**
     * Waits, without limit, for the peer's end.
     *
     * @return why the peer is lost; null if its end was orderly
     */
    @Nullable
    RdmaException awaitEnd() {
        try {
            socket.setSoTimeout(0);
            int end = socket.getInputStream().read();
            if (end == BYE) {
                return null;
            }
            if (end == NO) {
                deadline = System.nanoTime() + LAST_WORDS.toNanos();
                return new RdmaException("the server gave this connection up: " + readReason());
            }
        } catch (IOException | RdmaConnectException e) {
            return new RdmaException("the peer is gone: its exchange connection broke", e);
        }
        return new RdmaException("the peer is gone: its exchange connection ended without a farewell");
    }

    private ByteBuffer header(int more) {
        return ByteBuffer.allocate(Integer.BYTES + Short.BYTES + more)
                .putInt(MAGIC)
                .putShort((short) version);
    }

    /** @return the version of what follows */
    private int readHeader() throws IOException {
        int magic = read(Integer.BYTES).getInt();
        if (magic != MAGIC) {
            throw new RdmaConnectException(
                    Reason.PROTOCOL_ERROR,
                    "whoever is at " + remoteAddress() + " does not speak this library's exchange",
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
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new SocketTimeoutException("time is up");
            }
            socket.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
            int got = socket.getInputStream().read(into, have, bytes - have);
            if (got < 0) {
                throw new RdmaConnectException(Reason.PROTOCOL_ERROR, "the peer hung up during the exchange", null);
            }
            have += got;
        }
        return ByteBuffer.wrap(into);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
