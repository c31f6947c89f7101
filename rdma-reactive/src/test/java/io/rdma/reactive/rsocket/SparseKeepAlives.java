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
 * A client's connection that sends one keep-alive of fifty. RSocket's tests make one every 10 ms and send it before all
 * other frames: an emulated machine may need as long for it and its answer, and then sends nothing else.
 */
final class SparseKeepAlives implements DuplexConnection {
    private static final int OF = 50;

    private final DuplexConnection connection;
    private final AtomicInteger made = new AtomicInteger();

    SparseKeepAlives(DuplexConnection connection) {
        this.connection = connection;
    }

    @Override
    public void sendFrame(int streamId, ByteBuf frame) {
        if (FrameHeaderCodec.frameType(frame) == FrameType.KEEPALIVE && made.getAndIncrement() % OF != 0) {
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
