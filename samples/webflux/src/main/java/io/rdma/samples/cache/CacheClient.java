package io.rdma.samples.cache;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.types.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

// Invariants
// - A client writes a slot only after a compare-and-swap has put the client's owner number into the slot's word. So the
// writers of a slot take turns.
// - A client that has locked a slot also frees it, even if its caller has cancelled. If the client's process is gone,
// so is its connection, and the memory process frees the slot.

/**
 * The operations on the slots and counters of the memory process, in which that process's CPU takes no part. They share
 * one connection, which is made when it is first needed, and again after it was lost.
 */
@Component
final class CacheClient implements Cache {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The connection, the location of slots and counters, and our owner number. */
    private record Memory(RdmaConnection connection, RemoteMemory slots, RemoteMemory counters, int owner) {
        RemoteMemory slot(byte[] key) {
            long count = slots.length() / Slot.BYTES;
            return slots.slice(Slot.index(key, count) * Slot.BYTES, Slot.BYTES);
        }
    }

    private final Mono<Memory> memory;
    private final CacheStatistics statistics;

    CacheClient(RdmaClient client, CacheStatistics statistics) {
        this.statistics = statistics;
        memory = client.sendBuffers(64, Slot.BYTES)
                .connect()
                .flatMap(CacheClient::greeted)
                .timeout(
                        PATIENCE,
                        Mono.error(() -> new IllegalStateException(
                                "nobody greets within " + PATIENCE + ": is it the memory that listens there?")))
                .cacheInvalidateWhen(there -> there.connection().onDispose());
    }

    private static Mono<Memory> greeted(RdmaConnection connection) {
        return connection
                .receive(message -> {
                    MemorySegment greeting = message.segment();
                    return new Memory(
                            connection,
                            RemoteMemory.decode(greeting),
                            RemoteMemory.decode(greeting.asSlice(RemoteMemory.ENCODED_BYTES)),
                            greeting.get(ValueLayout.JAVA_INT_UNALIGNED, 2L * RemoteMemory.ENCODED_BYTES));
                })
                .next()
                .switchIfEmpty(Mono.error(() -> new IllegalStateException("the memory process hung up")))
                .doOnError(error -> connection.dispose())
                .doOnCancel(connection::dispose);
    }

    /** Reads a value by one RDMA READ, and by another one for each concurrent write that is detected. */
    @Override
    public Mono<Slot.Content.Found> get(String key) {
        byte[] name = Slot.requireKey(Slot.bytes(key));
        return statistics.timed(
                RDMA,
                "get",
                withMemory(there -> read(there, name)
                        .retryWhen(Busy.retry())
                        .flatMap(content ->
                                content instanceof Slot.Content.Found found ? Mono.just(found) : Mono.empty())));
    }

    private Mono<Slot.Content> read(Memory there, byte[] key) {
        return withBuffer(
                        there,
                        buffer -> there.connection()
                                .read(there.slot(key), buffer.limit(Slot.BYTES))
                                .then(Mono.fromSupplier(() -> Slot.decode(buffer.segment(), key))))
                .flatMap(content -> {
                    if (content instanceof Slot.Content.Torn) {
                        statistics.tornRead();
                        return Mono.error(new Busy("a write came in between"));
                    }
                    return Mono.just(content);
                });
    }

    /**
     * Writes a value: a compare-and-swap locks the slot, an RDMA WRITE fills it, a compare-and-swap frees it. These
     * steps continue if the subscriber cancels.
     */
    @Override
    public Mono<Long> put(String key, byte[] value) {
        byte[] name = Slot.requireKey(Slot.bytes(key));
        Slot.requireRoom(name, value);
        return statistics.timed(
                RDMA,
                "put",
                withMemory(there -> Mono.defer(() -> lock(there, there.slot(name), new AtomicLong())
                        .retryWhen(Busy.retry())
                        .flatMap(word -> write(there, name, value, word))
                        .cache())));
    }

    /**
     * Locks a slot. Has no time-out: an operation in flight could lock the slot after the caller has stopped waiting.
     *
     * @return the slot's word when it was free
     */
    private Mono<Long> lock(Memory there, RemoteMemory slot, AtomicLong expected) {
        return Mono.defer(() -> {
            long guess = expected.get();
            return there.connection()
                    .compareAndSwap(word(slot), guess, guess | there.owner())
                    .flatMap(old -> {
                        if (old == guess) {
                            return Mono.just(old);
                        }
                        if (Slot.isFree(old)) {
                            expected.set(old);
                            return lock(there, slot, expected);
                        }
                        statistics.lockWait();
                        return Mono.error(new Busy("somebody writes"));
                    });
        });
    }

    private static RemoteMemory word(RemoteMemory slot) {
        return slot.slice(0, Long.BYTES);
    }

    private Mono<Long> write(Memory there, byte[] key, byte[] value, long word) {
        RemoteMemory slot = there.slot(key);
        long version = Slot.version(word) + 1;
        int body = Slot.BYTES - Slot.BODY;
        return withBuffer(there, buffer -> {
                    Slot.encode(buffer.segment(), version, key, value);
                    return there.connection()
                            .write(buffer.limit(body), slot.slice(Slot.BODY, body))
                            .thenReturn(version);
                })
                .flatMap(written ->
                        there.connection().compareAndSwap(word(slot), word | there.owner(), Slot.free(version)))
                .map(old -> version);
    }

    /** Adds to a counter by one fetch-and-add. */
    @Override
    public Mono<Long> add(int counter, long addend) {
        return statistics.timed(
                RDMA,
                "add",
                withMemory(there -> there.connection()
                        .fetchAndAdd(there.counters().slice(CacheMemory.counterOffset(counter), Long.BYTES), addend)
                        .map(old -> old + addend)));
    }

    private <T> Mono<T> withMemory(Function<Memory, Mono<T>> operation) {
        return memory.flatMap(operation);
    }

    private static <T> Mono<T> withBuffer(Memory there, Function<RegisteredBuffer, Mono<T>> use) {
        return Mono.usingWhen(there.connection().acquire(), use, buffer -> Mono.fromRunnable(buffer::close));
    }
}
