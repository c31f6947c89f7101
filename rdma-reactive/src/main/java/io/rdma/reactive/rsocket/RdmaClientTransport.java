package io.rdma.reactive.rsocket;

import io.netty.buffer.ByteBufAllocator;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rsocket.DuplexConnection;
import io.rsocket.transport.ClientTransport;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * Client transport of RSocket over RDMA. Immutable: each method that changes a setting returns a copy.
 *
 * <pre>{@code
 * RSocketConnector.connectWith(RdmaClientTransport.create(RdmaClient.create().host("10.0.0.1").port(7471)))
 * }</pre>
 *
 * <p>A frame is a message. The peer reads a frame that is larger than its receive buffers from registered memory, so
 * frames need not be fragmented. Frames that arrive stay in registered memory until RSocket releases them, or the
 * application with {@code PayloadDecoder.ZERO_COPY}. When half of the receive buffers are held this way, further frames
 * are copied. <b>Signals</b> arrive on the completion loop: functions that RSocket calls there must not block.
 */
public final class RdmaClientTransport implements ClientTransport {
    private final RdmaClient client;
    private final int maxFrameLength;
    private final ByteBufAllocator alloc;

    private RdmaClientTransport(RdmaClient client, int maxFrameLength, ByteBufAllocator alloc) {
        this.client = Objects.requireNonNull(client, "client");
        this.maxFrameLength = RdmaServerTransport.checkedFrameLength(maxFrameLength);
        this.alloc = Objects.requireNonNull(alloc, "alloc");
    }

    /**
     * Returns a transport with frames of up to 16 MiB, and Netty's default allocator.
     *
     * @param client client with address and options; frames keep their boundaries, so any options are suitable
     * @return a transport
     */
    public static RdmaClientTransport create(RdmaClient client) {
        return new RdmaClientTransport(client, RdmaServerTransport.MAX_FRAME_LENGTH, ByteBufAllocator.DEFAULT);
    }

    /**
     * Sets the limit on the length of frames.
     *
     * @param bytes 64 to 16,777,215; at most the peer's {@code maxMessageSize}
     * @return a copy
     */
    public RdmaClientTransport maxFrameLength(int bytes) {
        return new RdmaClientTransport(client, bytes, alloc);
    }

    /**
     * Sets the allocator for frames that are sent and for copies.
     *
     * @param allocator any allocator
     * @return a copy
     */
    public RdmaClientTransport alloc(ByteBufAllocator allocator) {
        return new RdmaClientTransport(client, maxFrameLength, allocator);
    }

    @Override
    public int maxFrameLength() {
        return maxFrameLength;
    }

    /**
     * Connects once for each subscription.
     *
     * <p><b>Errors</b> as {@link RdmaClient#connect}. <b>Cancel</b> stops the attempt; a connection that is established
     * nevertheless is closed.
     *
     * @return the connection
     */
    @Override
    public Mono<DuplexConnection> connect() {
        return client.connect()
                .<DuplexConnection>map(connection -> new RdmaDuplexConnection(connection, alloc))
                .doOnDiscard(RdmaConnection.class, RdmaConnection::dispose);
    }
}
