package io.rdma.internal.engine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Encoder of text in UTF-8 that writes into registered memory, without an array in between. A surrogate without its
 * pair becomes a question mark, as in {@link String#getBytes(java.nio.charset.Charset)}.
 */
public final class Utf8 {
    private static final int MOST_PER_CHAR = 3; // a pair of surrogates has two chars and four bytes
    private static final byte REPLACEMENT = '?';

    private Utf8() {}

    /**
     * Encodes a text.
     *
     * @param text text to encode
     * @param target registered memory
     * @return length in bytes; if that is more than the target has, its negative, at least the negative of
     *     {@link Integer#MAX_VALUE}, and the target is unchanged
     */
    public static int encode(String text, MemorySegment target) {
        if ((long) MOST_PER_CHAR * text.length() > target.byteSize()) {
            int needed = length(text);
            if (needed > target.byteSize()) {
                return -needed;
            }
        }
        return write(text, target);
    }

    private static boolean isPair(String text, int first) {
        return Character.isHighSurrogate(text.charAt(first))
                && first + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(first + 1));
    }

    /**
     * Returns the length of a text.
     *
     * @param text text to encode
     * @return bytes, at most {@link Integer#MAX_VALUE}, which is more than a message may have
     */
    public static int length(String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                bytes++;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (!Character.isSurrogate(c)) {
                bytes += 3;
            } else if (isPair(text, i)) {
                bytes += 4;
                i++;
            } else {
                bytes++;
            }
        }
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }

    /**
     * Encodes a text that fits.
     *
     * @param text text to encode
     * @param target registered memory of at least the {@link #length} of the text
     * @return length in bytes
     */
    public static int write(String text, MemorySegment target) {
        int at = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                target.set(ValueLayout.JAVA_BYTE, at++, (byte) c);
            } else if (c < 0x800) {
                target.set(ValueLayout.JAVA_BYTE, at++, (byte) (0xC0 | c >> 6));
                target.set(ValueLayout.JAVA_BYTE, at++, (byte) (0x80 | c & 0x3F));
            } else if (!Character.isSurrogate(c)) {
                target.set(ValueLayout.JAVA_BYTE, at++, (byte) (0xE0 | c >> 12));
                target.set(ValueLayout.JAVA_BYTE, at++, (byte) (0x80 | c >> 6 & 0x3F));
                target.set(ValueLayout.JAVA_BYTE, at++, (byte) (0x80 | c & 0x3F));
            } else if (isPair(text, i)) {
                int point = Character.toCodePoint(c, text.charAt(++i));
                target.set(ValueLayout.JAVA_BYTE, at++, (byte) (0xF0 | point >> 18));
                target.set(ValueLayout.JAVA_BYTE, at++, (byte) (0x80 | point >> 12 & 0x3F));
                target.set(ValueLayout.JAVA_BYTE, at++, (byte) (0x80 | point >> 6 & 0x3F));
                target.set(ValueLayout.JAVA_BYTE, at++, (byte) (0x80 | point & 0x3F));
            } else {
                target.set(ValueLayout.JAVA_BYTE, at++, REPLACEMENT);
            }
        }
        return at;
    }
}
