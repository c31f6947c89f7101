package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Function;

/** Codec of an encoder and a decoder. */
record ComposedCodec<T>(MessageEncoder<? super T> encoder, Function<? super ReceivedMessage, ? extends T> decoder)
        implements MessageCodec<T> {
    ComposedCodec {
        Objects.requireNonNull(encoder, "encoder");
        Objects.requireNonNull(decoder, "decoder");
    }

    @Override
    public int length(T value) {
        return encoder.length(value);
    }

    @Override
    public int encode(T value, MemorySegment target) {
        return encoder.encode(value, target);
    }

    @Override
    public T decode(ReceivedMessage message) {
        return decoder.apply(message);
    }
}
