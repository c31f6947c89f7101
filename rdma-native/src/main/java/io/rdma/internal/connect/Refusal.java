package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException;
import io.rdma.types.RdmaException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;

/** Reason of a refusal, as it is sent to the client. The log of the server has the full reason. */
final class Refusal {
    private static final String FULL = "it has as many connections as it admits: try again later";
    private static final String LOCAL = "it cannot make the connection, its log says why";

    private Refusal() {}

    /**
     * Returns the text for the client. For a client that has not authenticated, the text says what is wrong with its
     * own messages, or that the server is full. It contains nothing about devices, memory and settings of the server.
     *
     * @param failure the reason for which the connection is not made
     * @param authenticated whether the client has authenticated
     */
    static String reason(RuntimeException failure, boolean authenticated) {
        if (authenticated) {
            return String.valueOf(failure.getMessage());
        }
        if (!(failure instanceof RdmaConnectException refused)) {
            return LOCAL;
        }
        return switch (refused.reason()) {
            case VERSION_MISMATCH, PROTOCOL_ERROR, AUTHENTICATION, FLOW_CONTROL, ALTERNATE_PATH, QUEUE_PAIR_TYPE ->
                String.valueOf(refused.getMessage());
            case REJECTED -> FULL;
            default -> LOCAL;
        };
    }

    /** Returns the text for the server's log, in which text of a peer is escaped. */
    static String logged(Exception failure) {
        String text = failure.getMessage();
        // Messages of this library already escape the text that they quote.
        return failure instanceof RdmaException && text != null
                ? text
                : failure.getClass().getSimpleName() + ": " + PeerText.of(text);
    }

    /** Returns WARNING if the cause is on this side, where its operator can remove it, else INFO. */
    static Level severity(Exception failure) {
        return failure instanceof IOException || isOfPeer(failure) ? Level.INFO : Level.WARNING;
    }

    private static boolean isOfPeer(Exception failure) {
        return failure instanceof RdmaConnectException refused
                && switch (refused.reason()) {
                    case VERSION_MISMATCH,
                            PROTOCOL_ERROR,
                            AUTHENTICATION,
                            FLOW_CONTROL,
                            ALTERNATE_PATH,
                            QUEUE_PAIR_TYPE,
                            TIMEOUT,
                            CANCELLED -> true;
                    default -> false;
                };
    }

    /** Encodes a text in UTF-8. If it exceeds the limit it is cut between two characters. */
    static byte[] utf8(String text, int limit) {
        byte[] all = text.getBytes(StandardCharsets.UTF_8);
        if (all.length <= limit) {
            return all;
        }
        int length = limit;
        while (length > 0 && (all[length] & 0xc0) == 0x80) { // the byte after the cut continues a character
            length--;
        }
        return java.util.Arrays.copyOf(all, length);
    }
}
