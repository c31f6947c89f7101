package io.rdma.internal.connect;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

// RDMA CM has no authentication. So a client authenticates by TLS over the exchange and receives a token there. The
// client sends one half of it in the private data of its request, and the server sends the other half in its answer.
// Thereby each side knows that the other one is the peer that it authenticated over TLS.
//
// Invariants
// - A token is in `issued` from its issue until its redemption or the end of the exchange that gave it. So it can be
//   used once, and no longer than the exchange lasts.
// - The permit of the exchange passes to the request with the token, see Admission.

/**
 * One-time tokens of one server, by which a request of the connection manager is recognised as that of an authenticated
 * client. Any thread.
 */
final class CmTokens {
    /** Length of one half of a token. */
    static final int BYTES = 16;

    /** Length of a token on the wire. */
    static final int ENCODED = Short.BYTES + 2 * BYTES;

    private final RandomGenerator random;
    private final Set<Issued> issued = ConcurrentHashMap.newKeySet();

    /** Creates tokens that cannot be guessed if the random numbers cannot. */
    CmTokens(RandomGenerator random) {
        this.random = random;
    }

    /**
     * Token as the client receives it.
     *
     * @param port where the server listens for the connection manager
     * @param request half for the private data of the client's request
     * @param answer half that the server's answer must have
     */
    record Token(int port, byte[] request, byte[] answer) {
        private static Token random(int port, RandomGenerator random) {
            byte[] request = new byte[BYTES];
            byte[] answer = new byte[BYTES];
            random.nextBytes(request);
            random.nextBytes(answer);
            return new Token(port, request, answer);
        }

        /** Returns the class name only: a secret is not printed. */
        @Override
        public String toString() {
            return "CmTokens.Token";
        }
    }

    /** Token that was sent to a client; closed when its exchange ends. */
    final class Issued implements AutoCloseable {
        private final Token token;
        private final Admission.Permit permit;
        private volatile boolean redeemed;

        private Issued(Admission.Permit permit, int port) {
            this.permit = permit;
            token = Token.random(port, random);
        }

        Token token() {
            return token;
        }

        boolean isRedeemed() {
            return redeemed;
        }

        /** Revokes the token. */
        @Override
        public void close() {
            issued.remove(this);
        }
    }

    /**
     * Result of a redemption.
     *
     * @param answer the other half of the token, for the answer
     * @param permit of the exchange, to be closed with the request
     */
    record Redeemed(byte[] answer, Admission.Permit permit) {}

    /**
     * Issues a token.
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
     * Redeems a token, which cannot be used again.
     *
     * @param request half of a token, as the client sent it
     * @return null if it is not of a token, the token was redeemed before, or its exchange is over
     */
    @Nullable
    Redeemed redeem(byte[] request) {
        Issued found = null;
        for (Issued one : issued) { // compares all in constant time, so the duration reveals nothing
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

    /** Encodes the port and both halves, as they are sent over TLS. */
    static byte[] encode(Token token) {
        return ByteBuffer.allocate(ENCODED)
                .putShort((short) token.port)
                .put(token.request)
                .put(token.answer)
                .array();
    }

    /** Decodes the result of {@link #encode}. */
    static Token decode(ByteBuffer from) {
        int port = Short.toUnsignedInt(from.getShort());
        byte[] request = new byte[BYTES];
        byte[] answer = new byte[BYTES];
        from.get(request).get(answer);
        return new Token(port, request, answer);
    }
}
