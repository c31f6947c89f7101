package io.rdma.reactive.databuffer;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.reactive.RdmaConnection;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ResolvableType;
import org.springframework.core.codec.Decoder;
import org.springframework.core.codec.Encoder;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.util.MimeType;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Values of one type as messages, by Spring's encoders and decoders; immutable. A message is a value, so formats need
 * no delimiters.
 *
 * <pre>{@code
 * MessageCodec<Order> orders =
 *         MessageCodec.of(Order.class, new JacksonJsonEncoder(), new JacksonJsonDecoder(), MediaType.APPLICATION_JSON);
 * orders.receive(connection)                       // Flux<Order>
 * orders.send(connection, Flux.just(new Order(…))) // Mono<Void>
 * }</pre>
 *
 * @param <T> type of the values
 */
public final class MessageCodec<T> {
    private final Encoder<? super T> encoder;
    private final Decoder<?> decoder; // of T, which was asked
    private final ResolvableType type;
    private final MimeType mimeType;

    private MessageCodec(Encoder<? super T> encoder, Decoder<?> decoder, ResolvableType type, MimeType mimeType) {
        this.encoder = encoder;
        this.decoder = decoder;
        this.type = type;
        this.mimeType = mimeType;
    }

    /**
     * A codec for a class.
     *
     * @param <T> type of the values
     * @param type their class
     * @param encoder with {@code encodeValue}, as those for JSON, CBOR, Smile, Protobuf and strings have it
     * @param decoder of whole values
     * @param mimeType format
     * @return a codec
     * @throws IllegalArgumentException if encoder or decoder do not know the type in that format
     */
    public static <T> MessageCodec<T> of(
            Class<T> type, Encoder<? super T> encoder, Decoder<?> decoder, MimeType mimeType) {
        return of(ResolvableType.forClass(type), encoder, decoder, mimeType);
    }

    /**
     * A codec for a type that no class names, such as {@code List<Order>}; who calls says what {@code T} is.
     *
     * @param <T> type of the values
     * @param type the same at run time
     * @param encoder as for a class
     * @param decoder as for a class
     * @param mimeType format
     * @return a codec
     * @throws IllegalArgumentException if encoder or decoder do not know the type in that format
     */
    public static <T> MessageCodec<T> of(
            ResolvableType type, Encoder<? super T> encoder, Decoder<?> decoder, MimeType mimeType) {
        Objects.requireNonNull(mimeType, "mimeType");
        if (!encoder.canEncode(type, mimeType)) {
            throw new IllegalArgumentException(encoder + " does not encode " + type + " as " + mimeType);
        }
        if (!decoder.canDecode(type, mimeType)) {
            throw new IllegalArgumentException(decoder + " does not decode " + type + " from " + mimeType);
        }
        return new MessageCodec<>(encoder, decoder, type, mimeType);
    }

    /**
     * Sends each value as a message: {@link RdmaConnection#send(Publisher, io.rdma.reactive.MessageEncoder)}. The
     * encoder writes into the send buffer itself; a value that turns out to be larger gets registered memory of its
     * own, up to what the peer receives.
     *
     * <p><b>Errors</b> also with what the encoder throws.
     *
     * @param connection open
     * @param values what to send
     * @return completes empty, when the peer's device has all of them
     */
    public Mono<Void> send(RdmaConnection connection, Publisher<? extends T> values) {
        return Mono.defer(() -> connection.send(values, new EncoderOfValues<T>(encoder, type, mimeType)));
    }

    /**
     * Receives values, decoded from the buffer that each arrived in: {@link RdmaConnection#receiveOwned}, with its
     * back-pressure and on its thread. The buffer is the decoder's to release. A message that is no value for the
     * decoder, such as JSON's {@code null}, is left out.
     *
     * <p><b>Errors</b> also with {@link org.springframework.core.codec.DecodingException}, for a message that cannot be
     * decoded; the connection stays open then, and another subscriber gets the messages after it.
     *
     * @param connection open
     * @return the values
     */
    public Flux<T> receive(RdmaConnection connection) {
        return connection.receiveOwned().<T>handle((message, sink) -> {
            T value = decode(message);
            if (value != null) {
                sink.next(value);
            }
        });
    }

    @SuppressWarnings("unchecked") // the decoder said that it makes this type
    private @Nullable T decode(ReceivedMessage message) {
        NettyDataBuffer buffer = RdmaDataBuffers.wrap(message);
        try {
            return (T) decoder.decode(buffer, type, mimeType, Map.of());
        } catch (Throwable e) { // most decoders have released it by now, some throw before
            int left = buffer.getNativeBuffer().refCnt();
            if (left > 0) {
                buffer.getNativeBuffer().release(left);
            }
            throw e;
        }
    }
}
