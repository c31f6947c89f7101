package io.rdma.reactive.databuffer;

import io.netty.buffer.ByteBuf;
import io.rdma.reactive.MessageEncoder;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.codec.Encoder;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.util.MimeType;

// Invariants
// - One stream uses an encoder, so there is one call at a time. After a call that returned a negative length, the next
// call, if there is one, is for the same value.
// - `target` is handed out at most once per value. Nothing can reach it after the call: the field is cleared, and the
// buffer over it is released.

/** Message encoder that lets an encoder of Spring write into the memory that will be sent. */
final class EncoderOfValues<T> extends RegisteredAllocator implements MessageEncoder<T> {
    private final Encoder<? super T> encoder;
    private final ResolvableType type;
    private final MimeType mimeType;
    private final NettyDataBufferFactory factory = new NettyDataBufferFactory(this);
    private @Nullable MemorySegment target; // set while a value is encoded, until handed out
    private byte @Nullable [] outgrown; // encoded value that needs memory of its own

    EncoderOfValues(Encoder<? super T> encoder, ResolvableType type, MimeType mimeType) {
        this.encoder = encoder;
        this.type = type;
        this.mimeType = mimeType;
    }

    @Override
    @Nullable
    ByteBuf registered(int capacity, int maxCapacity) {
        MemorySegment memory = target;
        if (memory == null || capacity > memory.byteSize() || memory.byteSize() > maxCapacity) {
            return null;
        }
        target = null;
        return RegisteredByteBuf.of(this, memory, maxCapacity);
    }

    @Override
    public int encode(T value, MemorySegment memory) {
        byte[] bytes = outgrown;
        outgrown = null;
        if (bytes == null) {
            target = memory;
            DataBuffer encoded;
            try {
                encoded = encoder.encodeValue(value, factory, type, mimeType, Map.of());
            } finally {
                target = null;
            }
            try {
                if (isInPlace(encoded)) {
                    return encoded.readableByteCount();
                }
                bytes = new byte[encoded.readableByteCount()];
                encoded.read(bytes);
            } finally {
                DataBufferUtils.release(encoded);
            }
            if (bytes.length > memory.byteSize()) {
                outgrown = bytes;
                return -bytes.length;
            }
        }
        memory.asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
        return bytes.length;
    }

    private boolean isInPlace(DataBuffer encoded) {
        return encoded instanceof NettyDataBuffer netty
                && netty.getNativeBuffer() instanceof RegisteredByteBuf buffer
                && buffer.alloc() == this
                && buffer.isInPlace();
    }
}
