package io.rdma.connect;

// docs/internals/protocol.md: the number of receives is a rule that both sides know, the number of send buffers is a
// side's own
// affair. They are chosen so that an idle connection of default options registers less than 160 KiB.

/** Sizes of a connection at its start: the buffers that are registered before any of them is used. */
final class FirstBuffers {
    private static final int RECEIVE_BYTES = 64 << 10;
    private static final int LEAST_RECEIVES = 8;
    private static final int SEND_BYTES = 16 << 10;
    private static final int LEAST_SENDS = 2;

    private FirstBuffers() {}

    /** Receives for messages that a side has posted when the connection begins. */
    static int receives(int most, int size) {
        return Math.min(most, Math.max(LEAST_RECEIVES, RECEIVE_BYTES / size));
    }

    /** Send buffers that a side has then. */
    static int sends(int most, int size) {
        return Math.min(most, Math.max(LEAST_SENDS, SEND_BYTES / size));
    }
}
