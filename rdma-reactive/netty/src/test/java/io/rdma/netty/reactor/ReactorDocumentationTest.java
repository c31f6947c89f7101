package io.rdma.netty.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;

/** Snippets of docs/guide/netty.md about Reactor Netty. */
class ReactorDocumentationTest {
    private static final Duration BOUND = Duration.ofSeconds(60);

    @Test
    void serverAndClientOfHttp() {
        RdmaLoopResources loops = RdmaLoopResources.create("http");

        DisposableServer server = HttpServer.create()
                .runOn(loops)
                .host("127.0.0.1")
                .port(0)
                .route(routes -> routes.get("/hello", (request, response) -> response.sendString(Mono.just("hello"))))
                .bindNow();

        Mono<String> hello = HttpClient.create()
                .runOn(loops)
                .get()
                .uri("http://127.0.0.1:" + server.port() + "/hello")
                .responseContent()
                .aggregate()
                .asString();

        assertThat(hello.block(BOUND)).isEqualTo("hello");
        server.disposeNow(BOUND);
        loops.disposeLater(Duration.ZERO, BOUND).block(BOUND);
    }
}
