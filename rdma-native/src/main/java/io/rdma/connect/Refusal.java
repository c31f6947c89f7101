package io.rdma.connect;

import io.rdma.verbs.RdmaException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;

/** Reason of a refusal as the client hears it. The server's log has the whole of it. */
final class Refusal {
    private static final String FULL = "it has as many connections as it admits: try again later";
    private static final String LOCAL = "it cannot make the connection, its log says why";

    private Refusal() {}

    /**
     * The text for the client. One that has not authenticated hears what is wrong with its own words, or that the
     * server is full, but nothing of devices, memory and settings here.
     *
     * @param failure why the connection is not made
     * @param authenticated whether the client has proved who it is
     */
    static String reason(RuntimeException failure, boolean authenticated) {
        if (authenticated) {
            return String.valueOf(failure.getMessage());
        }
        if (!(failure instanceof RdmaConnectException refused)) {
            return LOCAL;
        }
        return switch (refused.reason()) {
            case VERSION_MISMATCH, PROTOCOL_ERROR, AUTHENTICATION, FLOW_CONTROL -> String.valueOf(refused.getMessage());
            case REJECTED -> FULL;
            default -> LOCAL;
        };
    }

    /** The text for the server's log, in which the words of a peer are escaped. */
    static String logged(Exception failure) {
        String text = failure.getMessage();
        // Messages of this library have escaped what they quote.
        return failure instanceof RdmaException && text != null
                ? text
                : failure.getClass().getSimpleName() + ": " + PeerText.of(text);
    }

    /** A warning if this side is the reason, since somebody here can do something about it. */
    static Level severity(Exception failure) {
        return failure instanceof IOException || isOfPeer(failure) ? Level.INFO : Level.WARNING;
    }

    private static boolean isOfPeer(Exception failure) {
        return failure instanceof RdmaConnectException refused
                && switch (refused.reason()) {
                    case VERSION_MISMATCH, PROTOCOL_ERROR, AUTHENTICATION, FLOW_CONTROL, TIMEOUT, CANCELLED -> true;
                    default -> false;
                };
    }

    /** The text in UTF-8, cut between two characters if it is longer. */
    static byte[] utf8(String text, int limit) {
        byte[] all = text.getBytes(StandardCharsets.UTF_8);
        if (all.length <= limit) {
            return all;
        }
        int length = limit;
        while (length > 0 && (all[length] & 0xc0) == 0x80) { // the byte after the cut goes on with a character
            length--;
        }
        return java.util.Arrays.copyOf(all, length);
    }
}
