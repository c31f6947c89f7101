package io.rdma.samples.simulation.network;

import java.util.ArrayDeque;

/** TCP segments that have arrived and were not read. */
final class Segments {
    private final ArrayDeque<byte[]> segments = new ArrayDeque<>();
    private int read; // bytes of the first segment

    void add(byte[] segment) {
        segments.add(segment);
    }

    void addAll(Segments others) {
        segments.addAll(others.segments);
    }

    boolean isEmpty() {
        return segments.isEmpty();
    }

    void clear() {
        segments.clear();
        read = 0;
    }

    /** Returns the number of bytes that a read gets at least. */
    int available() {
        return segments.isEmpty() ? 0 : segments.element().length - read;
    }

    /** Takes bytes of the first segment. There is one. */
    int take(byte[] into, int offset, int length) {
        byte[] segment = segments.element();
        int taken = Math.min(length, segment.length - read);
        System.arraycopy(segment, read, into, offset, taken);
        read += taken;
        if (read == segment.length) {
            segments.remove();
            read = 0;
        }
        return taken;
    }
}
