package io.rdma.reactive.rsocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.rsocket.DuplexConnection;
import io.rsocket.RSocketErrorException;
import io.rsocket.frame.FrameHeaderCodec;
import io.rsocket.frame.FrameType;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Client connection that sends one keep-alive in fifty. RSocket's tests make one every 10 ms and send it before all
 * other frames. An emulated machine may need 10 ms for one and its answer, and would then send nothing else.
 */
final class SparseKeepAlives implements DuplexConnection {
    private static final int INTERVAL = 50;

    private final DuplexConnection connection;
    private final AtomicInteger made = new AtomicInteger();

    SparseKeepAlives(DuplexConnection connection) {
        this.connection = connection;
    }

    @Override
    public void sendFrame(int streamId, ByteBuf frame) {
        if (FrameHeaderCodec.frameType(frame) == FrameType.KEEPALIVE && made.getAndIncrement() % INTERVAL != 0) {
            frame.release();
        } else {
            connection.sendFrame(streamId, frame);
        }
    }

    @Override
    public void sendErrorAndClose(RSocketErrorException error) {
        connection.sendErrorAndClose(error);
    }

    @Override
    public Flux<ByteBuf> receive() {
        return connection.receive();
    }

    @Override
    public ByteBufAllocator alloc() {
        return connection.alloc();
    }

    @Override
    public SocketAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public Mono<Void> onClose() {
        return connection.onClose();
    }

    @Override
    public void dispose() {
        connection.dispose();
    }

    @Override
    public boolean isDisposed() {
        return connection.isDisposed();
    }
}
