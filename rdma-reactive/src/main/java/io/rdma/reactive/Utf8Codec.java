package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** Codec of text in UTF-8. It encodes into the target itself, without an array in between. */
final class Utf8Codec implements MessageCodec<String> {
    static final Utf8Codec INSTANCE = new Utf8Codec();

    private static final int MOST_PER_CHAR = 3; // a pair of surrogates has two chars and four bytes
    private static final byte REPLACEMENT = '?'; // of a surrogate without its pair, as in String.getBytes

    private Utf8Codec() {}

    @Override
    public int encode(String text, MemorySegment target) {
        if ((long) MOST_PER_CHAR * text.length() > target.byteSize()) {
            long needed = bytes(text);
            if (needed > target.byteSize()) {
                return -(int) Math.min(needed, Integer.MAX_VALUE);
            }
        }
        return write(text, target);
    }

    private static boolean isPair(String text, int first) {
        return Character.isHighSurrogate(text.charAt(first))
                && first + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(first + 1));
    }

    /** Returns the number of bytes that {@link #write} writes. */
    private static long bytes(String text) {
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
        return bytes;
    }

    private static int write(String text, MemorySegment target) {
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

    @Override
    public String decode(ReceivedMessage message) {
        return new String(message.toByteArray(), StandardCharsets.UTF_8);
    }
}
