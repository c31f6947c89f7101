package io.rdma.spring.boot.http;

import java.util.concurrent.atomic.AtomicReference;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.http.server.HttpServerRequest;

/** Controller of an application that was written for TCP. */
@RestController
class Greetings {
    /** Length of the stream of numbers. */
    static final int NUMBERS = 20_000;

    private final Sinks.One<Void> asked = Sinks.one();
    private final Sinks.One<Greeting> held = Sinks.one();

    /** A body. */
    record Greeting(String text) {}

    /** Completes when a client has asked for {@code /held}. */
    Mono<Void> asked() {
        return asked.asMono();
    }

    /** Answers the client that has asked for {@code /held}. */
    void release(Greeting greeting) {
        held.tryEmitValue(greeting);
    }

    @GetMapping("/greetings/{name}")
    Mono<Greeting> greet(@PathVariable("name") String name) {
        return Mono.just(new Greeting("hello " + name));
    }

    @PostMapping("/greetings")
    Mono<Greeting> answer(@RequestBody Mono<Greeting> greeting) {
        return greeting.map(one -> new Greeting(one.text() + " to you too"));
    }

    @GetMapping(path = "/numbers", produces = MediaType.APPLICATION_NDJSON_VALUE)
    Flux<Greeting> numbers() {
        return Flux.range(0, NUMBERS).map(number -> new Greeting("number " + number));
    }

    @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<ServerSentEvent<String>> events() {
        return Flux.range(0, 3)
                .map(number -> ServerSentEvent.builder("event " + number)
                        .id(Integer.toString(number))
                        .build());
    }

    @GetMapping("/broken")
    Flux<Greeting> broken() {
        return Flux.error(new IllegalStateException("broken on purpose"));
    }

    @GetMapping("/held")
    Mono<Greeting> held() {
        asked.tryEmitEmpty();
        return held.asMono();
    }

    /** Answers with the name of the class of the channel on which the request came. */
    @GetMapping("/channel")
    String channel(ServerHttpRequest request) {
        HttpServerRequest ofNetty = ServerHttpRequestDecorator.getNativeRequest(request);
        AtomicReference<Class<?>> channel = new AtomicReference<>();
        ofNetty.withConnection(connection -> channel.set(connection.channel().getClass()));
        return channel.get().getSimpleName();
    }
}
