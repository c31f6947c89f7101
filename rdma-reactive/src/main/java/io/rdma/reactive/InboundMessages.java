package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.Objects;
import java.util.function.Function;
import reactor.core.publisher.Flux;

/**
 * Messages that arrive on a connection, to be received in one of several forms. Each form is a {@code Flux} as of
 * {@link RdmaConnection#receive(Function)}, with its back-pressure, end, errors and thread. One subscriber at a time
 * may receive, whatever the form.
 */
public final class InboundMessages {
    private final RdmaConnection connection;

    InboundMessages(RdmaConnection connection) {
        this.connection = connection;
    }

    /**
     * Receives each message as text in UTF-8. Bytes that are not UTF-8 become {@code U+FFFD}, as in
     * {@link String#String(byte[], Charset)}. To refuse them, decode with a {@code CharsetDecoder} in {@link #as}.
     *
     * @return the texts
     */
    public Flux<String> asString() {
        return as(MessageCodec.utf8());
    }

    /**
     * Receives each message as text. Bytes that the character set does not have are replaced, as in
     * {@link String#String(byte[], Charset)}.
     *
     * @param charset character set of the peer's text
     * @return the texts
     */
    public Flux<String> asString(Charset charset) {
        Objects.requireNonNull(charset, "charset");
        return as(message -> new String(message.toByteArray(), charset));
    }

    /**
     * Receives a copy of the bytes of each message.
     *
     * @return the arrays, which the subscriber may keep and change
     */
    public Flux<byte[]> asByteArray() {
        return as(MessageCodec.bytes());
    }

    /**
     * Receives a copy of the bytes of each message.
     *
     * @return heap buffers from position 0 to the length of the message, which the subscriber may keep and change
     */
    public Flux<ByteBuffer> asByteBuffer() {
        return as(message -> ByteBuffer.wrap(message.toByteArray()));
    }

    /**
     * Receives each message as a value.
     *
     * <p><b>Errors</b> also with an exception of the decoder; a {@link MessageCodec} throws
     * {@link io.rdma.buffer.MessageDecodingException}. The connection then stays open, and another subscriber receives
     * the messages that follow.
     *
     * @param <T> type of the values
     * @param decoder codec, or function as for {@link RdmaConnection#receive(Function)}
     * @return the values
     */
    public <T> Flux<T> as(Function<? super ReceivedMessage, ? extends T> decoder) {
        return connection.receive(decoder);
    }
}
