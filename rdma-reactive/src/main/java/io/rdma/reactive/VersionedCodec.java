package io.rdma.reactive;

import io.rdma.buffer.MessageDecodingException;
import io.rdma.buffer.ReceivedMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/** Codec that puts a version in front of each message, and accepts messages of that version only. */
record VersionedCodec<T>(int version, MessageCodec<T> codec) implements MessageCodec<T> {
    private static final ValueLayout.OfInt PREFIX = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int PREFIX_BYTES = Integer.BYTES;

    VersionedCodec {
        Objects.requireNonNull(codec, "codec");
    }

    private static int withPrefix(int length) {
        return (int) Math.min(Integer.MAX_VALUE, (long) PREFIX_BYTES + length);
    }

    @Override
    public int length(T value) {
        int length = codec.length(value);
        return length == 0 ? 0 : withPrefix(length); // 0: the length is not known
    }

    @Override
    public int encode(T value, MemorySegment target) {
        boolean fits = target.byteSize() >= PREFIX_BYTES;
        int encoded = codec.encode(
                value, target.asSlice(fits ? PREFIX_BYTES : 0, fits ? target.byteSize() - PREFIX_BYTES : 0));
        if (encoded < 0) {
            return -withPrefix(Math.negateExact(encoded));
        }
        if (!fits) {
            return -withPrefix(encoded);
        }
        target.set(PREFIX, 0, version);
        return withPrefix(encoded);
    }

    @Override
    public T decode(ReceivedMessage message) {
        MemorySegment all = message.segment();
        if (all.byteSize() < PREFIX_BYTES) {
            throw new MessageDecodingException(
                    "message of " + all.byteSize() + " bytes has no version, which takes " + PREFIX_BYTES
                            + ": let the peer send by MessageCodec.versioned, too",
                    null);
        }
        int sent = all.get(PREFIX, 0);
        if (sent != version) {
            throw new MessageDecodingException(
                    "message has version " + sent + ", this codec reads version " + version
                            + ": let both sides use the same version of the codec",
                    null);
        }
        try (ReceivedMessage body = new ReceivedMessage(
                all.asSlice(PREFIX_BYTES),
                (int) all.byteSize() - PREFIX_BYTES,
                message.hasImmediate(),
                message.hasInvalidatedKey(),
                data(message),
                place -> {},
                0)) {
            return codec.decode(body);
        }
    }

    private static int data(ReceivedMessage message) {
        if (message.hasImmediate()) {
            return message.immediate();
        }
        return message.hasInvalidatedKey() ? message.invalidatedKey() : 0;
    }
}
