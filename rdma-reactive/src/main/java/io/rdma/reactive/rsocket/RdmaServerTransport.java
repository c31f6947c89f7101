package io.rdma.reactive.rsocket;

import io.netty.buffer.ByteBufAllocator;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaServer;
import io.rsocket.transport.ServerTransport;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * Server transport of RSocket over RDMA. Immutable: each method that changes a setting returns a copy.
 * {@link RdmaClientTransport} describes the properties of both.
 *
 * <pre>{@code
 * RSocketServer.create(acceptor).bind(RdmaServerTransport.create(RdmaServer.create().port(7471)))
 * }</pre>
 */
public final class RdmaServerTransport implements ServerTransport<RdmaCloseableServer> {
    /** Largest frame length that RSocket can encode. */
    static final int MAX_FRAME_LENGTH = (1 << 24) - 1;

    private static final int MIN_FRAME_LENGTH = 64; // RSocket's smallest fragment

    private final RdmaServer server;
    private final int maxFrameLength;
    private final ByteBufAllocator alloc;

    private RdmaServerTransport(RdmaServer server, int maxFrameLength, ByteBufAllocator alloc) {
        this.server = Objects.requireNonNull(server, "server");
        this.maxFrameLength = checkedFrameLength(maxFrameLength);
        this.alloc = Objects.requireNonNull(alloc, "alloc");
    }

    static int checkedFrameLength(int bytes) {
        if (bytes < MIN_FRAME_LENGTH || bytes > MAX_FRAME_LENGTH) {
            throw new IllegalArgumentException(
                    "maxFrameLength must be from " + MIN_FRAME_LENGTH + " to " + MAX_FRAME_LENGTH + ": " + bytes);
        }
        return bytes;
    }

    /**
     * Returns a transport with frames of up to 16 MiB, and Netty's default allocator.
     *
     * @param server server with address and options; its handler is replaced
     * @return a transport
     */
    public static RdmaServerTransport create(RdmaServer server) {
        return new RdmaServerTransport(server, MAX_FRAME_LENGTH, ByteBufAllocator.DEFAULT);
    }

    /**
     * Sets the limit on the length of frames.
     *
     * @param bytes 64 to 16,777,215; at most the peer's {@code maxMessageSize}
     * @return a copy
     */
    public RdmaServerTransport maxFrameLength(int bytes) {
        return new RdmaServerTransport(server, bytes, alloc);
    }

    /**
     * Sets the allocator for frames that are sent and for copies.
     *
     * @param allocator any allocator
     * @return a copy
     */
    public RdmaServerTransport alloc(ByteBufAllocator allocator) {
        return new RdmaServerTransport(server, maxFrameLength, allocator);
    }

    @Override
    public int maxFrameLength() {
        return maxFrameLength;
    }

    /**
     * Binds and listens, once for each subscription.
     *
     * <p><b>Errors</b> as {@link RdmaServer#bind}.
     *
     * @param acceptor acceptor of RSocket
     * @return the listening server
     */
    @Override
    public Mono<RdmaCloseableServer> start(ConnectionAcceptor acceptor) {
        Objects.requireNonNull(acceptor, "acceptor");
        return server.handle(connection -> acceptor.apply(new RdmaDuplexConnection(connection, alloc))
                        .then(connection.onDispose()))
                .bind()
                .map(RdmaCloseableServer::new)
                .doOnDiscard(DisposableServer.class, DisposableServer::dispose);
    }
}
