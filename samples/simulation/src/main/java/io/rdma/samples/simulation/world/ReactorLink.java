package io.rdma.samples.simulation.world;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.BoundWindow;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.reactive.MessageEncoder;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.structures.RdmaRing;
import io.rdma.structures.RingMemory;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Connection of the Reactor front-end. */
record ReactorLink(RdmaConnection connection, Host host, Verdict verdict) implements Link, AutoCloseable {
    /** Items that a publisher has ready for its own threads. */
    private static final int AHEAD = 4;

    private <T> Call<T> call(String name, Publisher<T> publisher) {
        return Recorder.one(verdict, host, name, publisher);
    }

    /** Subscribes to a callable. Reactor reports an {@code Error} of one by a second subscription, which is dropped. */
    private <T> Call<T> called(String name, Mono<T> callable) {
        return call(name, callable.map(Function.identity()));
    }

    @Override
    public Call<Void> send(String name, Message.Stream messages) {
        Flux<Integer> indexes = Flux.range(0, messages.count());
        if (!messages.stream()) {
            return call(
                    name,
                    indexes.concatMap(index ->
                                    connection.send(messages.bytes(index), memory -> messages.write(index, memory)))
                            .then());
        }
        Flux<Integer> items = messages.elsewhere() ? indexes.publishOn(Schedulers.parallel(), AHEAD) : indexes;
        return call(name, connection.send(new SerialRequests<>(items), new MessageEncoder<Integer>() {
            @Override
            public int encode(Integer index, MemorySegment target) {
                messages.write(index, target.asSlice(0, messages.bytes(index)));
                return messages.bytes(index);
            }

            @Override
            public int length(Integer index) {
                return messages.bytes(index);
            }
        }));
    }

    @Override
    public Call<Void> receive(String name, Reception how, Consumer<Message> each) {
        Flux<Message> messages = how.owned()
                ? connection.receiveOwned().map(owned -> takeOwned(owned, each))
                : connection.receive(lent -> take(lent, each));
        return Recorder.each(verdict, host, name, how.demand(), messages);
    }

    private static Message take(ReceivedMessage lent, Consumer<Message> each) {
        Message message = Message.read(lent);
        each.accept(message);
        return message;
    }

    /** Takes an owned message. Another thread closes it. */
    private Message takeOwned(ReceivedMessage owned, Consumer<Message> each) {
        try {
            return take(owned, each);
        } finally {
            host.run("release", owned::close);
        }
    }

    @Override
    public Call<RegisteredBuffer> acquire(String name) {
        return call(name, connection.acquire());
    }

    @Override
    public Call<Void> write(String name, RegisteredBuffer source, RemoteMemory target) {
        return call(name, connection.write(source, target));
    }

    @Override
    public Call<Void> read(String name, RemoteMemory source, RegisteredBuffer target) {
        return call(name, connection.read(source, target));
    }

    @Override
    public Call<Long> fetchAndAdd(String name, RemoteMemory target, long addend) {
        return call(name, connection.fetchAndAdd(target, addend));
    }

    @Override
    public Call<Long> compareAndSwap(String name, RemoteMemory target, long expected, long update) {
        return call(name, connection.compareAndSwap(target, expected, update));
    }

    @Override
    public Call<MemoryRegion> allocate(String name, long bytes, AccessFlag... access) {
        return called(name, connection.allocate(bytes, access));
    }

    @Override
    public Call<MemoryRegion> grant(
            String name, MemoryRegion memory, long offset, long length, Duration time, AccessFlag... access) {
        return called(name, connection.grant(memory, offset, length, time, access));
    }

    @Override
    public Call<BoundWindow> bind(String name, MemoryRegion memory, long offset, long length, AccessFlag... access) {
        return call(name, connection.bind(memory, offset, length, access));
    }

    @Override
    public StructureLink structures() {
        return new ReactorStructures(connection, host, verdict);
    }

    @Override
    public Call<Void> receive(String name, RingMemory ring, long most, Consumer<byte[]> each) {
        return Recorder.each(
                host,
                new Progress<>(verdict, host, name),
                RdmaRing.receive(ring).take(most),
                each);
    }

    @Override
    public RdmaEndpoint endpoint() {
        return connection.endpoint();
    }

    @Override
    public void close() {
        connection.dispose();
    }

    @Override
    public void abort(Throwable cause) {
        connection.abort(cause);
    }

    @Override
    public Call<Void> closed(String name) {
        return call(name, connection.onDispose());
    }
}
