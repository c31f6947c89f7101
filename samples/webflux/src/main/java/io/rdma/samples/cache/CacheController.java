package io.rdma.samples.cache;

import io.rdma.types.RdmaException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Timed;

/** The HTTP interface of the cache. */
@RestController
final class CacheController {
    private static final String MISSING = "no value: the key was never put, or a key of the same slot displaced it";

    private final CacheClient rdma;
    private final TcpCacheClient tcp;
    private final CacheStatistics statistics;

    CacheController(CacheClient rdma, TcpCacheClient tcp, CacheStatistics statistics) {
        this.rdma = rdma;
        this.tcp = tcp;
        this.statistics = statistics;
    }

    /**
     * Returns a value, with the version of its slot as ETag. Returns 404 if the key was never put, or was displaced.
     */
    @GetMapping("/values/{key}")
    Mono<ResponseEntity<byte[]>> get(@PathVariable String key, @RequestParam(defaultValue = Cache.RDMA) String over) {
        return cache(over)
                .get(key)
                .timed()
                .map(found -> timed(HttpStatus.OK, found)
                        .eTag(Long.toString(found.get().version()))
                        .contentType(MediaType.APPLICATION_OCTET_STREAM)
                        .body(found.get().value()))
                .defaultIfEmpty(ResponseEntity.status(HttpStatus.NOT_FOUND)
                        .contentType(MediaType.TEXT_PLAIN)
                        .body(Slot.bytes(MISSING)));
    }

    /**
     * Stores the raw body, whatever its type. With {@code @RequestBody}, Spring would parse the body that
     * {@code curl -d} sends as a form, and refuse it.
     */
    @PutMapping("/values/{key}")
    Mono<ResponseEntity<Void>> put(
            @PathVariable String key, @RequestParam(defaultValue = Cache.RDMA) String over, ServerHttpRequest request) {
        return DataBufferUtils.join(request.getBody(), Slot.CAPACITY)
                .map(joined -> {
                    byte[] value = new byte[joined.readableByteCount()];
                    joined.read(value);
                    DataBufferUtils.release(joined);
                    return value;
                })
                .defaultIfEmpty(new byte[0])
                .flatMap(value -> cache(over).put(key, value).timed())
                .map(version -> timed(HttpStatus.NO_CONTENT, version)
                        .eTag(Long.toString(version.get()))
                        .build());
    }

    /** Refuses an empty key, which no path variable matches. */
    @RequestMapping({"/values", "/values/"})
    void noKey() {
        Slot.requireKey(new byte[0]);
    }

    /** Adds to one of the counters, and returns its new value. */
    @PostMapping("/counters/{counter}")
    Mono<ResponseEntity<Long>> add(
            @PathVariable int counter,
            @RequestParam(defaultValue = "1") long by,
            @RequestParam(defaultValue = Cache.RDMA) String over) {
        return cache(over)
                .add(counter, by)
                .timed()
                .map(value -> timed(HttpStatus.OK, value).body(value.get()));
    }

    @GetMapping(path = "/statistics", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<CacheStatistics.Snapshot> statistics() {
        return statistics.snapshots();
    }

    private Cache cache(String over) {
        return switch (over) {
            case Cache.RDMA -> rdma;
            case Cache.TCP -> tcp;
            default -> throw new IllegalArgumentException("over is " + Cache.RDMA + " or " + Cache.TCP);
        };
    }

    /** Begins a response that tells how long the operation took inside the service, in milliseconds. */
    private static ResponseEntity.BodyBuilder timed(HttpStatus status, Timed<?> answer) {
        double millis = answer.elapsed().toNanos() / 1e6;
        return ResponseEntity.status(status).header("Server-Timing", "cache;dur=" + millis);
    }

    @ExceptionHandler
    ResponseEntity<String> refused(IllegalArgumentException e) {
        return text(HttpStatus.BAD_REQUEST, e.getMessage());
    }

    @ExceptionHandler
    ResponseEntity<String> tooLarge(DataBufferLimitException e) {
        return text(HttpStatus.CONTENT_TOO_LARGE, "the value has more than " + Slot.CAPACITY + " bytes");
    }

    @ExceptionHandler
    ResponseEntity<String> unsupported(UnsupportedOperationException e) {
        return text(HttpStatus.NOT_IMPLEMENTED, e.getMessage());
    }

    /**
     * Handles a memory process that cannot be reached, a connection that was just lost, and a slot that stays locked.
     */
    @ExceptionHandler
    ResponseEntity<String> unavailable(RuntimeException e) {
        if (e instanceof RdmaException || e instanceof IllegalStateException || Exceptions.isRetryExhausted(e)) {
            return text(HttpStatus.SERVICE_UNAVAILABLE, e.getMessage());
        }
        throw e;
    }

    private static ResponseEntity<String> text(HttpStatus status, @Nullable String text) {
        return ResponseEntity.status(status).contentType(MediaType.TEXT_PLAIN).body(String.valueOf(text));
    }
}
