package io.rdma.reactive.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.BoundWindow;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.reactive.MessageEncoder;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.internal.Unobserved;
import io.rdma.types.AccessFlag;
import io.rdma.types.PlacementType;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Connection whose operations are observed. All other calls go to the underlying connection. */
final class ObservedConnection implements RdmaConnection {
    private final RdmaConnection connection;
    private final ObservationRegistry registry;

    ObservedConnection(RdmaConnection connection, ObservationRegistry registry) {
        this.connection = connection;
        this.registry = registry;
    }

    /**
     * Observes an operation from the subscription to the end. The parent is the observation in the subscriber's
     * context, or else the current one.
     */
    private <T> Mono<T> observed(String operation, Mono<T> mono) {
        return Mono.deferContextual(context -> {
            if (Unobserved.isMarked(context)) {
                return mono;
            }
            Observation observation = Observation.createNotStarted(RdmaObservations.NAME, registry)
                    .contextualName("rdma " + operation)
                    .lowCardinalityKeyValue(RdmaObservations.OPERATION, operation);
            if (context.hasKey(RdmaObservations.CONTEXT_KEY)) {
                observation.parentObservation(context.get(RdmaObservations.CONTEXT_KEY));
            }
            observation.start();
            AtomicBoolean stopped = new AtomicBoolean(); // a cancel and the end may be concurrent
            Runnable stop = () -> {
                if (stopped.compareAndSet(false, true)) {
                    try {
                        observation.stop();
                    } catch (RuntimeException e) { // a faulty handler must not change the outcome
                        Operators.onErrorDropped(e, Context.of(context));
                    }
                }
            };
            // Stopped before the subscriber is signalled, because the subscriber may then stop the parent.
            return mono.doOnError(observation::error).doOnTerminate(stop).doOnCancel(stop);
        });
    }

    @Override
    public Mono<Void> send(int length, Consumer<MemorySegment> writer) {
        return observed("send", connection.send(length, writer));
    }

    @Override
    public Mono<Void> send(ByteBuffer message) {
        return observed("send", connection.send(message));
    }

    @Override
    public <T> Mono<Void> sendObject(T value, MessageEncoder<? super T> encoder) {
        return observed("send", connection.sendObject(value, encoder));
    }

    @Override
    public <T> Mono<Void> send(Publisher<? extends T> items, MessageEncoder<? super T> encoder) {
        return observed("send_stream", connection.send(items, encoder));
    }

    @Override
    public <T> Flux<T> receive(Function<? super ReceivedMessage, ? extends T> decoder) {
        return connection.receive(decoder);
    }

    @Override
    public Mono<RegisteredBuffer> acquire() {
        return connection.acquire();
    }

    @Override
    public Mono<Void> send(RegisteredBuffer message) {
        return observed("send", connection.send(message));
    }

    @Override
    public Mono<Void> send(List<RegisteredBuffer> message) {
        return observed("send", connection.send(message));
    }

    @Override
    public Mono<Void> write(List<RegisteredBuffer> source, RemoteMemory target) {
        return observed("write", connection.write(source, target));
    }

    @Override
    public Mono<Void> read(RemoteMemory source, List<RegisteredBuffer> target) {
        return observed("read", connection.read(source, target));
    }

    @Override
    public Mono<Void> sendWithImmediate(RegisteredBuffer message, int immediate) {
        return observed("send_with_immediate", connection.sendWithImmediate(message, immediate));
    }

    @Override
    public Mono<Void> sendWithInvalidate(RegisteredBuffer message, RemoteMemory window) {
        return observed("send_with_invalidate", connection.sendWithInvalidate(message, window));
    }

    @Override
    public Flux<ReceivedMessage> receiveOwned() {
        return connection.receiveOwned();
    }

    @Override
    public Mono<Void> write(RegisteredBuffer source, RemoteMemory target) {
        return observed("write", connection.write(source, target));
    }

    @Override
    public Mono<Void> writeWithImmediate(RegisteredBuffer source, RemoteMemory target, int immediate) {
        return observed("write_with_immediate", connection.writeWithImmediate(source, target, immediate));
    }

    @Override
    public Mono<Void> read(RemoteMemory source, RegisteredBuffer target) {
        return observed("read", connection.read(source, target));
    }

    @Override
    public Mono<Long> fetchAndAdd(RemoteMemory target, long addend) {
        return observed("fetch_and_add", connection.fetchAndAdd(target, addend));
    }

    @Override
    public Mono<Long> compareAndSwap(RemoteMemory target, long expected, long update) {
        return observed("compare_and_swap", connection.compareAndSwap(target, expected, update));
    }

    @Override
    public Mono<Void> atomicWrite(RemoteMemory target, long value) {
        return observed("atomic_write", connection.atomicWrite(target, value));
    }

    @Override
    public Mono<Void> flush(RemoteMemory memory, PlacementType type) {
        return observed("flush", connection.flush(memory, type));
    }

    @Override
    public Mono<Void> write(RegisteredBuffer source, RemoteMemory target, PlacementType type) {
        return observed("write_and_flush", connection.write(source, target, type));
    }

    @Override
    public Mono<MemoryRegion> allocate(long bytes, AccessFlag... access) {
        return connection.allocate(bytes, access);
    }

    @Override
    public Mono<MemoryRegion> grant(
            MemoryRegion memory, long offset, long length, Duration time, AccessFlag... access) {
        return connection.grant(memory, offset, length, time, access);
    }

    @Override
    public Mono<BoundWindow> bind(MemoryRegion memory, long offset, long length, AccessFlag... access) {
        return observed("bind", connection.bind(memory, offset, length, access));
    }

    @Override
    public Mono<RegisteredBuffer> register(MemorySegment memory) {
        return connection.register(memory);
    }

    @Override
    public int maxMessageSize() {
        return connection.maxMessageSize();
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
        return connection.endpoint();
    }

    @Override
    public void abort(Throwable cause) {
        connection.abort(cause);
    }

    @Override
    public void dispose() {
        connection.dispose();
    }

    @Override
    public boolean isDisposed() {
        return connection.isDisposed();
    }

    @Override
    public Mono<Void> onDispose() {
        return connection.onDispose();
    }

    @Override
    public String toString() {
        return connection.toString();
    }
}
