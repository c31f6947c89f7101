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
 * Registered memory as Spring's data buffers. They are {@link NettyDataBuffer}s: a buffer that came by RDMA can be the
 * body of a response of WebFlux on Netty as it is, and all of Spring's {@link DataBufferUtils} hold. As everywhere in
 * Spring, who has a buffer releases it or passes it on; the last release gives the memory back, once.
 */
public final class RdmaDataBuffers {
    private static final NettyDataBufferFactory RECEIVED = new NettyDataBufferFactory(ByteBufAllocator.DEFAULT);

    private RdmaDataBuffers() {}

    /**
     * A message, readable in the buffer that it arrived in. What is made of it ({@code retainedSlice}, {@code split})
     * shares the memory and the count of references.
     *
     * @param message open; closed by the last release, so that its buffer is posted again
     * @return its bytes
     * @throws IllegalStateException if it is closed
     */
    public static NettyDataBuffer wrap(ReceivedMessage message) {
        return RECEIVED.wrap(new LentByteBuf(ByteBufAllocator.DEFAULT, message));
    }

    /**
     * A buffer, empty and writable up to its capacity.
     *
     * @param buffer idle; closed by the last release
     * @return nothing yet
     * @throws IllegalStateException if it is closed or in use by the device
     */
    public static NettyDataBuffer wrap(RegisteredBuffer buffer) {
        return RECEIVED.wrap(RegisteredByteBuf.of(ByteBufAllocator.DEFAULT, buffer, buffer.capacity()));
    }

    /**
     * A factory whose buffers lie in a connection's send buffers while one is free and large enough, and in Netty's
     * memory otherwise; so does a buffer that grows beyond. What {@link #send} gets from here it sends without a copy.
     * A buffer may have more capacity than asked for. It holds its send buffer until it is released: do not keep many.
     *
     * @param connection open
     * @return a factory; thread-safe
     */
    public static NettyDataBufferFactory factory(RdmaConnection connection) {
        return new NettyDataBufferFactory(
                new LeasingAllocator(connection.endpoint().sendBuffers()));
    }

    /**
     * Messages, without a copy: {@link RdmaConnection#receiveOwned} with each message wrapped. A buffer that is not
     * released is one that the peer cannot send into.
     *
     * @param connection open
     * @return buffers to be released by the subscriber; use
     *     {@code doOnDiscard(DataBuffer.class, DataBufferUtils::release)} where operators may drop them
     */
    public static Flux<DataBuffer> receive(RdmaConnection connection) {
        return connection.receiveOwned().map(RdmaDataBuffers::wrap);
    }

    /**
     * Sends what is readable of a buffer as one message, and releases it.
     *
     * <p><b>Completes</b> when the peer's device has the message. <b>Errors</b> as
     * {@link RdmaConnection#send(RegisteredBuffer)}. <b>Cancel</b> as there. <b>Buffer</b>: if it is of
     * {@link #factory}, or a wrapped {@link RegisteredBuffer}, of this connection, and nothing of it was read, the
     * device reads it where it is; otherwise it is copied. Not to be written until the end, before which it is
     * released, whatever that end is. It stays the caller's while nobody subscribes; a second subscriber gets an error.
     *
     * @param connection open
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
            // A cancel releases the message, perhaps just now: then nothing will be sent.
            DataBuffer held = DataBufferUtils.retain(message);
            try {
                held.toByteBuffer(from, target.asByteBuffer(), 0, length);
            } finally {
                DataBufferUtils.release(held);
            }
        });
    }
}
