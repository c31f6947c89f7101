package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.engine.MessageSource;
import io.rdma.internal.engine.WireLog;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** Log of one connection or socket, as hooks of its publishers. */
final class Wiretap {
    private final WireLog log;

    /**
     * Makes the log.
     *
     * @param category name of the logger
     * @param subject connection or socket that each record names
     */
    Wiretap(String category, Object subject) {
        log = new WireLog(category, subject);
    }

    /** Makes the log of a connection or receiver, and logs its beginning and its end. */
    static Wiretap begun(String category, Object subject, String event, MessageSource source) {
        Wiretap tap = new Wiretap(category, subject);
        tap.event(event);
        source.closed().thenRun(() -> {
            Throwable failure = source.failure();
            tap.event(failure == null ? "CLOSED" : "CLOSED after " + failure);
        });
        return tap;
    }

    /** Logs an event. */
    void event(String event) {
        log.event(event);
    }

    /**
     * Logs a message.
     *
     * @param event what happens to the message
     * @param bytes readable now
     */
    void message(String event, MemorySegment bytes) {
        log.message(event, bytes);
    }

    /** Logs a message that has arrived. */
    void received(ReceivedMessage message) {
        log.received(message);
    }

    /** Returns a writer whose message is logged when it is written. */
    Consumer<MemorySegment> written(String event, Consumer<MemorySegment> writer) {
        return target -> {
            writer.accept(target);
            message(event, target);
        };
    }

    /** Returns a decoder whose messages are logged before they are decoded. */
    <M extends ReceivedMessage, T> Function<M, T> received(Function<? super M, ? extends T> decoder) {
        return message -> {
            received(message);
            return decoder.apply(message);
        };
    }

    /** Logs an operation without a message when it is subscribed to, and its failure. */
    <T> Mono<T> operation(String event, Mono<T> operation) {
        return operation(() -> log.event(event), event, operation);
    }

    /**
     * Logs an operation when it is subscribed to, and its failure.
     *
     * @param event as logged
     * @param message readable at the subscription, up to its limit
     */
    <T> Mono<T> operation(String event, RegisteredBuffer message, Mono<T> operation) {
        return operation(() -> log.message(event, message), event, operation);
    }

    /**
     * Logs an operation with several buffers when it is subscribed to, and its failure.
     *
     * @param event as logged
     * @param message readable at the subscription, each buffer up to its limit
     */
    <T> Mono<T> operation(String event, List<RegisteredBuffer> message, Mono<T> operation) {
        return operation(() -> log.message(event, message), event, operation);
    }

    private <T> Mono<T> operation(Runnable begun, String event, Mono<T> operation) {
        return failure(event, Mono.defer(() -> {
            begun.run();
            return operation;
        }));
    }

    /** Logs the failure of an operation. */
    <T> Mono<T> failure(String event, Mono<T> operation) {
        return operation.doOnError(error -> event(event + " failed: " + error));
    }
}
