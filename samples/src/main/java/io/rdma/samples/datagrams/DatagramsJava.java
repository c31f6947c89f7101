package io.rdma.samples.datagrams;

import io.rdma.buffer.ReceivedDatagram;
import io.rdma.reactive.RdmaDatagramSocket;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DatagramAddress;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The datagram service with Reactor. */
final class DatagramsJava {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration AGAIN = Duration.ofMillis(500);
    private static final int TRIES = 60;

    private DatagramsJava() {}

    static void server(String device, String host, int port) {
        RdmaDatagramSocket here =
                RdmaDatagramSocket.create().device(device).host(host).port(port).bindNow(PATIENCE);
        System.out.println("listening on port " + here.localAddress().getPort());
        here.receiveOwned()
                .concatMap(question -> answer(here, question))
                .onErrorComplete()
                .then(here.onDispose())
                .block();
    }

    private static Mono<Void> answer(RdmaDatagramSocket here, ReceivedDatagram question) {
        return here.send(question.length(), target -> target.copyFrom(question.segment()), question.source())
                .onErrorComplete(VerbsException.class) // a sender that cannot be reached gets no answer
                .doFinally(end -> question.close());
    }

    static int client(String device, String local, String host, int port, int count) {
        RdmaDatagramSocket here =
                RdmaDatagramSocket.create().device(device).host(local).bindNow(PATIENCE);
        try {
            Flux<String> answers = here.receive(message -> new String(message.toByteArray(), StandardCharsets.UTF_8))
                    .publish()
                    .autoConnect();
            return Objects.requireNonNull(here.resolve(host, port)
                    .flatMapMany(
                            service -> Flux.range(0, count).concatMap(i -> ask(here, service, "message " + i, answers)))
                    .count()
                    .map(Long::intValue)
                    .block(PATIENCE));
        } finally {
            here.disposeNow(PATIENCE);
        }
    }

    /** Asks, and repeats the question, since the question or the answer may be lost. */
    private static Mono<String> ask(
            RdmaDatagramSocket here, DatagramAddress service, String question, Flux<String> answers) {
        byte[] bytes = question.getBytes(StandardCharsets.UTF_8);
        Mono<String> asked = here.send(bytes.length, target -> target.copyFrom(MemorySegment.ofArray(bytes)), service)
                .then(Mono.empty());
        return answers.filter(question::equals)
                .mergeWith(asked)
                .next()
                .timeout(AGAIN)
                .retry(TRIES);
    }
}
