package io.rdma.reactive.call;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.call.RdmaCallException;
import io.rdma.internal.call.CallFrame;
import io.rdma.reactive.MessageCodec;
import io.rdma.reactive.MessageEncoder;
import io.rdma.reactive.RdmaConnection;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;

/** Messages of a frame and a body, sent and read without a copy in between. */
final class CallMessages {
    private static final byte[] NO_BODY = {};

    private CallMessages() {}

    /** Encodes a frame, and behind it the body by the encoder of its values. */
    private record Framed<T>(CallFrame frame, MessageEncoder<T> bodies) implements MessageEncoder<T> {
        private int withFrame(int length) {
            return (int) Math.min(Integer.MAX_VALUE, (long) frame.body() + length);
        }

        @Override
        public int length(T value) {
            int length = bodies.length(value);
            return length == 0 ? 0 : withFrame(length); // 0: the length is not known
        }

        @Override
        public int encode(T value, MemorySegment target) {
            boolean fits = target.byteSize() >= frame.body();
            int encoded = bodies.encode(
                    value, target.asSlice(fits ? frame.body() : 0, fits ? target.byteSize() - frame.body() : 0));
            if (encoded < 0) {
                return -withFrame(Math.negateExact(encoded));
            }
            if (!fits) {
                return -withFrame(encoded);
            }
            frame.write(target);
            return withFrame(encoded);
        }
    }

    /** Sends a frame with the value as its body. */
    static <T> Mono<Void> send(RdmaConnection connection, CallFrame frame, T body, MessageEncoder<T> bodies) {
        return connection.sendObject(body, new Framed<>(frame, bodies));
    }

    /** Sends a frame that has no body. */
    static Mono<Void> send(RdmaConnection connection, CallFrame frame) {
        return send(connection, frame, NO_BODY, MessageCodec.bytes());
    }

    /** Sends the error of a request. */
    static Mono<Void> sendError(RdmaConnection connection, int id, RdmaCallException error) {
        CallFrame frame = CallFrame.error(id, error);
        return send(
                connection,
                frame,
                CallFrame.text(error, connection.maxMessageSize() - frame.body()),
                MessageCodec.bytes());
    }

    /** Decodes the body of a message. */
    static <T> T decode(CallFrame frame, ReceivedMessage message, MessageCodec<T> bodies) {
        MemorySegment body = message.segment().asSlice(frame.body());
        try (ReceivedMessage part = new ReceivedMessage(body, false, 0, place -> {}, 0)) {
            return bodies.apply(part);
        }
    }
}
