package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.internal.engine.Utf8;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** Codec of text in UTF-8. It encodes into the target itself, without an array in between. */
final class Utf8Codec implements MessageCodec<String> {
    static final Utf8Codec INSTANCE = new Utf8Codec();

    private Utf8Codec() {}

    @Override
    public int encode(String text, MemorySegment target) {
        return Utf8.encode(text, target);
    }

    @Override
    public String decode(ReceivedMessage message) {
        return new String(message.toByteArray(), StandardCharsets.UTF_8);
    }
}
