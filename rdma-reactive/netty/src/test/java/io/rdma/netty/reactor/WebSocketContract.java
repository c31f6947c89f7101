package io.rdma.netty.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufFlux;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.WebsocketClientSpec;
import reactor.netty.http.server.WebsocketServerSpec;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** WebSockets, and streams of bytes without HTTP, over a device. */
abstract class WebSocketContract extends LoopsContract {
    private static final int LARGEST = 1 << 20;

    private DisposableServer echoing() {
        WebsocketServerSpec spec =
                WebsocketServerSpec.builder().maxFramePayloadLength(LARGEST).build();
        return bound(server().route(routes -> routes.ws(
                "/echo", (in, out) -> out.sendObject(in.receiveFrames().map(frame -> frame.retain())), spec)));
    }

    @Test
    void textsAreEchoedInTheirOrder() {
        List<String> texts =
                IntStream.range(0, 200).mapToObj(number -> "text " + number).toList();
        assertThat(client(echoing().port(), 1)
                        .websocket()
                        .uri("/echo")
                        .handle((in, out) -> {
                            out.sendString(Flux.fromIterable(texts)).then().subscribe();
                            return in.receive().asString().take(texts.size());
                        })
                        .collectList()
                        .block(BOUND))
                .isEqualTo(texts);
    }

    @Test
    void largeFrameIsEchoed() {
        byte[] content = HttpExchanges.pattern(LARGEST);
        WebsocketClientSpec spec =
                WebsocketClientSpec.builder().maxFramePayloadLength(LARGEST).build();
        assertThat(client(echoing().port(), 1)
                        .websocket(spec)
                        .uri("/echo")
                        .handle((in, out) -> {
                            out.send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(content)))
                                    .then()
                                    .subscribe();
                            return in.receive().asByteArray().take(1);
                        })
                        .blockFirst(BOUND))
                .isEqualTo(content);
    }

    @Test
    void clientOfTheJdkIsEchoedThroughAProxyFromTcp() throws Exception {
        EventLoopGroup tcp = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        atEnd(() -> tcp.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly());
        InetSocketAddress server = new InetSocketAddress(HOST, echoing().port());
        Channel proxy = TcpToRdmaProxy.start(tcp, loops().onClient(true), server);
        int port = ((InetSocketAddress) proxy.localAddress()).getPort();
        Listening listener = new Listening();
        try (HttpClient jdk = HttpClient.newHttpClient()) {
            WebSocket socket = jdk.newWebSocketBuilder()
                    .buildAsync(URI.create("ws://" + HOST + ":" + port + "/echo"), listener)
                    .get(BOUND.toSeconds(), TimeUnit.SECONDS);
            for (int number = 0; number < 20; number++) {
                String text = number + " ".repeat(number * 1000);
                socket.sendText(text, true).get(BOUND.toSeconds(), TimeUnit.SECONDS);
                assertThat(listener.texts.poll(BOUND.toSeconds(), TimeUnit.SECONDS))
                        .isEqualTo(text);
            }
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "enough");
            assertThat(listener.closed.get(BOUND.toSeconds(), TimeUnit.SECONDS)).isEqualTo(WebSocket.NORMAL_CLOSURE);
        }
    }

    /** Listener that keeps whole texts. */
    private static final class Listening implements WebSocket.Listener {
        private final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();
        private final StringBuilder begun = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
            begun.append(part);
            if (last) {
                texts.add(begun.toString());
                begun.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed.complete(status);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            closed.completeExceptionally(error);
        }
    }

    @Test
    void bytesAreEchoedByAServerOfTcp() {
        byte[] content = HttpExchanges.pattern(LARGEST);
        DisposableServer server = TcpServer.create()
                .runOn(loops())
                .host(HOST)
                .port(0)
                .handle((in, out) -> out.send(in.receive().retain()))
                .bindNow(BOUND);
        atEnd(() -> server.disposeNow(BOUND));
        Connection client =
                TcpClient.create().runOn(loops()).host(HOST).port(server.port()).connectNow(BOUND);
        atEnd(() -> client.disposeNow(BOUND));
        client.outbound()
                .send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(content)))
                .then()
                .subscribe();
        byte[] echoed = new byte[content.length];
        int[] arrived = {0};
        ByteBufFlux input = client.inbound().receive();
        input.asByteArray()
                .doOnNext(piece -> {
                    System.arraycopy(piece, 0, echoed, arrived[0], piece.length);
                    arrived[0] += piece.length;
                })
                .takeUntil(piece -> arrived[0] == echoed.length)
                .blockLast(BOUND);
        assertThat(echoed).isEqualTo(content);
    }
}
