package io.rdma.connect;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

// RDMA CM has no authentication, so a client proves who it is by TLS over the exchange, and gets a token there. It
// shows
// one half in the private data of its request, the server the other half in its answer: so each knows that the other
// one
// is who it was over TLS.
//
// Invariants
// - A token is in `issued` from its issue to its redemption or the end of the exchange that gave it, so that it is of
// use once, and no longer than the exchange may last.
// - The permit of the exchange goes over to the request with the token: see Admission.

/**
 * One-time tokens of one server, by which requests of the connection manager are taken for those of authenticated
 * clients. Any thread.
 */
final class CmTokens {
    /** Length of one half of a token. */
    static final int BYTES = 16;

    /** Length of a token on the wire. */
    static final int ENCODED = Short.BYTES + 2 * BYTES;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Set<Issued> issued = ConcurrentHashMap.newKeySet();

    /**
     * Token as the client has it.
     *
     * @param port where the server listens for the connection manager
     * @param request half for the private data of the client's request
     * @param answer half that the server's answer has
     */
    record Token(int port, byte[] request, byte[] answer) {
        private static Token random(int port) {
            byte[] request = new byte[BYTES];
            byte[] answer = new byte[BYTES];
            RANDOM.nextBytes(request);
            RANDOM.nextBytes(answer);
            return new Token(port, request, answer);
        }

        /** A secret is not printed. */
        @Override
        public String toString() {
            return "CmTokens.Token";
        }
    }

    /** Token that was given to a client; closed when its exchange ends. */
    final class Issued implements AutoCloseable {
        private final Token token;
        private final Admission.Permit permit;
        private volatile boolean redeemed;

        private Issued(Admission.Permit permit, int port) {
            this.permit = permit;
            token = Token.random(port);
        }

        Token token() {
            return token;
        }

        boolean isRedeemed() {
            return redeemed;
        }

        /** From now on the token is of no use. */
        @Override
        public void close() {
            issued.remove(this);
        }
    }

    /**
     * What a request of the connection manager gets for its token.
     *
     * @param answer the other half
     * @param permit of the exchange, to be closed with the request
     */
    record Redeemed(byte[] answer, Admission.Permit permit) {}

    /**
     * Makes a token.
     *
     * @param permit of the client's exchange
     * @param port where the connection manager listens
     */
    Issued issue(Admission.Permit permit, int port) {
        Issued made = new Issued(permit, port);
        issued.add(made);
        return made;
    }

    /**
     * Takes a token, which is of no use afterwards.
     *
     * @param request what a client says is its half
     * @return null if it is none, was redeemed before, or its exchange is over
     */
    @Nullable
    Redeemed redeem(byte[] request) {
        Issued found = null;
        for (Issued one : issued) { // all of them, each in constant time: how long it takes tells nothing
            if (MessageDigest.isEqual(one.token.request, request)) {
                found = one;
            }
        }
        if (found == null || !issued.remove(found)) {
            return null;
        }
        Admission.Permit permit = found.permit.handOver();
        if (permit == null) {
            return null;
        }
        found.redeemed = true;
        return new Redeemed(found.token.answer, permit);
    }

    /** Port and halves, as they are sent over TLS. */
    static byte[] encode(Token token) {
        return ByteBuffer.allocate(ENCODED)
                .putShort((short) token.port)
                .put(token.request)
                .put(token.answer)
                .array();
    }

    /** The opposite of {@link #encode}. */
    static Token decode(ByteBuffer from) {
        int port = Short.toUnsignedInt(from.getShort());
        byte[] request = new byte[BYTES];
        byte[] answer = new byte[BYTES];
        from.get(request).get(answer);
        return new Token(port, request, answer);
    }
}
