package io.rdma.samples.cache;

import io.rdma.samples.latencies.Latencies;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The HTTP interface of the cache. {@link CacheErrors} has the answers to what is refused or fails. */
@RestController
final class CacheController {
    private static final String MISSING =
            "no value: the key was never put, or it was removed, or newer keys of its bucket displaced it";

    private final Map<String, Cache> caches;
    private final Latencies latencies;

    CacheController(Map<String, Cache> caches, Latencies latencies) {
        this.caches = caches;
        this.latencies = latencies;
    }

    /** Returns a value, with its version as ETag. */
    @GetMapping("/values/{key}")
    Mono<ResponseEntity<byte[]>> get(@PathVariable String key, @RequestParam(defaultValue = Cache.RDMA) String over) {
        byte[] name = checked(key, 0);
        return answer(
                "get",
                over,
                cache(over).get(name),
                HttpStatus.OK,
                (response, found) -> response.eTag(Long.toString(found.version()))
                        .contentType(MediaType.APPLICATION_OCTET_STREAM)
                        .body(found.value()));
    }

    /**
     * Stores the raw body, whatever its type. With {@code @RequestBody}, Spring would parse the body that
     * {@code curl -d} sends as a form, and refuse it.
     */
    @PutMapping("/values/{key}")
    Mono<ResponseEntity<Void>> put(
            @PathVariable String key,
            @RequestParam(defaultValue = Cache.RDMA) String over,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
            ServerHttpRequest request) {
        Cache cache = cache(over);
        long expected = version(ifMatch);
        Mono<byte[]> body = DataBufferUtils.join(request.getBody(), CacheMemory.LIMIT)
                .map(joined -> {
                    byte[] value = new byte[joined.readableByteCount()];
                    joined.read(value);
                    DataBufferUtils.release(joined);
                    return value;
                })
                .defaultIfEmpty(new byte[0]);
        return body.flatMap(value -> answer(
                "put",
                over,
                cache.put(checked(key, value.length), value, expected),
                HttpStatus.NO_CONTENT,
                (response, version) -> response.eTag(Long.toString(version)).build()));
    }

    /** Removes a value. */
    @DeleteMapping("/values/{key}")
    Mono<ResponseEntity<Void>> remove(
            @PathVariable String key,
            @RequestParam(defaultValue = Cache.RDMA) String over,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch) {
        Mono<Boolean> removed = cache(over).remove(checked(key, 0), version(ifMatch));
        return answer(
                "remove", over, removed.filter(was -> was), HttpStatus.NO_CONTENT, (response, was) -> response.build());
    }

    /** Refuses an empty key, which no path variable matches. */
    @RequestMapping({"/values", "/values/"})
    void noKey() {
        checked("", 0);
    }

    /** Adds to one of the counters, and returns its new value. */
    @PostMapping("/counters/{counter}")
    Mono<ResponseEntity<Long>> add(
            @PathVariable int counter,
            @RequestParam(defaultValue = "1") long by,
            @RequestParam(defaultValue = Cache.RDMA) String over) {
        if (counter < 0 || counter >= CacheMemory.COUNTERS) {
            throw refused("counters are 0 to " + (CacheMemory.COUNTERS - 1));
        }
        return answer("add", over, cache(over).add(counter, by), HttpStatus.OK, ResponseEntity.BodyBuilder::body);
    }

    @GetMapping(path = "/statistics", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<List<Latencies.Operation>> statistics() {
        return latencies.snapshots();
    }

    private Cache cache(String over) {
        Cache cache = caches.get(over);
        if (cache == null) {
            throw refused("over is " + Cache.RDMA + " or " + Cache.TCP);
        }
        return cache;
    }

    private static byte[] checked(String key, int valueLength) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0) {
            throw refused("the key is empty");
        }
        if (bytes.length + valueLength > CacheMemory.LIMIT) {
            throw refused("a key of " + bytes.length + " bytes and a value of " + valueLength
                    + " bytes: both together have at most " + CacheMemory.LIMIT);
        }
        return bytes;
    }

    /** Returns the version that a change expects. */
    private static long version(@Nullable String ifMatch) {
        if (ifMatch == null) {
            return Cache.ANY;
        }
        if (!ifMatch.matches("\"\\d{1,18}\"")) {
            throw refused("If-Match is an ETag of this service, such as \"1\", not " + ifMatch);
        }
        return Long.parseLong(ifMatch.substring(1, ifMatch.length() - 1));
    }

    private static ResponseStatusException refused(String why) {
        return new ResponseStatusException(HttpStatus.BAD_REQUEST, why);
    }

    /** Measures an operation inside the service, and answers with its result. */
    private <T, B> Mono<ResponseEntity<B>> answer(
            String operation,
            String over,
            Mono<T> asked,
            HttpStatus status,
            BiFunction<ResponseEntity.BodyBuilder, T, ResponseEntity<B>> response) {
        return asked.singleOptional().timed().map(done -> {
            latencies.record(operation, over, done.elapsed());
            T result = done.get().orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, MISSING));
            double millis = done.elapsed().toNanos() / 1e6;
            return response.apply(ResponseEntity.status(status).header("Server-Timing", "cache;dur=" + millis), result);
        });
    }
}
