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
 * Codec that sends and receives values of one type as messages, by Spring's encoders and decoders. Immutable. A message
 * is one value, so formats need no delimiters.
 *
 * <pre>{@code
 * DataBufferCodec<Order> orders = DataBufferCodec.of(
 *         Order.class, new JacksonJsonEncoder(), new JacksonJsonDecoder(), MediaType.APPLICATION_JSON);
 * orders.receive(connection)                       // Flux<Order>
 * orders.send(connection, Flux.just(new Order(…))) // Mono<Void>
 * }</pre>
 *
 * @param <T> type of the values
 */
public final class DataBufferCodec<T> {
    private final Encoder<? super T> encoder;
    private final Decoder<?> decoder; // of T, as canDecode confirmed
    private final ResolvableType type;
    private final MimeType mimeType;

    private DataBufferCodec(Encoder<? super T> encoder, Decoder<?> decoder, ResolvableType type, MimeType mimeType) {
        this.encoder = encoder;
        this.decoder = decoder;
        this.type = type;
        this.mimeType = mimeType;
    }

    /**
     * Returns a codec for a class.
     *
     * @param <T> type of the values
     * @param type class of the values
     * @param encoder encoder that implements {@code encodeValue}, as those for JSON, CBOR, Smile, Protobuf and
     *     strings do
     * @param decoder decoder of whole values
     * @param mimeType format
     * @return a codec
     * @throws IllegalArgumentException if the encoder or the decoder does not support the type in that format
     */
    public static <T> DataBufferCodec<T> of(
            Class<T> type, Encoder<? super T> encoder, Decoder<?> decoder, MimeType mimeType) {
        return of(ResolvableType.forClass(type), encoder, decoder, mimeType);
    }

    /**
     * Returns a codec for a type that no class denotes, such as {@code List<Order>}. The caller chooses {@code T},
     * which must match {@code type}.
     *
     * @param <T> type of the values
     * @param type the same type at run time
     * @param encoder as for a class
     * @param decoder as for a class
     * @param mimeType format
     * @return a codec
     * @throws IllegalArgumentException if the encoder or the decoder does not support the type in that format
     */
    public static <T> DataBufferCodec<T> of(
            ResolvableType type, Encoder<? super T> encoder, Decoder<?> decoder, MimeType mimeType) {
        Objects.requireNonNull(mimeType, "mimeType");
        if (!encoder.canEncode(type, mimeType)) {
            throw new IllegalArgumentException(encoder + " does not encode " + type + " as " + mimeType);
        }
        if (!decoder.canDecode(type, mimeType)) {
            throw new IllegalArgumentException(decoder + " does not decode " + type + " from " + mimeType);
        }
        return new DataBufferCodec<>(encoder, decoder, type, mimeType);
    }

    /**
     * Sends each value as a message, by {@link RdmaConnection#send(Publisher, io.rdma.reactive.MessageEncoder)}. The
     * encoder writes directly into the send buffer. A value that turns out to be larger gets registered memory of its
     * own, up to the largest message that the peer can receive.
     *
     * <p><b>Errors</b> also with an exception of the encoder.
     *
     * @param connection open connection
     * @param values values to send
     * @return completes empty, when the peer's device has received all of them
     */
    public Mono<Void> send(RdmaConnection connection, Publisher<? extends T> values) {
        return Mono.defer(() -> connection.send(values, new EncoderOfValues<T>(encoder, type, mimeType)));
    }

    /**
     * Receives values and decodes each one from the buffer that it arrived in, by {@link RdmaConnection#receiveOwned},
     * with its back-pressure and on its thread. The decoder releases the buffer. A message that the decoder does not
     * turn into a value, such as JSON's {@code null}, is skipped.
     *
     * <p><b>Errors</b> also with {@link org.springframework.core.codec.DecodingException} for a message that cannot be
     * decoded. The connection then stays open, and another subscriber receives the messages that follow.
     *
     * @param connection open connection
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

    @SuppressWarnings("unchecked") // canDecode confirmed this type
    private @Nullable T decode(ReceivedMessage message) {
        NettyDataBuffer buffer = RdmaDataBuffers.wrap(message);
        try {
            return (T) decoder.decode(buffer, type, mimeType, Map.of());
        } catch (Throwable e) { // most decoders have released it by now; some throw before that
            int left = buffer.getNativeBuffer().refCnt();
            if (left > 0) {
                buffer.getNativeBuffer().release(left);
            }
            throw e;
        }
    }
}
