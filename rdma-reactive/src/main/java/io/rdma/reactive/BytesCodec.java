package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Codec of arrays of bytes. */
final class BytesCodec implements MessageCodec<byte[]> {
    static final BytesCodec INSTANCE = new BytesCodec();

    private BytesCodec() {}

    @Override
    public int length(byte[] bytes) {
        return bytes.length;
    }

    @Override
    public int encode(byte[] bytes, MemorySegment target) {
        if (bytes.length > target.byteSize()) {
            return -bytes.length;
        }
        MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return bytes.length;
    }

    @Override
    public byte[] decode(ReceivedMessage message) {
        return message.toByteArray();
    }
}
