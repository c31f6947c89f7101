package io.rdma.interop;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Exchange of perftest's programs with {@code -R}, {@code perftest_communication.c} of version 4.5: messages over a
 * connection of their own, which is made by RDMA CM without private data. At each step the client sends, and the server
 * answers with as many bytes.
 */
final class PerftestDialog {
    /** Bytes of the longest message. */
    static final int BYTES = 56;

    private static final String VERSION = "6.06";
    private static final int VERSION_BYTES = 16;
    private static final int BUFFER = 4096;
    private static final int CACHE_LINE = 64;
    private static final byte[] MTU_1024 = {'3', 0};

    private final PerftestEnd end;
    private final boolean client;
    private int steps;

    PerftestDialog(PerftestEnd end, boolean client) {
        this.end = end;
        this.client = client;
    }

    /** The memory of an end. */
    record Keys(int qpNumber, int rkey, long address) {
        /** Keys before there is a queue pair. */
        static final Keys NONE = new Keys(0, 0, 0);

        /** Fields: LID, reads in flight, queue pair, PSN, key, a gap, address, GID, shared receive queue, GID index. */
        private byte[] encode() {
            return ByteBuffer.allocate(BYTES)
                    .putInt(0)
                    .putInt(1)
                    .putInt(qpNumber)
                    .putInt(0)
                    .putInt(rkey)
                    .putInt(0)
                    .putLong(address)
                    .array();
        }

        private static Keys decode(byte[] bytes) {
            ByteBuffer fields = ByteBuffer.wrap(bytes);
            return new Keys(fields.getInt(8), fields.getInt(16), fields.getLong(24));
        }
    }

    /** Agrees on the version, sizes and the path MTU. */
    void agree() {
        step(ByteBuffer.allocate(VERSION_BYTES)
                .put(VERSION.getBytes(StandardCharsets.US_ASCII))
                .array());
        step(ByteBuffer.allocate(Integer.BYTES).putInt(BUFFER).array());
        step(ByteBuffer.allocate(Integer.BYTES).putInt(CACHE_LINE).array());
        step(MTU_1024);
    }

    /** Exchanges keys. */
    Keys exchange(Keys ours) {
        return Keys.decode(step(ours.encode()));
    }

    private byte[] step(byte[] ours) {
        if (client) {
            end.send(ours);
        }
        byte[] theirs = end.receive(++steps, ours.length);
        end.postReceives(1);
        if (!client) {
            end.send(ours);
        }
        return theirs;
    }
}
