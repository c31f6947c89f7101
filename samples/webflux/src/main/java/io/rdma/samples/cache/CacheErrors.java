package io.rdma.samples.cache;

import io.rdma.engine.ConnectionClosedException;
import io.rdma.structures.StructureException;
import io.rdma.types.RdmaException;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;

/** The answers to requests that are refused or fail: a status, and a text that says why. */
@RestControllerAdvice(assignableTypes = CacheController.class)
final class CacheErrors {
    /** Handles the refusals of the controller and of Spring. */
    @ExceptionHandler
    ResponseEntity<String> refused(ResponseStatusException e) {
        return text(e.getStatusCode(), String.valueOf(e.getReason()));
    }

    /** Handles what the memory process refuses over TCP. */
    @ExceptionHandler
    ResponseEntity<String> refused(IllegalArgumentException e) {
        return text(HttpStatus.BAD_REQUEST, e);
    }

    @ExceptionHandler
    ResponseEntity<String> tooLarge(DataBufferLimitException e) {
        return text(HttpStatus.CONTENT_TOO_LARGE, "the value has more than " + CacheMemory.LIMIT + " bytes");
    }

    /** Handles what table and counters refuse, or cannot do. */
    @ExceptionHandler
    ResponseEntity<String> structure(StructureException e) {
        HttpStatus status = switch (e.reason()) {
            case CONFLICT -> HttpStatus.PRECONDITION_FAILED;
            case FULL -> HttpStatus.INSUFFICIENT_STORAGE;
            case NO_ATOMICS -> HttpStatus.NOT_IMPLEMENTED;
            case BUSY, TOO_MANY_WRITERS -> HttpStatus.SERVICE_UNAVAILABLE;
            case OTHER_LAYOUT, SMALL_BUFFERS, CORRUPT -> HttpStatus.INTERNAL_SERVER_ERROR;
        };
        return text(status, e);
    }

    /** Handles a connection that was lost during the operation. */
    @ExceptionHandler
    ResponseEntity<String> lost(ConnectionClosedException e) {
        return text(
                HttpStatus.SERVICE_UNAVAILABLE,
                e.getMessage() + (e.mayHaveExecuted() ? ": a change may have happened" : ": nothing has happened"));
    }

    /** Handles a memory process that cannot be reached. */
    @ExceptionHandler({RdmaException.class, Unreachable.class})
    ResponseEntity<String> unavailable(RuntimeException e) {
        return text(HttpStatus.SERVICE_UNAVAILABLE, e);
    }

    private static ResponseEntity<String> text(HttpStatusCode status, Exception e) {
        return text(status, String.valueOf(e.getMessage()));
    }

    private static ResponseEntity<String> text(HttpStatusCode status, String text) {
        return ResponseEntity.status(status).contentType(MediaType.TEXT_PLAIN).body(text);
    }
}
