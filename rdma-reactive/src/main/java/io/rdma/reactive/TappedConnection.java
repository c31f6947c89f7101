package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.BoundWindow;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.types.AccessFlag;
import io.rdma.types.PlacementType;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Connection with a {@link Wiretap}. A message is logged when its bytes are in registered memory. */
final class TappedConnection extends DefaultRdmaConnection {
    private final Wiretap tap;

    TappedConnection(EstablishedConnection connection, Runnable release, String category) {
        super(connection, release);
        tap = Wiretap.begun(category, this, "CONNECTED", connection.endpoint());
    }

    /** Encoder whose messages are logged. */
    private record Tapped<T>(MessageEncoder<T> encoder, Wiretap tap) implements MessageEncoder<T> {
        @Override
        public int length(T item) {
            return encoder.length(item);
        }

        @Override
        public int encode(T item, MemorySegment target) {
            int length = encoder.encode(item, target);
            if (length >= 0 && length <= target.byteSize()) {
                tap.message("SEND", target.asSlice(0, length));
            }
            return length;
        }
    }

    @Override
    public Mono<Void> send(int length, Consumer<MemorySegment> writer) {
        return tap.failure("SEND", super.send(length, tap.written("SEND", writer)));
    }

    @Override
    public <T> Mono<Void> send(Publisher<? extends T> items, MessageEncoder<? super T> encoder) {
        return tap.failure("SEND", super.send(items, new Tapped<>(encoder, tap)));
    }

    @Override
    public <T> Mono<Void> sendObject(T value, MessageEncoder<? super T> encoder) {
        return tap.failure("SEND", super.sendObject(value, new Tapped<>(encoder, tap)));
    }

    @Override
    Mono<Void> sendLeased(RegisteredBuffer message) {
        return tap.operation("SEND", message, super.sendLeased(message));
    }

    @Override
    public Mono<Void> send(RegisteredBuffer message) {
        return tap.operation("SEND", message, super.send(message));
    }

    @Override
    public Mono<Void> send(List<RegisteredBuffer> message) {
        return tap.operation("SEND", message, super.send(message));
    }

    @Override
    public Mono<Void> write(List<RegisteredBuffer> source, RemoteMemory target) {
        return tap.operation("WRITE to " + target, source, super.write(source, target));
    }

    @Override
    public Mono<Void> read(RemoteMemory source, List<RegisteredBuffer> target) {
        return tap.operation("READ of " + source, super.read(source, target));
    }

    @Override
    public Mono<Void> sendWithImmediate(RegisteredBuffer message, int immediate) {
        return tap.operation("SEND_WITH_IMM " + immediate, message, super.sendWithImmediate(message, immediate));
    }

    @Override
    public Mono<Void> sendWithInvalidate(RegisteredBuffer message, RemoteMemory window) {
        return tap.operation("SEND_WITH_INV " + window, message, super.sendWithInvalidate(message, window));
    }

    @Override
    public <T> Flux<T> receive(Function<? super ReceivedMessage, ? extends T> decoder) {
        return super.receive(tap.received(decoder));
    }

    @Override
    public Flux<ReceivedMessage> receiveOwned() {
        return super.receiveOwned().doOnNext(tap::received);
    }

    @Override
    public Mono<Void> write(RegisteredBuffer source, RemoteMemory target) {
        return tap.operation("WRITE to " + target, source, super.write(source, target));
    }

    @Override
    public Mono<Void> writeWithImmediate(RegisteredBuffer source, RemoteMemory target, int immediate) {
        return tap.operation(
                "WRITE_WITH_IMM " + immediate + " to " + target,
                source,
                super.writeWithImmediate(source, target, immediate));
    }

    @Override
    public Mono<Void> read(RemoteMemory source, RegisteredBuffer target) {
        return tap.operation("READ of " + source, super.read(source, target));
    }

    @Override
    public Mono<Long> fetchAndAdd(RemoteMemory target, long addend) {
        return tap.operation("FETCH_AND_ADD of " + addend + " to " + target, super.fetchAndAdd(target, addend));
    }

    @Override
    public Mono<Long> compareAndSwap(RemoteMemory target, long expected, long update) {
        return tap.operation(
                "CMP_AND_SWP of " + expected + " by " + update + " at " + target,
                super.compareAndSwap(target, expected, update));
    }

    @Override
    public Mono<Void> atomicWrite(RemoteMemory target, long value) {
        return tap.operation("ATOMIC_WRITE of " + value + " to " + target, super.atomicWrite(target, value));
    }

    @Override
    public Mono<Void> flush(RemoteMemory memory, PlacementType type) {
        return tap.operation("FLUSH of " + memory + " for " + type, super.flush(memory, type));
    }

    @Override
    public Mono<BoundWindow> bind(MemoryRegion memory, long offset, long length, AccessFlag... access) {
        return tap.operation(
                "BIND_MW of " + length + " bytes from " + offset, super.bind(memory, offset, length, access));
    }
}
