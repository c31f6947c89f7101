package io.rdma.samples.pipeline;

import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The stages with Reactor. Demand is expressed by {@code request(n)} along the whole pipeline. */
final class ReactorStages implements Stages {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @Override
    public Message.End produce(Hop hop, InetSocketAddress next, Walk walk, StageReporter report) {
        RdmaConnection connection = connect(hop, next);
        try {
            report.connected(null, connection.endpoint());
            Flux<Message> messages = Flux.generate(sink -> {
                Message message = walk.next();
                report.count(message);
                sink.next(message);
                if (message instanceof Message.End) {
                    sink.complete();
                }
            });
            Message.End answer = Objects.requireNonNull(connection
                    .send(messages, Message::encode)
                    .then(answer(connection))
                    .block());
            walk.confirm(answer);
            return answer;
        } finally {
            connection.disposeNow(PATIENCE);
        }
    }

    @Override
    public Message.End transform(
            Hop hop, InetSocketAddress here, InetSocketAddress next, Deltas deltas, StageReporter report) {
        RdmaConnection downstream = connect(hop, next);
        try {
            return serveOne(hop, here, report, upstream -> {
                report.connected(upstream.endpoint(), downstream.endpoint());
                Flux<Message> messages =
                        messages(upstream).doOnNext(report::count).map(deltas::apply);
                return downstream
                        .send(messages, Message::encode)
                        .then(answer(downstream))
                        .flatMap(end -> reply(upstream, end));
            });
        } finally {
            downstream.disposeNow(PATIENCE);
        }
    }

    @Override
    public Message.End sink(Hop hop, InetSocketAddress here, Pace pace, Checker checker, StageReporter report) {
        return serveOne(hop, here, report, upstream -> {
            report.connected(upstream.endpoint(), null);
            return messages(upstream)
                    // No prefetch: a block that waits here would already have left its receive buffer.
                    .concatMap(message -> Mono.fromFuture(pace.turn(message)).thenReturn(message), 0)
                    .doOnNext(checker::take)
                    .doOnNext(report::count)
                    .last()
                    .flatMap(end -> reply(upstream, (Message.End) end));
        });
    }

    private static RdmaConnection connect(Hop hop, InetSocketAddress next) {
        return RdmaClient.create()
                .device(hop.device())
                .host(next.getHostString())
                .port(next.getPort())
                .sendBuffers(hop.buffers(), hop.bytes())
                .queuePair(queuePair -> queuePair.withMaxSendWr(hop.buffers()))
                .connectNow(PATIENCE);
    }

    /** Returns the messages up to the end of the stream, which must come. */
    private static Flux<Message> messages(RdmaConnection upstream) {
        return upstream.receive(message -> Message.decode(message.segment()))
                .concatWith(Mono.error(() -> new IllegalStateException(Message.WITHOUT_END)))
                .takeUntil(message -> message instanceof Message.End);
    }

    private static Mono<Message.End> answer(RdmaConnection downstream) {
        return messages(downstream).next().map(Message::answer);
    }

    private static Mono<Message.End> reply(RdmaConnection upstream, Message.End end) {
        return upstream.send(Message.HEADER_BYTES, end::encode).thenReturn(end);
    }

    /** Accepts one connection, and waits until its handler has ended. */
    private static Message.End serveOne(
            Hop hop, InetSocketAddress here, StageReporter report, Function<RdmaConnection, Mono<Message.End>> stage) {
        Sinks.One<Message.End> result = Sinks.one();
        DisposableServer server = RdmaServer.create()
                .device(hop.device())
                .host(here.getHostString())
                .port(here.getPort())
                .receiveBuffers(hop.buffers(), hop.bytes())
                .limits(limits -> limits.withConnections(1))
                .handle(upstream -> stage.apply(upstream)
                        .doOnNext(result::tryEmitValue)
                        .onErrorResume(error -> {
                            result.tryEmitError(error); // for the waiting caller; the server would only log it
                            return Mono.empty();
                        })
                        .then())
                .bindNow(PATIENCE);
        try {
            report.listening(server.port());
            return Objects.requireNonNull(result.asMono().block());
        } finally {
            server.disposeNow(PATIENCE);
        }
    }
}
