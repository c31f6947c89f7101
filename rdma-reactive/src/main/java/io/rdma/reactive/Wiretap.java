package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Log of one connection or socket. A failure of the logger does not reach the operation that is logged. */
final class Wiretap {
    private static final int MOST_BYTES = 256;
    private static final int BYTES_PER_LINE = 16;
    private static final HexFormat HEX = HexFormat.ofDelimiter(" ");

    private final Logger logger;
    private final Object subject;

    /**
     * Makes the log.
     *
     * @param category name of the logger
     * @param subject connection or socket that each record names
     */
    Wiretap(String category, Object subject) {
        this.logger = System.getLogger(category);
        this.subject = subject;
    }

    /** Logs an event. */
    void event(String event) {
        log(() -> event);
    }

    /**
     * Logs a message.
     *
     * @param event what happens to the message
     * @param bytes readable now
     */
    void message(String event, MemorySegment bytes) {
        log(() -> described(event, bytes));
    }

    /** Logs a message that has arrived. */
    void received(ReceivedMessage message) {
        message("RECEIVED", message.segment());
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
        return operation(() -> event, event, operation);
    }

    /**
     * Logs an operation when it is subscribed to, and its failure.
     *
     * @param event as logged
     * @param message readable at the subscription, up to its limit
     */
    <T> Mono<T> operation(String event, RegisteredBuffer message, Mono<T> operation) {
        return operation(() -> described(event, message.segment().asSlice(0, message.limit())), event, operation);
    }

    private <T> Mono<T> operation(Supplier<String> begun, String event, Mono<T> operation) {
        return failure(event, Mono.defer(() -> {
            log(begun);
            return operation;
        }));
    }

    /** Logs the failure of an operation. */
    <T> Mono<T> failure(String event, Mono<T> operation) {
        return operation.doOnError(error -> event(event + " failed: " + error));
    }

    private void log(Supplier<String> text) {
        try {
            if (logger.isLoggable(Level.DEBUG)) {
                logger.log(Level.DEBUG, subject + " " + text.get());
            }
        } catch (RuntimeException e) { // a closed buffer, of which the operation informs, or a faulty logger
            return;
        }
    }

    private static String described(String event, MemorySegment bytes) {
        return event + " " + bytes.byteSize() + " bytes" + dump(bytes);
    }

    private static String dump(MemorySegment bytes) {
        StringBuilder text = new StringBuilder();
        int shown = (int) Math.min(MOST_BYTES, bytes.byteSize());
        for (int at = 0; at < shown; at += BYTES_PER_LINE) {
            byte[] line =
                    bytes.asSlice(at, Math.min(BYTES_PER_LINE, shown - at)).toArray(ValueLayout.JAVA_BYTE);
            text.append(String.format("%n%04x  %-47s  ", at, HEX.formatHex(line)));
            for (byte b : line) {
                text.append(b >= ' ' && b <= '~' ? (char) b : '.');
            }
        }
        if (shown < bytes.byteSize()) {
            text.append(String.format("%n… %d more bytes", bytes.byteSize() - shown));
        }
        return text.toString();
    }
}
