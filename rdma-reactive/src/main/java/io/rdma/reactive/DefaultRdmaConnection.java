package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.BoundWindow;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.MessageStream;
import io.rdma.internal.engine.PlacementRequest;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.types.AccessFlag;
import io.rdma.types.PlacementType;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** {@link RdmaConnection} over an {@link Endpoint}, which holds all state. {@link TappedConnection} extends it. */
class DefaultRdmaConnection implements RdmaConnection {
    private final EstablishedConnection connection;
    private final Endpoint endpoint;
    private final Inbound inbound;
    private final CompletableFuture<Void> released;

    /**
     * Makes a connection.
     *
     * @param release action to run, off the loop, when the endpoint is closed
     */
    DefaultRdmaConnection(EstablishedConnection connection, Runnable release) {
        this.connection = connection;
        this.endpoint = connection.endpoint();
        this.inbound = new Inbound(endpoint);
        this.released = endpoint.closed().thenRunAsync(release, Thread::startVirtualThread);
    }

    @Override
    public Mono<Void> send(int length, Consumer<MemorySegment> writer) {
        if (length < 0 || length > maxMessageSize()) {
            return Mono.error(endpoint.options().tooLong(length));
        }
        if (length > endpoint.sendBuffers().bufferSize()) {
            // Registering memory is slow.
            return large(length, writer).subscribeOn(Schedulers.boundedElastic());
        }
        return ScopedSendMono.of(endpoint, endpoint.sendBuffers(), buffer -> {
            writer.accept(buffer.segment().asSlice(0, length));
            return WorkRequest.send(buffer.limit(length), true);
        });
    }

    /** Sends a message that does not fit into a buffer of the pool. */
    private Mono<Void> large(int length, Consumer<MemorySegment> writer) {
        return Mono.defer(() ->
                OperationMono.of(endpoint, largeRequest(length, buffer -> writer.accept(buffer.segment()))));
    }

    /** Returns the request of a message with a buffer of its own, which the operation closes however it ends. */
    private WorkRequest largeRequest(int length, Consumer<RegisteredBuffer> writer) {
        return NeedsOwnMemory.request(endpoint, length, buffer -> {
            writer.accept(buffer);
            return WorkRequest.send(buffer, true);
        });
    }

    @Override
    public <T> Mono<Void> sendObject(T value, MessageEncoder<? super T> encoder) {
        return ScopedSendMono.of(endpoint, endpoint.sendBuffers(), buffer -> encoded(value, encoder, buffer));
    }

    private <T> WorkRequest encoded(T value, MessageEncoder<? super T> encoder, RegisteredBuffer pooled) {
        int length = encoder.length(value);
        if (length <= pooled.capacity()) {
            length = MessageStream.fit(encoder.encode(value, pooled.segment()), pooled);
            if (length == 0) {
                return WorkRequest.send(pooled, true);
            }
        }
        if (length > maxMessageSize()) {
            throw endpoint.options().tooLong(length);
        }
        int needed = length;
        throw new NeedsOwnMemory(() -> largeRequest(
                needed, buffer -> MessageStream.requireFilled(encoder.encode(value, buffer.segment()), buffer)));
    }

    @Override
    public Mono<Void> send(ByteBuffer message) {
        MemorySegment content = MemorySegment.ofBuffer(message); // keeps today's position and limit
        Mono<Void> copied = send(message.remaining(), target -> target.copyFrom(content));
        if (!message.isDirect()) {
            return copied;
        }
        return Mono.defer(() -> {
            RegisteredBuffer registered = endpoint.memory().leaseRegistered(content);
            return registered == null ? copied : sendLeased(registered);
        });
    }

    /** Sends a buffer that the operation closes. */
    Mono<Void> sendLeased(RegisteredBuffer message) {
        return OperationMono.of(endpoint, WorkRequest.send(message, true));
    }

    @Override
    public <T> Mono<Void> send(Publisher<? extends T> items, MessageEncoder<? super T> encoder) {
        return SendStreamMono.of(endpoint, items, encoder);
    }

    @Override
    public <T> Flux<T> receive(Function<? super ReceivedMessage, ? extends T> decoder) {
        return ReceiveFlux.decoded(inbound, decoder);
    }

    @Override
    public Mono<RegisteredBuffer> acquire() {
        return AcquireMono.of(endpoint.sendBuffers());
    }

    @Override
    public Mono<Void> send(RegisteredBuffer message) {
        return operation(() -> WorkRequest.send(message, false));
    }

    @Override
    public Mono<Void> send(List<RegisteredBuffer> message) {
        return several(WorkRequestOpcode.SEND, message, null);
    }

    @Override
    public Mono<Void> write(List<RegisteredBuffer> source, RemoteMemory target) {
        return several(WorkRequestOpcode.RDMA_WRITE, source, target);
    }

    @Override
    public Mono<Void> read(RemoteMemory source, List<RegisteredBuffer> target) {
        return several(WorkRequestOpcode.RDMA_READ, target, source);
    }

    private Mono<Void> several(
            WorkRequestOpcode opcode, List<RegisteredBuffer> buffers, @Nullable RemoteMemory remote) {
        return operation(() -> WorkRequest.several(opcode, buffers, remote, endpoint.options()));
    }

    @Override
    public Mono<Void> sendWithImmediate(RegisteredBuffer message, int immediate) {
        return operation(() -> WorkRequest.sendWithImmediate(message, immediate));
    }

    @Override
    public Mono<Void> sendWithInvalidate(RegisteredBuffer message, RemoteMemory window) {
        return operation(() -> WorkRequest.sendWithInvalidate(message, window));
    }

    @Override
    public Flux<ReceivedMessage> receiveOwned() {
        return ReceiveFlux.owned(inbound, Function.identity());
    }

    @Override
    public Mono<Void> write(RegisteredBuffer source, RemoteMemory target) {
        return operation(() -> WorkRequest.write(source, target));
    }

    @Override
    public Mono<Void> writeWithImmediate(RegisteredBuffer source, RemoteMemory target, int immediate) {
        return operation(() -> WorkRequest.writeWithImmediate(source, target, immediate));
    }

    @Override
    public Mono<Void> read(RemoteMemory source, RegisteredBuffer target) {
        return operation(() -> WorkRequest.read(source, target));
    }

    @Override
    public Mono<Long> fetchAndAdd(RemoteMemory target, long addend) {
        return operation(() -> WorkRequest.fetchAndAdd(target, addend));
    }

    @Override
    public Mono<Long> compareAndSwap(RemoteMemory target, long expected, long update) {
        return operation(() -> WorkRequest.compareAndSwap(target, expected, update));
    }

    @Override
    public Mono<Void> atomicWrite(RemoteMemory target, long value) {
        return operation(() -> PlacementRequest.atomicWrite(target, value));
    }

    @Override
    public Mono<Void> flush(RemoteMemory memory, PlacementType type) {
        return operation(() -> PlacementRequest.flush(memory, type, endpoint.flushMethod(type)));
    }

    /** Returns the Mono of an operation. An invalid request becomes an error signal, like every other failure. */
    private <T> Mono<T> operation(Supplier<WorkRequest> request) {
        return OperationMono.of(endpoint, request);
    }

    @Override
    public Mono<MemoryRegion> allocate(long bytes, AccessFlag... access) {
        Set<AccessFlag> rights = Set.copyOf(List.of(access));
        return Mono.fromCallable(() -> endpoint.memory().allocate(bytes, rights));
    }

    @Override
    public Mono<MemoryRegion> grant(
            MemoryRegion memory, long offset, long length, Duration time, AccessFlag... access) {
        Set<AccessFlag> rights = Set.copyOf(List.of(access));
        return Mono.fromCallable(() -> endpoint.memory().grant(memory, offset, length, time, rights));
    }

    @Override
    public Mono<BoundWindow> bind(MemoryRegion memory, long offset, long length, AccessFlag... access) {
        Set<AccessFlag> rights = Set.copyOf(List.of(access));
        return Mono.fromFuture(() -> endpoint.memory().bind(memory, offset, length, rights));
    }

    @Override
    public Mono<RegisteredBuffer> register(MemorySegment memory) {
        return Mono.fromCallable(() -> endpoint.memory().register(memory));
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
        if (endpoint.handsOver(this::dispose)) {
            return;
        }
        try {
            endpoint.close();
        } finally {
            inbound.dispose(null);
        }
    }

    @Override
    public void abort(Throwable cause) {
        if (endpoint.handsOver(() -> abort(cause))) {
            return;
        }
        try {
            endpoint.abort(cause);
        } finally {
            inbound.dispose(cause);
        }
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
        return "RdmaConnection[" + localAddress() + " -> " + remoteAddress() + "]";
    }
}
