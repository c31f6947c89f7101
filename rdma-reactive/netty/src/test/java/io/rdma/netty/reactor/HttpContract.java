package io.rdma.netty.reactor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.rdma.connect.ConnectionOptions;
import io.rdma.netty.RdmaChannelOption;
import io.rdma.netty.RdmaSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.tcp.TcpClient;

/** HTTP/1.1 of Reactor Netty, which knows nothing of RDMA, over a device. */
@Tag("lent")
abstract class HttpContract extends LoopsContract {
    private static final int CHUNK = 4096;

    private final Set<Channel> connections = ConcurrentHashMap.newKeySet();

    private DisposableServer served() {
        connections.clear();
        return bound(HttpExchanges.routed(server()).doOnConnection(one -> connections.add(one.channel())));
    }

    @Test
    void bodiesOfAllSizesTravelBothWays() {
        HttpExchanges.bodiesOfAllSizes(client(served().port(), 1));
    }

    @Test
    void connectionOfThePoolServesManyRequests() {
        HttpClient client = client(served().port(), 1);
        for (int request = 0; request < 20; request++) {
            assertThat(HttpExchanges.get(client, 10).block(BOUND)).hasSize(10);
        }
        assertThat(connections).hasSize(1);
    }

    @Test
    void manyRequestsShareFewConnections() {
        HttpExchanges.concurrent(client(served().port(), 8), 200);
        assertThat(connections).hasSizeBetween(1, 8);
    }

    @Test
    void responsesOfPipelinedRequestsHaveTheirOrder() {
        String request = "GET /text/%s HTTP/1.1\r\nhost: test\r\n\r\n";
        Connection raw = TcpClient.create()
                .runOn(loops())
                .host(HOST)
                .port(served().port())
                .connectNow(BOUND);
        atEnd(() -> raw.disposeNow(BOUND));
        String all = request.formatted("one") + request.formatted("two") + request.formatted("three");
        raw.outbound().sendString(Mono.just(all)).then().subscribe();
        String answers = raw.inbound()
                .receive()
                .asString()
                .scan(String::concat)
                .filter(text -> text.contains("three"))
                .blockFirst(BOUND);
        assertThat(answers).containsSubsequence("200 OK", "one", "200 OK", "two", "200 OK", "three");
    }

    @Test
    void streamWaitsForItsReader() {
        int chunks = 2048; // more than the buffers of both sides and of both channels
        AtomicInteger made = new AtomicInteger();
        AtomicReference<Channel> channel = new AtomicReference<>();
        ConnectionOptions small =
                ConnectionOptions.DEFAULT.withReceiveBuffers(8, CHUNK).withSendBuffers(8, CHUNK);
        DisposableServer server = bound(server().option(RdmaChannelOption.CONNECTION_OPTIONS, small)
                .doOnConnection(one -> channel.set(one.channel()))
                .handle((request, response) -> response.send(Flux.range(0, chunks)
                        .map(number -> Unpooled.buffer(CHUNK).writeInt(number).writerIndex(CHUNK))
                        .doOnNext(chunk -> made.incrementAndGet()))));
        Slow reader = new Slow();
        AtomicReference<Channel> reading = new AtomicReference<>();
        client(server.port(), 1)
                .option(RdmaChannelOption.CONNECTION_OPTIONS, small)
                .doOnConnected(one -> reading.set(one.channel()))
                .get()
                .responseContent()
                .subscribe(reader);
        reader.request(1);
        await("the server waits").until(() -> {
            int before = made.get();
            if (before > 0) {
                letWork(channel.get(), reading.get());
            }
            return before > 0 && made.get() == before && !channel.get().isWritable();
        });
        assertThat(made).hasValueLessThan(chunks);
        reader.request(Long.MAX_VALUE);
        assertThat(reader.ended.asMono().block(BOUND)).isEqualTo((long) chunks * CHUNK);
        assertThat(made).hasValue(chunks);
    }

    /** Returns when the event loops of both channels have run many times. */
    private static void letWork(Channel one, Channel other) {
        for (int round = 0; round < 100; round++) {
            one.eventLoop().submit(() -> {}).syncUninterruptibly();
            other.eventLoop().submit(() -> {}).syncUninterruptibly();
        }
    }

    /** Reader of a body that takes what it is told to take. */
    private static final class Slow extends BaseSubscriber<ByteBuf> {
        private final Sinks.One<Long> ended = Sinks.one();
        private long bytes;

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // the test requests
        }

        @Override
        protected void hookOnNext(ByteBuf piece) {
            bytes += piece.readableBytes();
        }

        @Override
        protected void hookOnComplete() {
            ended.tryEmitValue(bytes);
        }

        @Override
        protected void hookOnError(Throwable error) {
            ended.tryEmitError(error);
        }
    }

    @Test
    void eventsArriveOneByOne() throws InterruptedException {
        Sinks.Many<String> source = Sinks.many().unicast().onBackpressureBuffer();
        DisposableServer server = bound(server().handle((request, response) -> response.sse()
                .send(
                        source.asFlux().map(event -> Unpooled.copiedBuffer("data: " + event + "\n\n", UTF_8)),
                        event -> true)));
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        AtomicReference<String> type = new AtomicReference<>();
        Mono<Void> ended = client(server.port(), 1)
                .get()
                .response((response, body) -> {
                    type.set(response.responseHeaders().get(HttpHeaderNames.CONTENT_TYPE));
                    return body.asString().doOnNext(events::add);
                })
                .then()
                .cache();
        ended.subscribe();
        for (int number = 0; number < 5; number++) {
            source.tryEmitNext("event " + number).orThrow();
            assertThat(events.poll(BOUND.toSeconds(), TimeUnit.SECONDS)).isEqualTo("data: event " + number + "\n\n");
        }
        source.tryEmitComplete();
        ended.block(BOUND);
        assertThat(type).hasValueMatching(one -> one.startsWith("text/event-stream"));
    }

    @Test
    void fileIsSentAsARegion(@TempDir Path folder) throws Exception {
        byte[] content = HttpExchanges.pattern(1 << 20);
        Path file = Files.write(folder.resolve("file"), content);
        DisposableServer server = bound(server().handle((request, response) -> response.sendFile(file)));
        assertThat(client(server.port(), 1)
                        .get()
                        .responseContent()
                        .aggregate()
                        .asByteArray()
                        .block(BOUND))
                .isEqualTo(content);
    }

    @Test
    void channelsAreOverRdmaAndOptionsOfReactorNettyAreTaken() {
        AtomicReference<Channel> accepted = new AtomicReference<>();
        AtomicReference<Boolean> blocks = new AtomicReference<>();
        DisposableServer server = bound(server().doOnConnection(one -> {
                    accepted.set(one.channel());
                    blocks.set(!Schedulers.isInNonBlockingThread());
                })
                .handle((request, response) -> response.send()));
        AtomicReference<Channel> connected = new AtomicReference<>();
        client(server.port(), 1)
                .doOnConnected(one -> connected.set(one.channel()))
                .option(ChannelOption.SO_KEEPALIVE, true)
                .get()
                .response()
                .block(BOUND);
        assertThat(blocks).hasValue(false);
        for (Channel channel : List.of(accepted.get(), connected.get())) {
            assertThat(channel).isInstanceOf(RdmaSocketChannel.class);
            assertThat(channel.config().getOption(ChannelOption.TCP_NODELAY)).isTrue();
        }
    }

    @Test
    void clientOfAHandlerStaysOnItsEventLoop() {
        DisposableServer behind = served();
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        DisposableServer server = bound(server().handle((request, response) -> {
            threads.add(Thread.currentThread());
            return HttpClient.newConnection()
                    .runOn(loops())
                    .get()
                    .uri("http://" + HOST + ":" + behind.port() + "/bytes/10")
                    .responseSingle((answer, body) -> body.asString())
                    .doOnNext(body -> threads.add(Thread.currentThread()))
                    .then(response.send());
        }));
        HttpClient client = client(server.port(), 1);
        client.get().response().block(BOUND);
        assertThat(threads).hasSize(1);
    }

    @Test
    void namesOfHostsAreFoundByEitherResolver() {
        int port = served().port();
        String address = "http://localhost:" + port + "/bytes/10";
        HttpClient usual = HttpClient.newConnection().runOn(loops());
        for (HttpClient client : List.of(usual, usual.resolver(DefaultAddressResolverGroup.INSTANCE))) {
            assertThat(client.get()
                            .uri(address)
                            .responseSingle((answer, body) -> body.asByteArray())
                            .block(BOUND))
                    .hasSize(10);
        }
    }

    @Test
    void clientOfTheProcessNeedsNoMoreThanEventLoops() {
        DisposableServer server = HttpServer.create()
                .runOn(loops())
                .host(HOST)
                .handle((request, response) -> response.sendString(Mono.just("unmodified")))
                .bindNow(BOUND);
        atEnd(() -> server.disposeNow(BOUND));
        assertThat(HttpClient.create()
                        .runOn(loops())
                        .get()
                        .uri("http://" + HOST + ":" + server.port())
                        .responseContent()
                        .aggregate()
                        .asString()
                        .block(BOUND))
                .isEqualTo("unmodified");
    }
}
