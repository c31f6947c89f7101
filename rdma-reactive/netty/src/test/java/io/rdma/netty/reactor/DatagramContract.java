package io.rdma.netty.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.rdma.netty.RdmaSocketChannel;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.LoopResources;
import reactor.netty.transport.NameResolverProvider.NameResolverSpec;
import reactor.netty.udp.UdpClient;
import reactor.netty.udp.UdpServer;

/** Datagrams of UDP on event loops over a device, and names that are asked of DNS by them. */
abstract class DatagramContract extends LoopsContract {
    private final EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private @Nullable NameServer names;

    @BeforeEach
    void serveNames() {
        names = new NameServer(nio);
    }

    @AfterAll
    void endNio() {
        nio.shutdownGracefully(0, BOUND.toSeconds(), TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** Returns a client that differs from the default by nothing but the server of DNS. */
    private HttpClient asking(HttpClient client) {
        return client.resolver(this::asking);
    }

    private void asking(NameResolverSpec spec) {
        spec.queryTimeout(BOUND)
                .dnsAddressResolverGroupProvider(
                        builder -> new DnsAddressResolverGroup(builder.nameServerProvider(names.provider())));
    }

    private static Mono<String> text(HttpClient client) {
        return client.get().uri("/text/hello").responseContent().aggregate().asString();
    }

    @Test
    void aClientAsksDns() {
        DisposableServer server = bound(HttpExchanges.routed(server()));
        HttpClient client = asking(client(server.port(), 1).host(NameServer.NAME));
        assertThat(text(client).block(BOUND)).isEqualTo("hello");
        assertThat(names.questions()).containsExactly(NameServer.NAME + ".");
    }

    @Test
    void otherEventLoopsMayAskDns() {
        DisposableServer server = bound(HttpExchanges.routed(server()));
        LoopResources tcp = LoopResources.create("dns", 1, true);
        atEnd(() -> tcp.disposeLater(Duration.ZERO, BOUND).block(BOUND));
        HttpClient client = client(server.port(), 1).host(NameServer.NAME).resolver(spec -> asking(spec.runOn(tcp)));
        assertThat(text(client).block(BOUND)).isEqualTo("hello");
        assertThat(names.questions()).containsExactly(NameServer.NAME + ".");
    }

    @Test
    void theEventLoopsWorkWhileANameIsAsked() {
        DisposableServer server = bound(HttpExchanges.routed(server()));
        CompletableFuture<Void> answers = new CompletableFuture<>();
        names.withhold(answers);
        HttpClient client = asking(client(server.port(), 1).host(NameServer.NAME));
        CompletableFuture<String> asked = text(client).toFuture();
        await("the question").until(() -> !names.questions().isEmpty());

        HttpExchanges.concurrent(client(server.port(), 8), 64); // on all event loops
        assertThat(asked).isNotDone();
        answers.complete(null);
        assertThat(asked).succeedsWithin(BOUND).isEqualTo("hello");
    }

    @Test
    void anUnknownNameFailsTheRequest() {
        HttpClient client = asking(client(1, 1).host("nobody.rdma.test"));
        assertThatThrownBy(() -> text(client).block(BOUND)).hasCauseInstanceOf(UnknownHostException.class);
    }

    @Test
    void aBootstrapOfNettyAsksDns() {
        DisposableServer server = bound(HttpExchanges.routed(server()));
        DnsNameResolverBuilder builder = new DnsNameResolverBuilder()
                .datagramChannelType(NioDatagramChannel.class)
                .nameServerProvider(names.provider())
                .queryTimeoutMillis(BOUND.toMillis());
        try (DnsAddressResolverGroup resolver = new DnsAddressResolverGroup(builder)) {
            Channel channel = new Bootstrap()
                    .group(loops().onClient(true))
                    .channel(RdmaSocketChannel.class)
                    .resolver(resolver)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) BOUND.toMillis())
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(NameServer.NAME, server.port())
                    .syncUninterruptibly()
                    .channel();
            assertThat(((InetSocketAddress) channel.remoteAddress()).getPort()).isEqualTo(server.port());
            channel.close().syncUninterruptibly();
        }
        assertThat(names.questions()).containsExactly(NameServer.NAME + ".");
    }

    @Test
    void datagramsTravelBothWays() {
        Connection server = UdpServer.create()
                .runOn(loops())
                .host(HOST)
                .port(0)
                .handle((received, sent) -> sent.sendObject(received.receiveObject()
                        .cast(DatagramPacket.class)
                        .map(one -> new DatagramPacket(one.content().retain(), one.sender()))))
                .bindNow(BOUND);
        atEnd(() -> server.disposeNow(BOUND));
        Connection client =
                UdpClient.create().runOn(loops()).remoteAddress(server::address).connectNow(BOUND);
        atEnd(() -> client.disposeNow(BOUND));
        List<String> received = new CopyOnWriteArrayList<>();
        client.inbound().receive().asString().subscribe(received::add);
        for (int round = 0; round < 10; round++) {
            String sent = "datagram " + round;
            client.outbound().sendString(Mono.just(sent)).then().block(BOUND);
            await("the answer").until(() -> received.contains(sent));
        }
    }

    @Test
    void theEndOfAnEventLoopClosesItsDatagramChannels() {
        RdmaLoopResources ending = loops("ending");
        Channel channel = new Bootstrap()
                .group(ending.onClient(true))
                .channel(NioDatagramChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .bind(HOST, 0)
                .syncUninterruptibly()
                .channel();
        EventLoop loop = channel.eventLoop();
        loop.execute(() -> ending.disposeLater(Duration.ZERO, BOUND).subscribe());
        assertThat(loop.terminationFuture().awaitUninterruptibly(BOUND.toMillis()))
                .isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void channelsOfTcpAreRefused() {
        assertThatThrownBy(() -> new Bootstrap()
                        .group(loops().onClient(true))
                        .channel(NioSocketChannel.class)
                        .handler(new ChannelInboundHandlerAdapter())
                        .connect(HOST, 1)
                        .syncUninterruptibly())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("no channels of TCP", "use RdmaSocketChannel");
    }
}
