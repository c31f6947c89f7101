package io.rdma.samples.weather;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.messaging.handler.annotation.DestinationVariable;
import org.springframework.messaging.handler.annotation.MessageExceptionHandler;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.stereotype.Controller;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * An ordinary RSocket controller, in which nothing depends on RDMA. It has one method for each kind of interaction, and
 * one that returns how many items a stream has actually produced.
 */
@Controller
final class WeatherController {
    /** Number of readings in an average. */
    static final int WINDOW = 4;

    /** Limit of the stations that are kept, since clients choose their names. */
    static final int STATIONS = 1_000;

    private static final int NAME_LENGTH = 100;

    private final Map<String, Reading> latest = new ConcurrentHashMap<>();
    private final Map<String, AtomicLong> measured = new ConcurrentHashMap<>();

    /** Handles fire-and-forget: the client gets no answer. */
    @MessageMapping("report")
    Mono<Void> report(Reading reading) {
        admit(latest, reading.station());
        latest.put(reading.station(), reading);
        return Mono.empty();
    }

    /** Handles request-response. An error is sent to the client as the answer, and the connection stays usable. */
    @MessageMapping("latest.{station}")
    Mono<Reading> latest(@DestinationVariable String station) {
        return Mono.justOrEmpty(latest.get(station))
                .switchIfEmpty(Mono.error(() -> new IllegalArgumentException("no reading of " + station)));
    }

    /** Handles request-stream. The stream has no end. A reading is measured only when the client requests one more. */
    @MessageMapping("measure.{station}")
    Flux<Reading> measure(@DestinationVariable String station) {
        admit(measured, station);
        AtomicLong count = measured.computeIfAbsent(station, name -> new AtomicLong());
        return Flux.generate(sink -> {
            long number = count.getAndIncrement();
            sink.next(new Reading(station, number, celsius(number)));
        });
    }

    /** Returns how many readings the streams of a station have measured so far. */
    @MessageMapping("measured.{station}")
    Mono<Long> measured(@DestinationVariable String station) {
        AtomicLong count = measured.get(station);
        return Mono.just(count == null ? 0 : count.get());
    }

    /**
     * Handles request-channel: receives readings and sends averages of the last few, each at the rate of its consumer.
     */
    @MessageMapping("average")
    Flux<Double> average(Flux<Reading> readings) {
        return Flux.defer(() -> {
            Deque<Double> window = new ArrayDeque<>();
            return readings.map(reading -> {
                window.addLast(reading.celsius());
                if (window.size() > WINDOW) {
                    window.removeFirst();
                }
                return window.stream()
                        .mapToDouble(Double::doubleValue)
                        .average()
                        .orElseThrow();
            });
        });
    }

    /**
     * Checks a station before it is stored. Concurrent requests on several completion loops may exceed the
     * limit slightly.
     */
    private static void admit(Map<String, ?> stations, String station) {
        if (station.length() > NAME_LENGTH) {
            throw new IllegalArgumentException("a station's name has up to " + NAME_LENGTH + " characters");
        }
        if (stations.size() >= STATIONS && !stations.containsKey(station)) {
            throw new IllegalArgumentException("there are " + STATIONS + " stations already, no more are taken");
        }
    }

    /**
     * Sends an error that is meant for the client. An error without a handler is sent to the client too, but Spring
     * logs it as an error of the server.
     */
    @MessageExceptionHandler
    Mono<Void> unknown(IllegalArgumentException e) {
        return Mono.error(e);
    }

    /** Returns the temperature of a day that consists of 24 readings. */
    static double celsius(long number) {
        return Math.round(10 * (12 - 8 * Math.cos(2 * Math.PI * number / 24))) / 10.0;
    }
}
