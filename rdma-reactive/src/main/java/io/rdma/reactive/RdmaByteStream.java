package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.internal.engine.ByteOutput;
import io.rdma.internal.engine.Endpoint;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * View of a connection as a stream of bytes in each direction. What is written is collected in a send buffer, which
 * leaves when it is full, at a {@link #flush} and at the {@link #end}. The boundaries of messages mean nothing.
 *
 * <p>The peer's end of the stream is what the peer said: it called {@link #end}, or closed its connection in an orderly
 * way without having written. Any other end is an error: a lost or aborted connection, a peer that closed within its
 * stream, a close of this side before the peer's end. On a connection without farewells, as with {@link
 * io.rdma.connect.FlowControl#PLAIN}, the peer cannot say how it closes, and only {@link #end} is its end.
 *
 * <p>The peer uses this class, that of {@code rdma-coroutines}, or a channel of {@code rdma-netty}. While a connection
 * has such a view, nothing else is sent or received over it. One thread writes at a time, and one subscriber or thread
 * reads.
 */
public final class RdmaByteStream {
    private final RdmaConnection connection;
    private final Endpoint endpoint;
    private final ByteOutput output;
    private final InputStream input;
    private volatile boolean inputEnded;

    private RdmaByteStream(RdmaConnection connection) {
        this.connection = connection;
        this.endpoint = Endpoint.of(connection.endpoint());
        this.output = new ByteOutput(endpoint);
        this.input = new ByteStreamInput(this);
    }

    /**
     * Makes the view of a connection. Make one for each connection.
     *
     * @param connection carries nothing else from now on; the code that made it closes it
     * @return the view
     * @throws io.rdma.engine.UnreliableConnectionException if the connection is unreliable
     */
    public static RdmaByteStream of(RdmaConnection connection) {
        return new RdmaByteStream(connection);
    }

    /**
     * Writes the bytes from the position to the limit. Both are those at the call of this method, and are not changed.
     *
     * <p><b>Completes</b> when the bytes are copied into send buffers. Waits while the peer reads too slowly for that.
     * <b>Errors</b> if an earlier message was not delivered, and with {@link IllegalStateException} after the end.
     * <b>Cancel</b>: some bytes may have been written, but none once another write has begun.
     *
     * @param bytes heap or direct buffer; must not change until completion
     * @return completes empty
     */
    public Mono<Void> write(ByteBuffer bytes) {
        ByteBuffer content = bytes.duplicate();
        return Mono.defer(() -> {
            ByteBuffer rest = content.duplicate();
            long turn = output.begin();
            return rest.hasRemaining()
                    ? Mono.<Void>defer(() -> output.put(turn, rest) ? Mono.empty() : awaitBuffer(turn))
                            .repeat(rest::hasRemaining)
                            .then()
                    : Mono.empty();
        });
    }

    ByteOutput output() {
        return output;
    }

    /** Waits until there is a send buffer for a write or an end. */
    Mono<Void> awaitBuffer(long turn) {
        return FillMono.of(endpoint.sendBuffers(), output, turn);
    }

    /**
     * Sends the bytes that were written and not sent.
     *
     * <p><b>Completes</b> at once: {@link #end} tells whether the peer's device has them. <b>Errors</b> as
     * {@link #write} does.
     *
     * @return completes empty
     */
    public Mono<Void> flush() {
        return Mono.fromRunnable(() -> {
            output.requireOpen();
            output.push();
        });
    }

    /**
     * Sends the bytes that were written, and the end of the stream. This side can still read.
     *
     * <p><b>Completes</b> when the peer's device has all bytes and the end. <b>Errors</b> if it does not get them.
     *
     * @return completes empty
     */
    public Mono<Void> end() {
        return Mono.defer(() -> sendEnd(output.beginEnd())).then(Mono.fromFuture(output::delivered, true));
    }

    private Mono<Void> sendEnd(long turn) {
        return output.end(turn) ? Mono.empty() : awaitBuffer(turn).then(Mono.defer(() -> sendEnd(turn)));
    }

    /**
     * Reads the bytes that arrive, in pieces of any length but zero, each of which is a copy. Pieces that are not
     * requested slow the peer down. After a cancel another subscriber goes on.
     *
     * <p><b>Completes</b> after the peer's end of the stream. <b>Errors</b> with {@link ConnectionClosedException} at
     * any other end, and at once if another subscriber reads.
     *
     * @return the bytes
     */
    public Flux<ByteBuffer> read() {
        return Flux.defer(() -> inputEnded
                ? Flux.empty()
                : connection
                        .receive(message -> ByteBuffer.wrap(message.toByteArray()))
                        .takeWhile(bytes -> !isEnd(bytes.remaining()))
                        .concatWith(Mono.defer(() -> {
                            ConnectionClosedException error = withoutEnd();
                            return error == null ? Mono.empty() : Mono.error(error);
                        })));
    }

    /** Returns whether a message is the end of the stream, and notes it. */
    boolean isEnd(int length) {
        if (length == 0) {
            inputEnded = true;
        }
        return length == 0;
    }

    /** Returns the error of an input whose messages have ended; null if the peer's stream has. */
    @Nullable
    ConnectionClosedException withoutEnd() {
        return inputEnded ? null : endpoint.withoutEnd();
    }

    Flux<ReceivedMessage> messages() {
        return inputEnded ? Flux.empty() : connection.receiveOwned();
    }

    /**
     * Returns the input as a stream of {@code java.io}, which waits for bytes: read it on a virtual thread, not on the
     * loop, where a wait is refused by {@link IllegalStateException}. The bytes are copied once, out of the receive
     * buffer. A close ends the reading only, also that of a thread that waits, and drops the rest of the message that
     * is here. An interrupt of such a thread loses nothing. From the first read on the stream is the one subscriber,
     * until its end or close.
     *
     * @return the same stream at each call
     */
    public InputStream inputStream() {
        return input;
    }

    /**
     * Returns the output as a stream of {@code java.io}, which waits for send buffers: write it on a virtual thread,
     * not on the loop. Its {@code close} is {@link #end}, and fails if the peer's device does not get all bytes. An
     * interrupt of a thread that waits is an {@link java.io.InterruptedIOException}, which tells how many bytes of
     * a {@code write} were taken; a {@code close} can be called again.
     *
     * @return a stream
     */
    public OutputStream outputStream() {
        return new ByteStreamOutput(this);
    }
}
