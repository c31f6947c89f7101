package io.rdma.samples.weather;

import org.springframework.messaging.handler.annotation.DestinationVariable;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.rsocket.service.RSocketExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The service as its clients see it. Spring makes the implementation, which calls the {@link WeatherController}. */
interface WeatherService {
    @RSocketExchange("report")
    Mono<Void> report(@Payload Reading reading);

    @RSocketExchange("latest.{station}")
    Mono<Reading> latest(@DestinationVariable String station);

    @RSocketExchange("measure.{station}")
    Flux<Reading> measure(@DestinationVariable String station);

    @RSocketExchange("measured.{station}")
    Mono<Long> measured(@DestinationVariable String station);

    @RSocketExchange("average")
    Flux<Double> average(@Payload Flux<Reading> readings);
}
