package io.rdma.netty.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;

/** Requests and answers that are the same in each version of HTTP. */
final class HttpExchanges {
    private static final Duration BOUND = LoopsContract.BOUND;
    private static final List<Integer> SIZES = List.of(0, 1, 8191, 8192, 8193, 100_000, 1 << 20);

    private HttpExchanges() {}

    /** Returns bytes of which each depends on its place. */
    static byte[] pattern(int size) {
        byte[] bytes = new byte[size];
        for (int place = 0; place < size; place++) {
            bytes[place] = (byte) (place * 31 + (place >> 8));
        }
        return bytes;
    }

    /** Returns the server with answers to requests. */
    static HttpServer routed(HttpServer server) {
        return server.route(routes -> routes.get(
                        "/bytes/{size}",
                        (request, response) -> response.send(Mono.fromSupplier(
                                () -> Unpooled.wrappedBuffer(pattern(Integer.parseInt(request.param("size")))))))
                .get("/text/{text}", (request, response) -> response.sendString(Mono.just(request.param("text"))))
                .post(
                        "/echo",
                        (request, response) -> response.send(request.receive().retain())));
    }

    /** Gets a body. */
    static Mono<byte[]> get(HttpClient client, int size) {
        return client.get()
                .uri("/bytes/" + size)
                .responseSingle((response, body) -> body.asByteArray().defaultIfEmpty(new byte[0]));
    }

    private static Mono<byte[]> echo(HttpClient client, byte[] content) {
        return client.post()
                .uri("/echo")
                .send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(content)))
                .responseSingle((response, body) -> body.asByteArray().defaultIfEmpty(new byte[0]));
    }

    /** Gets and posts bodies of several sizes, one after the other. */
    static void bodiesOfAllSizes(HttpClient client) {
        for (int size : SIZES) {
            byte[] content = pattern(size);
            assertThat(get(client, size).block(BOUND)).isEqualTo(content);
            assertThat(echo(client, content).block(BOUND)).isEqualTo(content);
        }
    }

    /** Gets bodies of different sizes, many at the same time. */
    static void concurrent(HttpClient client, int requests) {
        List<Integer> wrong = Flux.range(0, requests)
                .flatMap(number -> get(client, number * 100).map(body -> body.length - number * 100), 64)
                .filter(difference -> difference != 0)
                .collectList()
                .block(BOUND);
        assertThat(wrong).isEmpty();
    }
}
