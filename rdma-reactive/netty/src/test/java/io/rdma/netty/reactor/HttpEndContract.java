package io.rdma.netty.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.rdma.connect.ConnectMethod;
import io.rdma.netty.OpenDevices;
import io.rdma.netty.RdmaChannelOption;
import io.rdma.testing.JavaProcess;
import io.rdma.verbs.DeviceContext;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.Sinks;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** Ends of servers, connections and event loops, in order and otherwise, as users of Reactor Netty see them. */
abstract class HttpEndContract extends LoopsContract {
    /** Way in which a response tells its length. */
    enum Length {
        KNOWN,
        CHUNKED,
        UNTIL_CLOSED;

        private HttpServerResponse announced(HttpServerResponse response) {
            return switch (this) {
                case KNOWN -> response.header("content-length", Integer.toString(1 << 20));
                case CHUNKED -> response;
                case UNTIL_CLOSED -> response.chunkedTransfer(false).keepAlive(false);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void responseThatIsCutByAResetNeverLooksComplete(Length length) throws Exception {
        CompletableFuture<Channel> channel = new CompletableFuture<>();
        DisposableServer server = bound(server().doOnConnection(one -> channel.complete(one.channel()))
                .handle((request, response) -> length.announced(response)
                        .sendByteArray(Flux.just(new byte[10_000]).concatWith(Flux.never()))));
        Signal<byte[]> end = cutAfter(client(server.port(), 1), "/", 10_000, () -> {
            Channel serving = channel.join();
            serving.config().setOption(ChannelOption.SO_LINGER, 0);
            serving.close();
        });
        assertThat(end.isOnError()).isTrue();
        assertThat(end.getThrowable()).isInstanceOf(IOException.class);
    }

    /** Cuts a response once so many bytes are there, and returns its end. */
    private static Signal<byte[]> cutAfter(HttpClient client, String uri, int bytes, Runnable cut) {
        AtomicLong arrived = new AtomicLong();
        return client.get()
                .uri(uri)
                .responseContent()
                .asByteArray()
                .doOnNext(piece -> {
                    long before = arrived.getAndAdd(piece.length);
                    if (before < bytes && before + piece.length >= bytes) {
                        cut.run();
                    }
                })
                .materialize()
                .filter(signal -> !signal.isOnNext())
                .blockFirst(BOUND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/known", "/chunked", "/until-closed"})
    void responseOfAKilledProcessNeverLooksComplete(String uri) throws Exception {
        assertCutByAKill(uri, ConnectMethod.TCP, HOST);
    }

    /** Kills a server in mid-response. */
    final void assertCutByAKill(String uri, ConnectMethod method, String host) throws Exception {
        try (JavaProcess process = EndlessServer.start(device(), method, host)) {
            int port = Integer.parseInt(process.await("listening "));
            HttpClient client = client(port, 1)
                    .host(host)
                    .option(RdmaChannelOption.CONNECTION_OPTIONS, EndlessServer.options(method));
            Signal<byte[]> end = cutAfter(client, uri, 1_000_000, process::kill);
            assertThat(end.isOnError()).isTrue();
            assertThat(end.getThrowable()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void clientOfAServerThatIsGoneIsRefused() {
        DisposableServer server = HttpExchanges.routed(server()).bindNow(BOUND);
        HttpClient client = client(server.port(), 1);
        assertThat(HttpExchanges.get(client, 10).block(BOUND)).hasSize(10);
        server.disposeNow(BOUND);
        HttpClient other = client(server.port(), 1);
        assertThatThrownBy(() -> HttpExchanges.get(other, 10).block(BOUND))
                .extracting(Exceptions::unwrap)
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void pooledConnectionThatTheServerHasEndedIsNotUsedAgain() {
        DefaultChannelGroup accepted = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
        DisposableServer server =
                bound(HttpExchanges.routed(server()).doOnConnection(one -> accepted.add(one.channel())));
        AtomicReference<Channel> connected = new AtomicReference<>();
        HttpClient client = client(server.port(), 1).doOnConnected(one -> connected.set(one.channel()));
        for (int round = 0; round < 3; round++) {
            assertThat(HttpExchanges.get(client, 10).block(BOUND)).hasSize(10);
            accepted.close().awaitUninterruptibly();
            await("the client has seen the end").until(() -> !connected.get().isOpen());
        }
    }

    @Test
    void gracefulShutdownLetsARequestEnd() throws Exception {
        CountDownLatch processing = new CountDownLatch(1);
        Sinks.One<String> answer = Sinks.one();
        DisposableServer server = bound(server().channelGroup(new DefaultChannelGroup(GlobalEventExecutor.INSTANCE))
                .handle((request, response) -> {
                    processing.countDown();
                    return response.sendString(answer.asMono());
                }));
        Mono<String> body = client(server.port(), 1)
                .get()
                .responseContent()
                .aggregate()
                .asString()
                .cache();
        body.subscribe();
        assertThat(processing.await(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> down = CompletableFuture.runAsync(() -> server.disposeNow(BOUND));
        await("the server takes no more clients").until(() -> isRefused(server.port()));
        assertThat(down).isNotDone();
        answer.tryEmitValue("in time").orThrow();
        assertThat(body.block(BOUND)).isEqualTo("in time");
        down.get(BOUND.toSeconds(), TimeUnit.SECONDS);
    }

    private boolean isRefused(int port) {
        return Boolean.TRUE.equals(TcpClient.newConnection()
                .runOn(loops())
                .host(HOST)
                .port(port)
                .connect()
                .doOnNext(Connection::dispose)
                .map(connection -> false)
                .onErrorReturn(ConnectException.class, true)
                .block(BOUND));
    }

    @Test
    void disposalEndsConnectionsAndClosesTheDevice() {
        RdmaLoopResources own = loops("own");
        DisposableServer server = TcpServer.create()
                .runOn(own)
                .host(HOST)
                .port(0)
                .handle((in, out) -> out.send(in.receive().retain()))
                .bindNow(BOUND);
        Connection client =
                TcpClient.create().runOn(own).host(HOST).port(server.port()).connectNow(BOUND);
        client.outbound().sendString(Mono.just("echo")).then().subscribe();
        assertThat(client.inbound().receive().asString().blockFirst(BOUND)).isEqualTo("echo");
        DeviceContext device = OpenDevices.of(client.channel());
        own.disposeLater(Duration.ZERO, BOUND).block(BOUND);
        assertThat(device.isClosed()).isTrue();
        assertThat(own.isDisposed()).isTrue();
        assertThat(client.channel().isOpen()).isFalse();
        assertThat(server.isDisposed()).isTrue();
        own.disposeLater().block(BOUND);
        assertThatThrownBy(() -> HttpServer.create().runOn(own).bindNow(BOUND))
                .hasMessageContaining("the event loops are disposed");
    }
}
