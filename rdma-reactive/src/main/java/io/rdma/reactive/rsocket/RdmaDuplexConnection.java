package io.rdma.reactive.rsocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.engine.UnreliableConnectionException;
import io.rdma.internal.engine.Endpoint;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.internal.Unobserved;
import io.rsocket.RSocketErrorException;
import io.rsocket.frame.ErrorFrameCodec;
import io.rsocket.internal.BaseDuplexConnection;
import java.lang.System.Logger;
import java.net.SocketAddress;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

// Invariants
// - A frame that was handed over is released exactly once: by the encoder, by the discard hook, or by the queue of
// RSocket's `sender` when that is disposed.
// - The connection ends when the sender does, and the sender ends when the connection does.

/** RSocket connection over one {@link RdmaConnection}. Each frame is one message, so frames carry no length prefix. */
final class RdmaDuplexConnection extends BaseDuplexConnection {
    private static final Logger LOG = System.getLogger(RdmaDuplexConnection.class.getName());

    private final RdmaConnection connection;
    private final ByteBufAllocator alloc;

    /**
     * Makes the connection of RSocket.
     *
     * @param connection connection or a view of it. Frames are not observed: an observation would see one endless
     *     stream of them, and RSocket observes its interactions by itself. Disposed if this throws
     * @throws UnreliableConnectionException if the connection is unreliable
     */
    RdmaDuplexConnection(RdmaConnection connection, ByteBufAllocator alloc) {
        this.connection = connection;
        this.alloc = alloc;
        Endpoint endpoint = Endpoint.of(connection.endpoint());
        try {
            endpoint.options().abilities().requireReliable("interactions of RSocket");
        } catch (UnreliableConnectionException e) {
            connection.dispose();
            throw e;
        }
        Disposable sending = connection
                .send(sender, Frames.ENCODER)
                .doOnDiscard(ByteBuf.class, ReferenceCountUtil::safeRelease)
                .doFinally(how -> connection.dispose())
                .contextWrite(Unobserved::mark)
                .subscribe(nothing -> {}, error -> {
                    LOG.log(Logger.Level.DEBUG, () -> "sending frames over " + connection + " ended", error);
                });
        endpoint.ending().thenRun(sending::dispose);
    }

    @Override
    public ByteBufAllocator alloc() {
        return alloc;
    }

    @Override
    public SocketAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public Flux<ByteBuf> receive() {
        return connection
                .receiveOwned()
                .transform(Operators.<ReceivedMessage, ByteBuf>lift((scannable, actual) ->
                        new Frames(Endpoint.of(connection.endpoint()).receives(), alloc, actual)));
    }

    /**
     * Sends the error after all frames, and ends the connection. Does not use {@code tryEmitFinal}: RSocket's queue
     * loses its final frame, and its end, if the frame before it used up the demand.
     */
    @Override
    @SuppressWarnings("deprecation") // onComplete: its replacement is the method that loses frames
    public void sendErrorAndClose(RSocketErrorException error) {
        sender.tryEmitNormal(ErrorFrameCodec.encode(alloc, 0, error));
        sender.onComplete();
    }

    @Override
    public Mono<Void> onClose() {
        return Mono.whenDelayError(super.onClose(), connection.onDispose());
    }

    @Override
    protected void doOnClose() {
        connection.dispose();
    }

    @Override
    public String toString() {
        return "RdmaDuplexConnection[" + connection + "]";
    }
}
