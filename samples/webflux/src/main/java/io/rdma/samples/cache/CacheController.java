package io.rdma.samples.cache;

import io.rdma.verbs.RdmaException;
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

/** The cache over HTTP. */
@RestController
final class CacheController {
    private final CacheClient cache;
    private final CacheStatistics statistics;

    CacheController(CacheClient cache, CacheStatistics statistics) {
        this.cache = cache;
        this.statistics = statistics;
    }

    /** A value, with the version of its slot as ETag; 404 if it was never put or was displaced. */
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
     * The body as it is, whatever its type: with {@code @RequestBody} what {@code curl -d} sends would be a form, and
     * refused.
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

    /** Adds to one of the counters, and answers with what it is then. */
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

    /** The memory process cannot be reached, or the connection was lost just now, or a slot stays taken. */
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
