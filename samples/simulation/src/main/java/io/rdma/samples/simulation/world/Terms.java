package io.rdma.samples.simulation.world;

import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.ResourceOptions;
import io.rdma.samples.simulation.schedule.Choices;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * Terms on which one host of a run makes its connections.
 *
 * @param method of connecting
 * @param credentials for TLS
 * @param handshakeSeconds time within which a connect ends
 * @param queues sizes of the host's queues
 */
public record Terms(ConnectMethod method, Credentials credentials, int handshakeSeconds, Queues queues) {
    /** Terms of the first simulations. */
    public static final Terms USUAL = new Terms(ConnectMethod.TCP, Credentials.NONE, 30, Queues.USUAL);

    private static final int LONGEST_HANDSHAKE = 25;
    /** Time that an exchange takes to hang up, and that threads may be held meanwhile. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    /** Draws the terms of a server. */
    static Terms ofServer(Choices choices) {
        return new Terms(
                method(choices),
                choices.oneIn(3) ? Credentials.SERVER : Credentials.NONE,
                handshake(choices),
                Queues.of(choices));
    }

    /** Draws the terms of a client of a server. Most clients are admitted. */
    static Terms ofClient(Choices choices, Terms server) {
        boolean right = !choices.oneIn(6);
        ConnectMethod method = right && !server.hasBoth() ? server.method : method(choices);
        Credentials credentials = right
                ? server.credentials == Credentials.NONE ? Credentials.NONE : Credentials.CLIENT
                : clients(choices);
        return new Terms(method, credentials, handshake(choices), Queues.of(choices));
    }

    /** Returns terms of a client that this server admits. */
    Terms ofAdmitted() {
        return new Terms(
                method,
                credentials.hasTls() ? Credentials.CLIENT : Credentials.NONE,
                USUAL.handshakeSeconds,
                Queues.USUAL);
    }

    /** Returns the same with send buffers that have room for a request of so many bytes. */
    Terms withRoomFor(int bytes) {
        return bytes <= queues.sendBytes()
                ? this
                : new Terms(method, credentials, handshakeSeconds, queues.withSendBytes(bytes));
    }

    private static ConnectMethod method(Choices choices) {
        return choices.oneIn(2) ? ConnectMethod.TCP : ConnectMethod.RDMA_CM;
    }

    private static Credentials clients(Choices choices) {
        Credentials drawn = Credentials.values()[choices.below(Credentials.values().length)];
        return drawn == Credentials.SERVER ? Credentials.NONE : drawn;
    }

    private static int handshake(Choices choices) {
        return 1 + choices.below(LONGEST_HANDSHAKE);
    }

    /** Returns whether a server of these terms listens for RDMA CM and for the exchange over TCP. */
    boolean hasBoth() {
        return method == ConnectMethod.RDMA_CM && credentials.hasTls();
    }

    /**
     * Returns why a server refuses a client of these terms.
     *
     * @return reasons that the client may be told; empty if the server admits it
     */
    Set<Reason> refusedBy(Terms server) {
        if (server.credentials.hasTls() && credentials == Credentials.NONE && method == ConnectMethod.RDMA_CM) {
            return EnumSet.of(Reason.REJECTED); // the port of RDMA CM is in the token alone
        }
        boolean exchanges = method == ConnectMethod.TCP || credentials.hasTls();
        boolean answers = server.method == ConnectMethod.TCP || server.hasBoth();
        if (exchanges && !answers) {
            return EnumSet.of(Reason.UNREACHABLE);
        }
        if (!exchanges && server.method == ConnectMethod.TCP) {
            return EnumSet.of(Reason.REJECTED);
        }
        if (credentials.hasTls() != server.credentials.hasTls()) {
            return EnumSet.of(Reason.PROTOCOL_ERROR, Reason.AUTHENTICATION, Reason.VERSION_MISMATCH);
        }
        if (credentials == Credentials.STRANGER || credentials == Credentials.DOUBTING) {
            // A write behind the handshake may find the connection closed before the server's reason is read.
            return EnumSet.of(Reason.AUTHENTICATION, Reason.PROTOCOL_ERROR);
        }
        return method == ConnectMethod.RDMA_CM && server.method == ConnectMethod.TCP
                ? EnumSet.of(Reason.REJECTED)
                : EnumSet.noneOf(Reason.class);
    }

    /** Returns the nanoseconds after which a connect has ended. */
    long longestConnect() {
        return Duration.ofSeconds(handshakeSeconds).plus(GRACE).toNanos();
    }

    /** Returns options of connections with these terms. TLS has a context that no other call returns. */
    ConnectionOptions connection(ConnectionOptions usual) {
        return queues.connection(usual)
                .withConnectMethod(method)
                .withTls(credentials.context())
                .withHandshakeTimeout(Duration.ofSeconds(handshakeSeconds));
    }

    ResourceOptions resources() {
        return queues.resources(ResourceOptions.DEFAULT);
    }
}
