package io.rdma.samples.bench.ycsb;

import io.netty.buffer.ByteBuf;
import io.rdma.samples.bench.transport.QuietSlf4j;
import io.rdma.structures.VersionedValue;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.util.ByteBufPayload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A client of a {@link MapHost}, with a TCP connection of its own. */
final class RSocketDb extends VersionedDb {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final int port;
    private @Nullable RSocket socket;

    RSocketDb(int port) {
        this.port = port;
    }

    @Override
    public void init() {
        QuietSlf4j.set();
        socket = RSocketConnector.create()
                .payloadDecoder(PayloadDecoder.ZERO_COPY)
                .connect(TcpClientTransport.create(Store.ADDRESS, port))
                .block(PATIENCE);
    }

    @Override
    public void cleanup() {
        RSocket open = socket;
        if (open != null) {
            open.dispose();
            open.onClose().block(PATIENCE);
        }
    }

    private VersionedValue ask(MapRequest request) {
        RSocket open = Objects.requireNonNull(socket, "init was not called");
        Payload answer = Objects.requireNonNull(
                open.requestResponse(ByteBufPayload.create(request.encode())).block(PATIENCE));
        try {
            ByteBuf data = answer.sliceData();
            return new VersionedValue(data.readLong(), MapRequest.read(data, data.readableBytes()));
        } finally {
            answer.release();
        }
    }

    private static MapRequest put(MapRequest.Kind kind, byte[] key, byte[] value, long expectedVersion) {
        return new MapRequest(kind, new String(key, StandardCharsets.UTF_8), expectedVersion, value);
    }

    @Override
    protected @Nullable VersionedValue get(byte[] key) {
        VersionedValue found = ask(MapRequest.of(MapRequest.Kind.GET, key));
        return found.version() == 0 ? null : found;
    }

    @Override
    protected void put(byte[] key, byte[] value) {
        ask(put(MapRequest.Kind.PUT, key, value, 0));
    }

    @Override
    protected boolean put(byte[] key, byte[] value, long expectedVersion) {
        return ask(put(MapRequest.Kind.PUT_IF, key, value, expectedVersion)).version() != 0;
    }

    @Override
    protected boolean remove(byte[] key) {
        return ask(MapRequest.of(MapRequest.Kind.REMOVE, key)).version() != 0;
    }
}
