package io.rdma.samples.simulation.world;

import java.nio.ByteBuffer;

/** Content of a value or an entry: the number of what put it, its length, and bytes that follow from the number. */
final class StructureValue {
    static final int LEAST_BYTES = 8;

    private StructureValue() {}

    /** Returns the content that something of a number puts. */
    static byte[] of(int number, int length) {
        byte[] bytes = new byte[length];
        ByteBuffer.wrap(bytes).putInt(number).putInt(length);
        for (int i = LEAST_BYTES; i < length; i++) {
            bytes[i] = filler(number, i);
        }
        return bytes;
    }

    private static byte filler(int number, int at) {
        return (byte) (number * 31 + at);
    }

    /** Returns the number of a content, or -1 if it is none, or only a part of one, or one of two. */
    static int number(byte[] bytes) {
        if (bytes.length < LEAST_BYTES) {
            return -1;
        }
        ByteBuffer head = ByteBuffer.wrap(bytes);
        int number = head.getInt();
        boolean whole = head.getInt() == bytes.length;
        for (int i = LEAST_BYTES; i < bytes.length && whole; i++) {
            whole = bytes[i] == filler(number, i);
        }
        return whole ? number : -1;
    }
}
