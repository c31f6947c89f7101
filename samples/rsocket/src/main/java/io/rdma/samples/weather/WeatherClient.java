package io.rdma.samples.weather;

import io.rdma.reactive.rsocket.RdmaClientTransport;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.messaging.rsocket.service.RSocketServiceProxyFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * A client: the interface of the service over the transport that {@code rdma.client.*} configures. It performs each
 * kind of interaction once, prints the results, and ends.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class WeatherClient {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int READINGS = 24;
    private static final int ASKED = 5;

    WeatherClient() {}

    static void run(String... args) {
        new SpringApplicationBuilder(WeatherClient.class)
                .properties("spring.config.name=weather-client")
                .run(args) // also runs the ApplicationRunner
                .close();
    }

    @Bean(destroyMethod = "dispose")
    RSocketRequester requester(RSocketRequester.Builder builder, RdmaClientTransport transport) {
        return builder.transport(transport);
    }

    @Bean
    WeatherService weather(RSocketRequester requester) {
        return RSocketServiceProxyFactory.builder(requester).build().createClient(WeatherService.class);
    }

    @Bean
    ApplicationRunner everyInteraction(WeatherService weather) {
        return arguments -> Flux.concat(report(weather), latest(weather), measure(weather), average(weather))
                .doOnNext(System.out::println)
                .blockLast(PATIENCE);
    }

    /** Returns the readings of one day. */
    private static Flux<Reading> readings(String station) {
        return Flux.range(0, READINGS).map(number -> new Reading(station, number, WeatherController.celsius(number)));
    }

    private static Mono<String> report(WeatherService weather) {
        return readings("oslo")
                .concatMap(weather::report)
                .then(Mono.just("fire-and-forget   " + READINGS + " readings of oslo reported"));
    }

    /**
     * Asks until the last reading is there, since after a fire-and-forget the client does not know when it has arrived.
     */
    private static Flux<String> latest(WeatherService weather) {
        Mono<Reading> last = weather.latest("oslo")
                .filter(reading -> reading.number() == READINGS - 1)
                .switchIfEmpty(Mono.error(() -> new IllegalStateException("not all readings have arrived")))
                .retryWhen(Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(5)).maxBackoff(Duration.ofSeconds(1)));
        Mono<Reading> nobody = weather.latest("atlantis");
        return Flux.concat(
                last.map(reading -> "request-response  " + reading),
                nobody.map(Reading::toString)
                        .onErrorResume(error -> Mono.just("request-response  refused: " + error.getMessage())));
    }

    /** Takes a few items of an endless stream. The server measures exactly as many as the client requests. */
    private static Mono<String> measure(WeatherService weather) {
        return weather.measure("bergen")
                .take(ASKED)
                .collectList()
                .flatMap(got -> weather.measured("bergen")
                        .map(measured -> "request-stream    asked for " + ASKED + ", got " + got.size()
                                + ", the server measured " + measured));
    }

    private static Mono<String> average(WeatherService weather) {
        return weather.average(readings("tromso"))
                .collectList()
                .map(averages -> "request-channel   " + READINGS + " readings out, " + averages.size()
                        + " averages in: " + first(averages) + " …");
    }

    private static List<String> first(List<Double> averages) {
        return averages.stream()
                .limit(4)
                .map(average -> String.format(Locale.ROOT, "%.1f", average))
                .toList();
    }
}
