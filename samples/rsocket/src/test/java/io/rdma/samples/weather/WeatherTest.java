package io.rdma.samples.weather;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.rsocket.RdmaClientTransport;
import io.rdma.testing.JavaProcess;
import io.rsocket.exceptions.ApplicationErrorException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.http.codec.cbor.JacksonCborDecoder;
import org.springframework.http.codec.cbor.JacksonCborEncoder;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.messaging.rsocket.RSocketStrategies;
import org.springframework.messaging.rsocket.service.RSocketServiceProxyFactory;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** The service in a process of its own, asked over RDMA by Spring's requester. */
@Timeout(600)
class WeatherTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private static JavaProcess server;
    private static RSocketRequester weather;

    @BeforeAll
    static void start() throws Exception {
        server = new JavaProcess(Weather.class, "server", "--rdma.rsocket.port=0");
        int port = Integer.parseInt(server.await(Weather.READY));
        weather = RSocketRequester.builder()
                .rsocketStrategies(RSocketStrategies.builder()
                        .encoder(new JacksonCborEncoder())
                        .decoder(new JacksonCborDecoder())
                        .build())
                .transport(RdmaClientTransport.create(
                        RdmaClient.create().device("soft0").host("127.0.0.1").port(port)));
    }

    @AfterAll
    static void stop() throws Exception {
        try (JavaProcess ending = server) {
            if (weather != null) { // else it never listened
                weather.dispose();
                ending.terminate().ended(143); // by the signal, when the context was closed
                assertThat(ending.output()).doesNotContainIgnoringCase("leak");
            }
        }
    }

    private static Reading reading(String station, long number) {
        return new Reading(station, number, WeatherController.celsius(number));
    }

    @Test
    void whatIsReportedAndForgottenIsThereSoon() {
        weather.route("report").data(reading("rome", 7)).send().block(PATIENCE);
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(ApplicationErrorException.class) // not yet
                .untilAsserted(() -> assertThat(weather.route("latest.{station}", "rome")
                                .retrieveMono(Reading.class)
                                .block(PATIENCE))
                        .isEqualTo(reading("rome", 7)));
    }

    @Test
    void anErrorIsAnAnswerAndTheConnectionGoesOn() {
        assertThatThrownBy(() -> weather.route("latest.{station}", "atlantis")
                        .retrieveMono(Reading.class)
                        .block(PATIENCE))
                .isInstanceOf(ApplicationErrorException.class)
                .hasMessage("no reading of atlantis");
        assertThat(measured("atlantis")).isZero();
    }

    private static Long measured(String station) {
        return weather.route("measured.{station}", station)
                .retrieveMono(Long.class)
                .block(PATIENCE);
    }

    /** Demand crosses the wire: a stream without an end measures what was asked for, each time. */
    @Test
    void aStreamMeasuresWhatIsAskedForAndNotOneMore() {
        StepVerifier.create(weather.route("measure.{station}", "oslo").retrieveFlux(Reading.class), 5)
                .expectNextSequence(List.of(
                        reading("oslo", 0),
                        reading("oslo", 1),
                        reading("oslo", 2),
                        reading("oslo", 3),
                        reading("oslo", 4)))
                .then(() -> assertThat(measured("oslo")).isEqualTo(5))
                .thenRequest(1)
                .expectNext(reading("oslo", 5))
                .then(() -> assertThat(measured("oslo")).isEqualTo(6))
                .thenRequest(1_000)
                .expectNextCount(1_000)
                .then(() -> assertThat(measured("oslo")).isEqualTo(1_006))
                .thenCancel()
                .verify(PATIENCE);
        assertThat(measured("oslo")).isEqualTo(1_006);
    }

    @Test
    void aChannelAveragesWhatComesIn() {
        assertThat(weather.route("average")
                        .data(Flux.just(8.0, 10.0, 12.0, 14.0, 16.0).map(celsius -> new Reading("x", 0, celsius)))
                        .retrieveFlux(Double.class)
                        .collectList()
                        .block(PATIENCE))
                .containsExactly(8.0, 9.0, 10.0, 11.0, 13.0);
    }

    /** The other way round: a source without an end is asked for what the averages are needed for. */
    @Test
    void aChannelAsksForWhatItNeeds() {
        AtomicLong sent = new AtomicLong();
        StepVerifier.create(
                        weather.route("average")
                                .data(Flux.<Reading>generate(sink -> sink.next(reading("x", sent.getAndIncrement()))))
                                .retrieveFlux(Double.class),
                        10)
                .expectNextCount(10)
                .then(() -> assertThat(sent).hasValue(10))
                .thenCancel()
                .verify(PATIENCE);
    }

    /** The methods of an interface are the interactions: each kind of them, with an error and demand on the wire. */
    @Test
    void anInterfaceCallsTheController() {
        WeatherService service =
                RSocketServiceProxyFactory.builder(weather).build().createClient(WeatherService.class);
        service.report(reading("lima", 3)).block(PATIENCE);
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(ApplicationErrorException.class) // not yet
                .untilAsserted(
                        () -> assertThat(service.latest("lima").block(PATIENCE)).isEqualTo(reading("lima", 3)));
        assertThatThrownBy(() -> service.latest("ys").block(PATIENCE))
                .isInstanceOf(ApplicationErrorException.class)
                .hasMessage("no reading of ys");
        StepVerifier.create(service.measure("quito"), 2)
                .expectNext(reading("quito", 0), reading("quito", 1))
                .then(() ->
                        assertThat(service.measured("quito").block(PATIENCE)).isEqualTo(2))
                .thenCancel()
                .verify(PATIENCE);
        assertThat(service.average(Flux.just(reading("x", 0), reading("x", 0)))
                        .collectList()
                        .block(PATIENCE))
                .containsExactly(WeatherController.celsius(0), WeatherController.celsius(0));
    }

    @Test
    void whatKeepsTheServerFromStartingIsSaid() throws Exception {
        try (JavaProcess both = new JavaProcess(Weather.class, "--rdma.device=nope")) {
            assertThat(both.ended(1).output()).contains("nope", "the server has ended: see above");
        }
    }

    @Test
    void oneCommandHasEveryInteractionOnceAndEnds() throws Exception {
        try (JavaProcess both = new JavaProcess(Weather.class)) {
            assertThat(both.ended(0).output())
                    .contains("24 readings of oslo reported")
                    .contains("Reading[station=oslo, number=23, celsius=4.3]")
                    .contains("refused: no reading of atlantis")
                    .contains("asked for 5, got 5, the server measured 5")
                    .contains("24 readings out, 24 averages in: [4.0, 4.2, 4.5, 4.9] …")
                    .contains("the server ended with status 0")
                    .doesNotContainIgnoringCase("leak");
        }
    }
}
