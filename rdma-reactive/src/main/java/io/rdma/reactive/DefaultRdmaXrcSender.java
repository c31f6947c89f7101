package io.rdma.reactive;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.internal.engine.XrcRequest;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** {@link RdmaXrcSender} over an {@link Endpoint}, which holds all state. */
final class DefaultRdmaXrcSender implements RdmaXrcSender {
    private final EstablishedConnection connection;
    private final Endpoint endpoint;
    private final @Nullable Wiretap tap;
    private final CompletableFuture<Void> released;

    /**
     * Makes a sender.
     *
     * @param wiretap name of the logger; null for none
     * @param release action to run, off the loop, when the endpoint is closed
     */
    DefaultRdmaXrcSender(EstablishedConnection connection, @Nullable String wiretap, Runnable release) {
        this.connection = connection;
        this.endpoint = connection.endpoint();
        this.tap = wiretap == null ? null : Wiretap.begun(wiretap, this, "CONNECTED", endpoint);
        this.released = endpoint.closed().thenRunAsync(release, Thread::startVirtualThread);
    }

    @Override
    public Mono<Void> send(int length, Consumer<MemorySegment> writer, int receiver) {
        if (length < 0 || length > maxMessageSize()) {
            return Mono.error(XrcRequest.tooLong(endpoint.options(), length));
        }
        if (tap != null) {
            String event = "SEND to receiver " + receiver;
            return tap.failure(event, scoped(length, tap.written(event, writer), receiver));
        }
        return scoped(length, writer, receiver);
    }

    private Mono<Void> scoped(int length, Consumer<MemorySegment> writer, int receiver) {
        return ScopedSendMono.of(endpoint, endpoint.sendBuffers(), pooled -> {
            if (length > pooled.capacity()) {
                throw new NeedsOwnMemory(
                        () -> NeedsOwnMemory.request(endpoint, length, own -> written(own, length, writer, receiver)));
            }
            return written(pooled, length, writer, receiver);
        });
    }

    private static WorkRequest written(
            RegisteredBuffer buffer, int length, Consumer<MemorySegment> writer, int receiver) {
        writer.accept(buffer.segment().asSlice(0, length));
        return XrcRequest.send(buffer.limit(length), receiver, true);
    }

    @Override
    public Mono<Void> send(RegisteredBuffer message, int receiver) {
        return operation("SEND to receiver " + receiver, message, () -> XrcRequest.send(message, receiver, false));
    }

    @Override
    public Mono<Void> sendWithImmediate(RegisteredBuffer message, int immediate, int receiver) {
        return operation(
                "SEND_WITH_IMM " + immediate + " to receiver " + receiver,
                message,
                () -> XrcRequest.sendWithImmediate(message, immediate, receiver));
    }

    private Mono<Void> operation(String event, RegisteredBuffer message, Supplier<WorkRequest> request) {
        Mono<Void> operation = OperationMono.of(endpoint, request);
        return tap == null ? operation : tap.operation(event, message, operation);
    }

    @Override
    public Mono<RegisteredBuffer> acquire() {
        return AcquireMono.of(endpoint.sendBuffers());
    }

    @Override
    public int maxMessageSize() {
        return endpoint.options().maxMessageSize();
    }

    @Override
    public InetSocketAddress localAddress() {
        return connection.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public RdmaEndpoint endpoint() {
        return endpoint;
    }

    @Override
    public void dispose() {
        endpoint.close();
    }

    @Override
    public boolean isDisposed() {
        return endpoint.isClosing();
    }

    @Override
    public Mono<Void> onDispose() {
        return Mono.fromFuture(() -> released, true);
    }

    @Override
    public String toString() {
        return "RdmaXrcSender[" + localAddress() + " to " + remoteAddress() + "]";
    }
}
