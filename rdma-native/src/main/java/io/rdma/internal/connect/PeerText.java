package io.rdma.internal.connect;

/**
 * Sanitizer of text from a peer, for a log line or the message of an exception: the result is one line, bounded,
 * without characters that control a terminal.
 */
final class PeerText {
    /** Maximum number of characters that are kept. */
    static final int LIMIT = 512;

    private PeerText() {}

    /**
     * Escapes control, format and unassigned characters and line ends as Java does. Cuts the result at {@link #LIMIT}
     * characters in total.
     *
     * @param text of a peer, or of a library that quotes a peer; null counts as empty
     */
    static String of(@org.jspecify.annotations.Nullable String text) {
        if (text == null) {
            return "";
        }
        StringBuilder safe = new StringBuilder(Math.min(text.length(), LIMIT));
        for (int at = 0; at < text.length(); ) {
            int point = text.codePointAt(at);
            int before = safe.length();
            append(safe, point);
            if (safe.length() > LIMIT) {
                safe.setLength(before);
                return safe.append("...").toString();
            }
            at += Character.charCount(point);
        }
        return safe.toString();
    }

    private static void append(StringBuilder to, int point) {
        if (point == '\\') {
            to.append("\\\\");
        } else if (isHarmless(point)) {
            to.appendCodePoint(point);
        } else {
            for (char c : Character.toChars(point)) {
                to.append(String.format("\\u%04x", (int) c));
            }
        }
    }

    private static boolean isHarmless(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT, // including marks that change the direction of writing
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
