package io.rdma.samples.cache;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.verbs.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

// Invariants
// - A slot is written only by who made its word name it, by compare-and-swap; so writers of a slot take turns.
// - Who has a slot goes on to free it, whatever becomes of who asked. If it is gone, its connection is gone, and the
// memory process frees the slot.

/**
 * The memory process's slots and counters as operations, none of which its CPU takes part in. One connection for all,
 * made when it is needed and again when it was lost.
 */
@Component
final class CacheClient {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Where everything is, and who we are there. */
    private record Memory(RdmaConnection connection, RemoteMemory slots, RemoteMemory counters, int owner) {
        RemoteMemory slot(byte[] key) {
            long count = slots.length() / Slot.BYTES;
            return slots.slice(Slot.index(key, count) * Slot.BYTES, Slot.BYTES);
        }
    }

    /** To be tried again in a moment. */
    private static final class Busy extends RuntimeException {
        private static final long serialVersionUID = 1;

        Busy(String what) {
            super(what, null, false, false);
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

    /** Reads a value: one RDMA READ, and another one for each time that a write came in between. */
    Mono<Slot.Content.Found> get(String key) {
        byte[] name = Slot.bytes(key);
        return statistics.timed(
                "get",
                withMemory(there -> read(there, name)
                        .retryWhen(again())
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
     * Writes a value: a compare-and-swap to get the slot, an RDMA WRITE, a compare-and-swap to free it. Goes on if who
     * asked goes away.
     *
     * @return its version
     */
    Mono<Long> put(String key, byte[] value) {
        byte[] name = Slot.bytes(key);
        if (name.length + value.length > Slot.CAPACITY) {
            return Mono.error(
                    new IllegalArgumentException("key and value have at most " + Slot.CAPACITY + " bytes together"));
        }
        return statistics.timed(
                "put",
                withMemory(there -> Mono.defer(() -> lock(there, there.slot(name), new AtomicLong())
                        .retryWhen(again())
                        .flatMap(word -> write(there, name, value, word))
                        .cache())));
    }

    /**
     * Takes a slot. Never timed: an operation that is under way may take it after nobody waits any more.
     *
     * @return its word when it was free
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

    /**
     * Adds to a counter.
     *
     * @return its value afterwards
     */
    Mono<Long> add(int counter, long addend) {
        if (counter < 0 || counter >= CacheMemory.COUNTERS) {
            return Mono.error(new IllegalArgumentException("counters are 0 to " + (CacheMemory.COUNTERS - 1)));
        }
        return statistics.timed(
                "add",
                withMemory(there -> there.connection()
                        .fetchAndAdd(there.counters().slice((long) counter * Long.BYTES, Long.BYTES), addend)
                        .map(old -> old + addend)));
    }

    private <T> Mono<T> withMemory(Function<Memory, Mono<T>> operation) {
        return memory.flatMap(operation);
    }

    private static <T> Mono<T> withBuffer(Memory there, Function<RegisteredBuffer, Mono<T>> use) {
        return Mono.usingWhen(there.connection().acquire(), use, buffer -> Mono.fromRunnable(buffer::close));
    }

    private static Retry again() {
        return Retry.backoff(10_000, Duration.ofNanos(200_000)) // about half a minute
                .maxBackoff(Duration.ofMillis(5))
                .filter(Busy.class::isInstance)
                .scheduler(Schedulers.parallel());
    }
}
