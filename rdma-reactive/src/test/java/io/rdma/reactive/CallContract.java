package io.rdma.reactive;

import static io.rdma.reactive.ContractPair.LARGE;
import static io.rdma.reactive.ContractPair.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.MessageDecodingException;
import io.rdma.call.RdmaCallException;
import io.rdma.call.RdmaCallException.Status;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.reactive.call.RdmaCallClient;
import io.rdma.reactive.call.RdmaCallServer;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Contract of calls, the same on every device. */
@Timeout(180)
abstract class CallContract {
    private static final MessageCodec<String> TEXT = MessageCodec.utf8();
    private static final MessageCodec<Integer> NUMBER = MessageCodec.of(
            (number, target) -> {
                target.set(ValueLayout.JAVA_INT, 0, number); // aligned, as the beginning of a message
                return Integer.BYTES;
            },
            message -> {
                if (message.length() != Integer.BYTES) {
                    throw new IllegalArgumentException("no number");
                }
                return message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
            });

    private static final MessageCodec<Integer> NESTED_TOO_DEEPLY = MessageCodec.of(NUMBER, message -> {
        throw new StackOverflowError("on purpose");
    });

    private final Semaphore entered = new Semaphore(0);
    private final Semaphore cancelled = new Semaphore(0);
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostRunning = new AtomicInteger();
    private final Sinks.Empty<Void> gate = Sinks.empty();
    private ContractPair pair;
    private RdmaCallServer server;
    private RdmaCallClient client;
    private CompletableFuture<Void> serving;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void connect() throws InterruptedException {
        pair = new ContractPair(device());
    }

    @AfterEach
    void nothingIsLeft() {
        if (pair != null) {
            pair.close();
        }
    }

    private void serve(int ofServer, int ofClient) {
        server = RdmaCallServer.builder()
                .maxInFlight(ofServer)
                .handle("double", NUMBER, NUMBER, number -> Mono.just(2 * number))
                .handle("nested", NESTED_TOO_DEEPLY, NUMBER, Mono::just)
                .handle("length", TEXT, NUMBER, text -> Mono.just(text.length()))
                .handle(
                        "repeat",
                        NUMBER,
                        TEXT,
                        number -> Mono.fromCallable(() -> "x".repeat(number)).subscribeOn(Schedulers.boundedElastic()))
                .handle("refuse", TEXT, NUMBER, text -> Mono.error(RdmaCallException.of("order.refused", "no " + text)))
                .handle("fail", TEXT, NUMBER, text -> {
                    throw new UnsupportedOperationException(text);
                })
                .handle("empty", TEXT, NUMBER, text -> Mono.empty())
                .handle("gated", NUMBER, NUMBER, number -> {
                    mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
                    entered.release();
                    return gate.asMono()
                            .doOnTerminate(running::decrementAndGet) // before the answer lets the next call out
                            .thenReturn(number);
                })
                .handle("endless", TEXT, NUMBER, text -> {
                    entered.release();
                    return Mono.<Integer>never().doOnCancel(cancelled::release);
                })
                .build();
        serving = server.serve(pair.peer).toFuture();
        client = RdmaCallClient.create(pair.client, ofClient);
    }

    private void serve() {
        serve(64, 64);
    }

    private Mono<Integer> number(String name, int request) {
        return client.call(name, request, NUMBER, NUMBER, PATIENCE);
    }

    private Mono<Integer> text(String name, String request) {
        return client.call(name, request, TEXT, NUMBER, PATIENCE);
    }

    private static void taken(Semaphore permits) throws InterruptedException {
        assertThat(permits.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    /** Checks the error of a call, and that other calls of the connection go on. */
    private RdmaCallException fails(Mono<?> call, Status status, String remedy, String type) {
        RdmaCallException error =
                (RdmaCallException) Objects.requireNonNull(catchThrowable(() -> call.block(PATIENCE)));
        assertThat(error.status()).isEqualTo(status);
        assertThat(error.type()).isEqualTo(type);
        assertThat(error).hasMessageContaining(remedy);
        assertThat(number("double", 21).block(PATIENCE)).isEqualTo(42);
        return error;
    }

    @Test
    void eachOfManyCallsAtATimeGetsItsOwnAnswer() {
        serve(8, 8);
        List<Integer> answers = Flux.range(1, 200)
                .flatMapSequential(number -> number("double", number), 200)
                .collectList()
                .block(PATIENCE);
        assertThat(answers)
                .isEqualTo(IntStream.rangeClosed(1, 200)
                        .mapToObj(number -> 2 * number)
                        .toList());
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(server.inFlight()).isZero());
    }

    @Test
    void largeRequestsAndAnswersArrive() {
        serve();
        assertThat(text("length", "y".repeat(90 * 1024)).block(PATIENCE)).isEqualTo(90 * 1024);
        assertThat(client.call("repeat", 90 * 1024, NUMBER, TEXT, PATIENCE).block(PATIENCE))
                .hasSize(90 * 1024);
    }

    @Test
    void aRequestThatIsTooLongFailsAlone() {
        serve(64, 1);
        assertThatThrownBy(() -> text("length", "y".repeat(LARGE)).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(number("double", 1).block(PATIENCE)).isEqualTo(2);
    }

    @Test
    void anAnswerThatIsTooLongIsAnErrorOfItsCall() {
        serve();
        fails(
                client.call("repeat", LARGE, NUMBER, TEXT, PATIENCE),
                Status.FAILED,
                "log of the server",
                "java.lang.IllegalArgumentException");
    }

    @Test
    void aCallToNobodyNamesTheRemedy() {
        serve();
        fails(
                number("nobody", 1),
                Status.UNKNOWN_CALL,
                "no handler of the name \"nobody\": add one by handle(\"nobody\"",
                "");
    }

    @Test
    void aRequestThatDoesNotDecodeNamesTheRemedy() {
        serve();
        fails(text("double", "two numbers"), Status.UNDECODABLE_REQUEST, "same type, format and version", "");
        fails(number("nested", 1), Status.UNDECODABLE_REQUEST, "same type, format and version", "");
    }

    @Test
    void anAnswerThatDoesNotDecodeNamesTheRemedy() {
        serve();
        RdmaCallException error =
                fails(number("repeat", 3), Status.UNDECODABLE_ANSWER, "same type, format and version", "");
        assertThat(error).hasCauseInstanceOf(MessageDecodingException.class);
        assertThat(fails(
                        client.call("double", 1, NUMBER, NESTED_TOO_DEEPLY, PATIENCE),
                        Status.UNDECODABLE_ANSWER,
                        "same type, format and version",
                        ""))
                .hasRootCauseInstanceOf(StackOverflowError.class);
    }

    @Test
    void anErrorOfTheApplicationHasItsTypeAndItsText() {
        serve();
        fails(text("refuse", "bread"), Status.APPLICATION, "no bread", "order.refused");
    }

    @Test
    void ofAnotherFailureTheCallerLearnsTheClassAndNotTheText() {
        serve();
        assertThat(fails(
                        text("fail", "secret"),
                        Status.FAILED,
                        "log of the server",
                        "java.lang.UnsupportedOperationException"))
                .hasMessageNotContaining("secret");
        fails(text("empty", ""), Status.FAILED, "log of the server", "java.lang.IllegalStateException");
    }

    @Test
    void aMessageThatIsNoRequestOfThisVersionIsAnswered() {
        serve();
        client.dispose();
        byte[] other = {9, 1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0};
        for (byte[] message : List.of(other, new byte[3])) {
            pair.client.send(message).block(PATIENCE);
            byte[] error =
                    Objects.requireNonNull(pair.client.receive().asByteArray().blockFirst(PATIENCE));
            assertThat(error).startsWith(1, 3); // version, error
            assertThat(new String(error, 16, error.length - 16, java.nio.charset.StandardCharsets.UTF_8))
                    .contains("use a version of the library");
        }
        client = RdmaCallClient.create(pair.client);
        assertThat(number("double", 2).block(PATIENCE)).isEqualTo(4);
    }

    @Test
    void anAnswerOfAnotherVersionFailsItsCall() {
        pair.peer
                .receive()
                .asByteArray()
                .concatMap(request -> {
                    request[0] = 9;
                    return pair.peer.send(request);
                })
                .subscribe();
        client = RdmaCallClient.create(pair.client);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> number("double", 2).block(PATIENCE))
                    .isInstanceOf(RdmaCallException.class)
                    .hasMessageContaining("version 9")
                    .hasMessageContaining("reads version 1");
        }
    }

    @Test
    void aDeadlineEndsTheCallAndTheHandler() {
        serve();
        fails(
                client.call("endless", "", TEXT, NUMBER, Duration.ofMillis(20)),
                Status.DEADLINE_EXCEEDED,
                "allow it more time",
                "");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(server.inFlight()).isZero());
        assertThatThrownBy(() -> client.call("endless", "", TEXT, NUMBER, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more than zero");
    }

    @Test
    void aDeadlineAndAPatienceMayBeForEver() {
        serve();
        Duration forEver = ChronoUnit.FOREVER.getDuration();
        assertThat(client.call("double", 21, NUMBER, NUMBER, forEver).block(PATIENCE))
                .isEqualTo(42);
        assertThat(server.stop(forEver).block(PATIENCE)).isTrue();
    }

    @Test
    void theServerItselfEndsAHandlerWhoseTimeIsOver() {
        serve();
        client.dispose();
        byte[] request = {1, 1, 0, 7, 0, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 'e', 'n', 'd', 'l', 'e', 's', 's', 0};
        pair.client.send(request).block(PATIENCE);
        byte[] error = pair.client.receive().asByteArray().blockFirst(PATIENCE);
        assertThat(error).startsWith(1, 3, 0, 0, 0, 0, 1, 2, 0, 0, 0, Status.DEADLINE_EXCEEDED.ordinal());
        assertThat(cancelled.tryAcquire()).isTrue();
    }

    @Test
    void aCancellationReachesTheHandlerAndFreesItsPlace() throws InterruptedException {
        serve(1, 1);
        var endless = text("endless", "").subscribe();
        taken(entered);
        assertThat(server.inFlight()).isOne();
        endless.dispose();
        taken(cancelled);
        assertThat(number("double", 4).block(PATIENCE)).isEqualTo(8);
    }

    @Test
    void aCallThatWaitsForRoomAndIsCancelledIsNeverSent() throws Exception {
        serve(64, 1);
        CompletableFuture<Integer> first = number("gated", 1).toFuture();
        taken(entered);
        number("gated", 2).subscribe().dispose();
        gate.tryEmitEmpty();
        assertThat(first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(number("double", 4).block(PATIENCE)).isEqualTo(8);
        assertThat(entered.tryAcquire()).isFalse();
    }

    @Test
    void noMoreCallsAreInFlightThanTheClientAllows() throws Exception {
        serve(3, 3);
        CompletableFuture<List<Integer>> calls = Flux.range(1, 20)
                .flatMapSequential(number -> number("gated", number), 20)
                .collectList()
                .toFuture();
        for (int i = 0; i < 3; i++) {
            taken(entered);
        }
        gate.tryEmitEmpty();
        assertThat(calls.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(20);
        assertThat(mostRunning).hasValue(3);
    }

    @Test
    void aServerRefusesMoreCallsThanItAllows() throws Exception {
        serve(1, 64);
        CompletableFuture<Integer> first = number("gated", 1).toFuture();
        taken(entered);
        RdmaCallException error = (RdmaCallException)
                Objects.requireNonNull(catchThrowable(() -> number("double", 1).block(PATIENCE)));
        assertThat(error.status()).isEqualTo(Status.BUSY);
        assertThat(error).hasMessageContaining("lower maxInFlight of the client");
        gate.tryEmitEmpty();
        assertThat(first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void aStopAnswersTheAcceptedCallsAndRefusesOthers() throws Exception {
        serve();
        CompletableFuture<Integer> first = number("gated", 1).toFuture();
        taken(entered);
        CompletableFuture<Boolean> stopping = server.stop(PATIENCE).toFuture();
        RdmaCallException error = (RdmaCallException)
                Objects.requireNonNull(catchThrowable(() -> number("double", 1).block(PATIENCE)));
        assertThat(error.status()).isEqualTo(Status.STOPPING);
        gate.tryEmitEmpty();
        assertThat(first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(stopping.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        serving.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aStopWithoutPatienceCancelsTheHandlers() throws Exception {
        serve();
        text("endless", "").subscribe(answer -> {}, error -> {});
        taken(entered);
        StepVerifier.create(server.stop(Duration.ofMillis(1)))
                .expectNext(false)
                .expectComplete()
                .verify(PATIENCE);
        taken(cancelled);
        serving.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void handlersForAClientThatHasGoneAreCancelled() throws Exception {
        serve();
        text("endless", "").subscribe(answer -> {}, error -> {});
        taken(entered);
        pair.client.dispose();
        taken(cancelled);
        serving.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aRequestThatIsReadWhileServingIsCancelledDoesNotRun() throws InterruptedException {
        Semaphore reading = new Semaphore(0);
        Semaphore goOn = new Semaphore(0);
        MessageCodec<String> held = MessageCodec.of(TEXT, message -> {
            reading.release();
            goOn.acquireUninterruptibly(); // the loop waits while the test cancels
            return "";
        });
        AtomicInteger left = new AtomicInteger();
        serving = RdmaCallServer.builder()
                .handle(
                        "held",
                        held,
                        NUMBER,
                        text -> Mono.<Integer>never()
                                .doOnSubscribe(subscription -> left.incrementAndGet())
                                .doFinally(signal -> left.decrementAndGet()))
                .build()
                .serve(pair.peer)
                .toFuture();
        client = RdmaCallClient.create(pair.client);
        text("held", "").subscribe(answer -> {}, error -> {});
        try {
            taken(reading);
            serving.cancel(true);
        } finally {
            goOn.release();
        }
        pair.client.send("next").block(PATIENCE);
        // The next receiver begins when the loop is done with the request.
        assertThat(pair.peer.receive().asString().next().block(PATIENCE)).isEqualTo("next");
        assertThat(left).hasValue(0);
    }

    @Test
    void theEndOfTheConnectionEndsTheCalls() throws Exception {
        serve();
        CompletableFuture<Integer> endless = text("endless", "").toFuture();
        taken(entered);
        pair.peer.dispose();
        assertThatThrownBy(() -> endless.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> number("double", 1).block(PATIENCE)).isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void aDisposedClientEndsItsCallsAndANewOneContinues() throws Exception {
        serve();
        CompletableFuture<Integer> endless = text("endless", "").toFuture();
        taken(entered);
        client.dispose();
        assertThatThrownBy(() -> endless.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("disposed");
        taken(cancelled);
        client = RdmaCallClient.create(pair.client);
        assertThat(number("double", 2).block(PATIENCE)).isEqualTo(4);
    }

    @Test
    void namesAndBoundsOutOfRangeAreRefused() {
        RdmaCallServer.Builder builder = RdmaCallServer.builder();
        for (String name : List.of("", "é".repeat(128))) {
            assertThatThrownBy(() -> builder.handle(name, TEXT, TEXT, Mono::just))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("use 1 to 255");
        }
        builder.handle("a", TEXT, TEXT, Mono::just);
        assertThatThrownBy(() -> builder.handle("a", TEXT, TEXT, Mono::just))
                .hasMessageContaining("choose another name");
        assertThatThrownBy(() -> builder.maxInFlight(0)).hasMessageContaining("use 1 or more");
        assertThatThrownBy(() -> RdmaCallClient.create(pair.client, 0)).hasMessageContaining("use 1 or more");
    }
}
