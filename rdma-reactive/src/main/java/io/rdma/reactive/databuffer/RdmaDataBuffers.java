package io.rdma.reactive.databuffer;

import io.netty.buffer.ByteBufAllocator;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.internal.LentByteBuf;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Factory methods for Spring's data buffers over registered memory. The buffers are {@link NettyDataBuffer}s: a buffer
 * that arrived by RDMA can directly be the body of a response of WebFlux on Netty, and all of Spring's
 * {@link DataBufferUtils} apply. As everywhere in Spring, the holder of a buffer releases it or passes it on. The last
 * release returns the memory, once.
 */
public final class RdmaDataBuffers {
    private static final NettyDataBufferFactory RECEIVED = new NettyDataBufferFactory(ByteBufAllocator.DEFAULT);

    private RdmaDataBuffers() {}

    /**
     * Wraps a message, readable in the buffer that it arrived in. Buffers derived from the result
     * ({@code retainedSlice}, {@code split}) share its memory and its reference count.
     *
     * @param message open message; the last release closes it, so that its buffer is posted again
     * @return the bytes of the message
     * @throws IllegalStateException if the message is closed
     */
    public static NettyDataBuffer wrap(ReceivedMessage message) {
        return RECEIVED.wrap(new LentByteBuf(ByteBufAllocator.DEFAULT, message));
    }

    /**
     * Wraps a buffer as empty and writable up to its capacity.
     *
     * @param buffer idle buffer; the last release closes it
     * @return an empty data buffer
     * @throws IllegalStateException if the buffer is closed or in use by the device
     */
    public static NettyDataBuffer wrap(RegisteredBuffer buffer) {
        return RECEIVED.wrap(RegisteredByteBuf.of(ByteBufAllocator.DEFAULT, buffer, buffer.capacity()));
    }

    /**
     * Returns a factory that takes its buffers from a connection's send buffers while one is free and large enough, and
     * from Netty's memory otherwise. A buffer that outgrows its send buffer moves to Netty's memory too. {@link #send}
     * sends buffers of this factory without a copy. A buffer may have more capacity than requested. It holds its send
     * buffer until it is released, so do not keep many.
     *
     * @param connection open connection
     * @return a factory; thread-safe
     */
    public static NettyDataBufferFactory factory(RdmaConnection connection) {
        return new NettyDataBufferFactory(
                new LeasingAllocator(connection.endpoint().sendBuffers()));
    }

    /**
     * Receives messages without a copy, by {@link RdmaConnection#receiveOwned}, and wraps each one. A buffer that is
     * not released is a receive buffer that the peer cannot send into.
     *
     * @param connection open connection
     * @return buffers, which the subscriber releases; use
     *     {@code doOnDiscard(DataBuffer.class, DataBufferUtils::release)} where an operator may drop them
     */
    public static Flux<DataBuffer> receive(RdmaConnection connection) {
        return connection.receiveOwned().map(RdmaDataBuffers::wrap);
    }

    /**
     * Sends the readable bytes of a buffer as one message, and releases the buffer.
     *
     * <p><b>Completes</b> when the peer's device has received the message. <b>Errors</b> as
     * {@link RdmaConnection#send(RegisteredBuffer)}. <b>Cancel</b> as there. <b>Buffer</b>: the device reads the buffer
     * in place if it comes from {@link #factory}, or is a wrapped {@link RegisteredBuffer}, of this connection, and no
     * byte of it was read; otherwise it is copied. The caller must not write to it until the end. It is released before
     * the end is signalled, whatever the outcome. Until the first subscription it stays the caller's. A second
     * subscriber receives an error.
     *
     * @param connection open connection
     * @param message any data buffer
     * @return completes empty
     */
    public static Mono<Void> send(RdmaConnection connection, DataBuffer message) {
        return Mono.using(
                () -> message,
                held -> {
                    RegisteredBuffer lease = lease(held);
                    return lease != null
                            ? connection.send(lease.limit(held.readableByteCount()))
                            : copied(connection, held);
                },
                DataBufferUtils::release);
    }

    private static @Nullable RegisteredBuffer lease(DataBuffer message) {
        return message instanceof NettyDataBuffer netty && netty.getNativeBuffer() instanceof RegisteredByteBuf buffer
                ? buffer.lease()
                : null;
    }

    private static Mono<Void> copied(RdmaConnection connection, DataBuffer message) {
        int from = message.readPosition();
        int length = message.readableByteCount();
        return connection.send(length, target -> {
            // A cancel releases the message, perhaps at this moment; in that case nothing will be sent.
            DataBuffer held = DataBufferUtils.retain(message);
            try {
                held.toByteBuffer(from, target.asByteBuffer(), 0, length);
            } finally {
                DataBufferUtils.release(held);
            }
        });
    }
}
