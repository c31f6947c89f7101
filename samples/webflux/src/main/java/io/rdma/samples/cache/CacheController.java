package io.rdma.samples.cache;

import io.rdma.types.RdmaException;
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
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The HTTP interface of the cache. */
@RestController
final class CacheController {
    private final CacheClient cache;
    private final CacheStatistics statistics;

    CacheController(CacheClient cache, CacheStatistics statistics) {
        this.cache = cache;
        this.statistics = statistics;
    }

    /**
     * Returns a value, with the version of its slot as ETag. Returns 404 if the key was never put, or was displaced.
     */
    @GetMapping("/values/{key}")
    Mono<ResponseEntity<byte[]>> get(@PathVariable String key) {
        return cache.get(key)
                .map(found -> ResponseEntity.ok()
                        .eTag(Long.toString(found.version()))
                        .contentType(MediaType.APPLICATION_OCTET_STREAM)
                        .body(found.value()))
                .defaultIfEmpty(ResponseEntity.notFound().build());
    }

    /**
     * Stores the raw body, whatever its type. With {@code @RequestBody}, Spring would parse the body that
     * {@code curl -d} sends as a form, and refuse it.
     */
    @PutMapping("/values/{key}")
    Mono<ResponseEntity<Void>> put(@PathVariable String key, ServerHttpRequest request) {
        return DataBufferUtils.join(request.getBody(), Slot.CAPACITY)
                .map(joined -> {
                    byte[] value = new byte[joined.readableByteCount()];
                    joined.read(value);
                    DataBufferUtils.release(joined);
                    return value;
                })
                .defaultIfEmpty(new byte[0])
                .flatMap(value -> cache.put(key, value))
                .map(version ->
                        ResponseEntity.noContent().eTag(Long.toString(version)).build());
    }

    /** Adds to one of the counters, and returns its new value. */
    @PostMapping("/counters/{counter}")
    Mono<Long> add(@PathVariable int counter, @RequestParam(defaultValue = "1") long by) {
        return cache.add(counter, by);
    }

    @GetMapping(path = "/statistics", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<CacheStatistics.Snapshot> statistics() {
        return statistics.snapshots();
    }

    @ExceptionHandler({IllegalArgumentException.class, DataBufferLimitException.class})
    ResponseEntity<String> refused(Exception e) {
        HttpStatus status =
                e instanceof DataBufferLimitException ? HttpStatus.CONTENT_TOO_LARGE : HttpStatus.BAD_REQUEST;
        return ResponseEntity.status(status).contentType(MediaType.TEXT_PLAIN).body(e.getMessage());
    }

    /**
     * Handles a memory process that cannot be reached, a connection that was just lost, and a slot that stays locked.
     */
    @ExceptionHandler
    ResponseEntity<String> unavailable(RuntimeException e) {
        if (e instanceof RdmaException || e instanceof IllegalStateException || Exceptions.isRetryExhausted(e)) {
            return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                    .contentType(MediaType.TEXT_PLAIN)
                    .body(String.valueOf(e.getMessage()));
        }
        throw e;
    }
}
