package io.rdma.samples.pipeline;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** A count of blocks, and a checksum of their samples in order. */
final class Measured {
    private final CRC32C crc = new CRC32C();
    private ByteBuffer bytes = ByteBuffer.allocate(0);
    private long count;

    void add(long[] samples) {
        if (bytes.capacity() != samples.length * Long.BYTES) {
            bytes = ByteBuffer.allocate(samples.length * Long.BYTES);
        }
        bytes.clear().asLongBuffer().put(samples);
        crc.update(bytes);
        count++;
    }

    long count() {
        return count;
    }

    Message.End end() {
        return new Message.End(count, (int) crc.getValue());
    }
}
