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
 * An ordinary controller for RSocket: nothing in it knows of RDMA. One method for each kind of interaction, and one
 * that tells what a stream really produced.
 */
@Controller
final class WeatherController {
    /** Readings that an average is of. */
    static final int WINDOW = 4;

    /** Stations that are remembered: clients name them. */
    static final int STATIONS = 1_000;

    private static final int NAME_LENGTH = 100;

    private final Map<String, Reading> latest = new ConcurrentHashMap<>();
    private final Map<String, AtomicLong> measured = new ConcurrentHashMap<>();

    /** Fire and forget: nobody waits for an answer. */
    @MessageMapping("report")
    Mono<Void> report(Reading reading) {
        admit(latest, reading.station());
        latest.put(reading.station(), reading);
        return Mono.empty();
    }

    /** Request and response. The error is the client's answer, and the connection goes on. */
    @MessageMapping("latest.{station}")
    Mono<Reading> latest(@DestinationVariable String station) {
        return Mono.justOrEmpty(latest.get(station))
                .switchIfEmpty(Mono.error(() -> new IllegalArgumentException("no reading of " + station)));
    }

    /** Request and stream, without an end: a reading is measured when the client asks for one more, never before. */
    @MessageMapping("measure.{station}")
    Flux<Reading> measure(@DestinationVariable String station) {
        admit(measured, station);
        AtomicLong count = measured.computeIfAbsent(station, name -> new AtomicLong());
        return Flux.generate(sink -> {
            long number = count.getAndIncrement();
            sink.next(new Reading(station, number, celsius(number)));
        });
    }

    /** How many readings the streams of a station measured so far. */
    @MessageMapping("measured.{station}")
    Mono<Long> measured(@DestinationVariable String station) {
        AtomicLong count = measured.get(station);
        return Mono.just(count == null ? 0 : count.get());
    }

    /** Channel: readings come in, averages of the last few go out, each side as fast as the other takes them. */
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

    /** Before it is remembered. Between requests on several completion loops a few more may get in. */
    private static void admit(Map<String, ?> stations, String station) {
        if (station.length() > NAME_LENGTH) {
            throw new IllegalArgumentException("a station's name has up to " + NAME_LENGTH + " characters");
        }
        if (stations.size() >= STATIONS && !stations.containsKey(station)) {
            throw new IllegalArgumentException("there are " + STATIONS + " stations already, no more are taken");
        }
    }

    /**
     * An error that is meant for the client: what nothing handles is sent there too, but Spring logs it as the
     * server's.
     */
    @MessageExceptionHandler
    Mono<Void> unknown(IllegalArgumentException e) {
        return Mono.error(e);
    }

    /** A day's course in 24 readings. */
    static double celsius(long number) {
        return Math.round(10 * (12 - 8 * Math.cos(2 * Math.PI * number / 24))) / 10.0;
    }
}
