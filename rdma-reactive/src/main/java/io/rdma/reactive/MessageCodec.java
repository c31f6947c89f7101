package io.rdma.reactive;

import io.rdma.buffer.MessageDecodingException;
import io.rdma.buffer.ReceivedMessage;
import java.util.function.Function;

/**
 * Encoder and decoder of the values of one type, each value as one message. It goes wherever a {@link MessageEncoder}
 * or a decoder is accepted:
 *
 * <pre>{@code
 * connection.send(orders, codec)    // Mono<Void>
 * connection.receive().as(codec)    // Flux<Order>
 * }</pre>
 *
 * @param <T> type of the values
 */
public interface MessageCodec<T> extends MessageEncoder<T>, Function<ReceivedMessage, T> {
    /**
     * Reads a value.
     *
     * @param message lent for the call; the value must not refer to it
     * @return the value, not null
     * @throws RuntimeException if the message is not a value of this type; {@link #apply} wraps it
     */
    T decode(ReceivedMessage message);

    /**
     * Reads a value by {@link #decode}. This is the form in which a {@code receive} calls the codec.
     *
     * @param message lent for the call
     * @return the value
     * @throws MessageDecodingException if {@link #decode} throws, also for want of stack, or returns null. The
     *     {@code Flux} of the values ends with it. The connection stays open, and the next subscriber receives the
     *     messages that follow
     */
    @Override
    default T apply(ReceivedMessage message) {
        T value;
        try {
            value = decode(message);
        } catch (MessageDecodingException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) { // a value may be nested too deeply
            throw new MessageDecodingException(failed(message) + e, e);
        }
        if (value == null) {
            throw new MessageDecodingException(failed(message) + "the decoder returned null", null);
        }
        return value;
    }

    private static String failed(ReceivedMessage message) {
        return "message of " + message.length() + " bytes cannot be decoded: let the peer send with the same codec, or"
                + " subscribe again to continue with the next message. The failure: ";
    }

    /**
     * Returns the codec of text in UTF-8. Malformed input is replaced, as {@link String} does: a surrogate without its
     * pair is sent as a question mark, and bytes that are not UTF-8 are received as {@code U+FFFD}.
     *
     * @return the codec
     */
    static MessageCodec<String> utf8() {
        return Utf8Codec.INSTANCE;
    }

    /**
     * Returns the codec of arrays of bytes. An array must not change until its message is sent. A received array is a
     * copy.
     *
     * @return the codec
     */
    static MessageCodec<byte[]> bytes() {
        return BytesCodec.INSTANCE;
    }

    /**
     * Returns the codec of an encoder and a decoder.
     *
     * @param <T> type of the values
     * @param encoder writes a value
     * @param decoder reads a value from a message that is lent for the call; must not return null
     * @return the codec
     */
    static <T> MessageCodec<T> of(
            MessageEncoder<? super T> encoder, Function<? super ReceivedMessage, ? extends T> decoder) {
        return new ComposedCodec<>(encoder, decoder);
    }

    /**
     * Returns a codec that puts a version in front of each message: four bytes, the most significant one first. A
     * message of another version, or without one, ends the {@code Flux} with {@link MessageDecodingException}.
     *
     * @param <T> type of the values
     * @param version any number
     * @param codec codec of the bytes behind the version
     * @return the codec
     */
    static <T> MessageCodec<T> versioned(int version, MessageCodec<T> codec) {
        return new VersionedCodec<>(version, codec);
    }
}
