package io.rdma.samples.bench.ycsb;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.rdma.samples.bench.transport.QuietSlf4j;
import io.rdma.structures.VersionedValue;
import io.rsocket.Payload;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketServer;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.transport.netty.server.CloseableChannel;
import io.rsocket.transport.netty.server.TcpServerTransport;
import io.rsocket.util.ByteBufPayload;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

// Invariant: each put has a larger version than all puts before it, so a version that was removed never comes back.

/** The process that has the map behind RSocket. It executes the operations of its clients. */
final class MapHost implements Store.Host {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final byte[] NOTHING = {};

    private final ConcurrentMap<String, VersionedValue> map = new ConcurrentHashMap<>();
    private final AtomicLong versions = new AtomicLong();
    private final CloseableChannel server;

    MapHost() {
        QuietSlf4j.set();
        server = Objects.requireNonNull(RSocketServer.create(SocketAcceptor.forRequestResponse(this::answer))
                .payloadDecoder(PayloadDecoder.ZERO_COPY)
                .bind(TcpServerTransport.create(Store.ADDRESS, 0))
                .block(PATIENCE));
    }

    @Override
    public int port() {
        return server.address().getPort();
    }

    @Override
    public void close() {
        server.dispose();
        server.onClose().block(PATIENCE);
    }

    private Mono<Payload> answer(Payload payload) {
        VersionedValue answer;
        try {
            answer = execute(MapRequest.decode(payload.sliceData()));
        } finally {
            payload.release();
        }
        ByteBuf encoded = ByteBufAllocator.DEFAULT
                .buffer(Long.BYTES + answer.value().length)
                .writeLong(answer.version())
                .writeBytes(answer.value());
        return Mono.just(ByteBufPayload.create(encoded));
    }

    private VersionedValue execute(MapRequest request) {
        return switch (request.kind()) {
            case GET -> valueOf(map.get(request.key()));
            case PUT -> onlyVersion(map.compute(request.key(), (key, old) -> next(request)));
            case PUT_IF -> putIf(request);
            case REMOVE -> onlyVersion(map.remove(request.key()));
        };
    }

    private VersionedValue putIf(MapRequest request) {
        VersionedValue old = map.get(request.key());
        if (old == null || old.version() != request.expectedVersion()) {
            return onlyVersion(null);
        }
        VersionedValue next = next(request);
        return onlyVersion(map.replace(request.key(), old, next) ? next : null);
    }

    private VersionedValue next(MapRequest request) {
        return new VersionedValue(versions.incrementAndGet(), request.value());
    }

    private static VersionedValue valueOf(@Nullable VersionedValue value) {
        return value == null ? onlyVersion(null) : value;
    }

    private static VersionedValue onlyVersion(@Nullable VersionedValue value) {
        return new VersionedValue(value == null ? 0 : value.version(), NOTHING);
    }
}
