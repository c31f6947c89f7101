package io.rdma.internal.connect;

// The number of receives is a rule that both sides know, see docs/internals/protocol.md. Each side chooses the
// number of its send buffers alone. Both are chosen so that an idle connection with default options registers less
// than 160 KiB.

/** Numbers of buffers that a connection registers at its start, before any of them is used. */
final class FirstBuffers {
    private static final int RECEIVE_BYTES = 64 << 10;
    private static final int LEAST_RECEIVES = 8;
    private static final int SEND_BYTES = 16 << 10;
    private static final int LEAST_SENDS = 2;

    private FirstBuffers() {}

    /** Returns the number of receives for messages that a side has posted when the connection begins. */
    static int receives(int most, int size) {
        return Math.min(most, Math.max(LEAST_RECEIVES, RECEIVE_BYTES / size));
    }

    /** Returns the number of receives for messages that a side promises at first if it shares them. */
    static int sharedReceives(int most) {
        return Math.min(most, LEAST_RECEIVES);
    }

    /** Returns the number of send buffers that a side has when the connection begins. */
    static int sends(int most, int size) {
        return Math.min(most, Math.max(LEAST_SENDS, SEND_BYTES / size));
    }
}
