package io.rdma.netty.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.rdma.netty.reactor.NameServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lettuce over a device. */
abstract class LettuceContract extends ClientContract {
    private final EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final NameServer names = new NameServer(nio);
    private @Nullable RedisServer server;
    private @Nullable ClientResources resources;
    private @Nullable RdmaRedisClient client;

    @BeforeEach
    void connect() {
        server = new RedisServer(loops());
        resources = DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .addressResolverGroup(new DnsAddressResolverGroup(new DnsNameResolverBuilder()
                        .datagramChannelType(NioDatagramChannel.class)
                        .nameServerProvider(names.provider())
                        .queryTimeoutMillis(BOUND.toMillis())))
                .build();
        RedisURI uri = RedisURI.builder()
                .withHost(NameServer.NAME)
                .withPort(server.port())
                .withTimeout(BOUND)
                .build();
        client = new RdmaRedisClient(resources, uri, loops());
        client.setOptions(ClientOptions.builder()
                .socketOptions(SocketOptions.builder().connectTimeout(BOUND).build())
                .build());
    }

    @AfterEach
    void disconnect() throws Exception {
        client.shutdown(Duration.ZERO, BOUND);
        resources.shutdown(0, BOUND.toSeconds(), TimeUnit.SECONDS).get(BOUND.toSeconds(), TimeUnit.SECONDS);
        server.close();
    }

    @AfterAll
    void endNames() {
        nio.shutdownGracefully(0, BOUND.toSeconds(), TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void valuesAreSetAndGot() {
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            assertThat(connection.sync().ping()).isEqualTo("PONG");
            assertThat(connection.sync().set("key", "value")).isEqualTo("OK");
            assertThat(connection.sync().get("key")).isEqualTo("value");
            assertThat(connection.sync().get("none")).isNull();
            String large = "x".repeat(300_000);
            connection.sync().set("large", large);
            assertThat(connection.sync().get("large")).isEqualTo(large);
        }
    }

    @Test
    void commandsArePipelined() throws Exception {
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            List<RedisFuture<String>> answers = new ArrayList<>();
            for (int number = 0; number < 1000; number++) {
                connection.async().set("key" + number, "value" + number);
                answers.add(connection.async().get("key" + number));
            }
            for (int number = 0; number < 1000; number++) {
                assertThat(answers.get(number).get(BOUND.toSeconds(), TimeUnit.SECONDS))
                        .isEqualTo("value" + number);
            }
        }
    }

    @Test
    void whatIsPublishedReachesASubscriber() {
        try (StatefulRedisPubSubConnection<String, String> subscriber = client.connectPubSub();
                StatefulRedisConnection<String, String> publisher = client.connect()) {
            CompletableFuture<String> heard = new CompletableFuture<>();
            subscriber.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    heard.complete(channel + ": " + message);
                }
            });
            subscriber.sync().subscribe("news");
            assertThat(publisher.sync().publish("news", "rdma")).isEqualTo(1);
            assertThat(heard).succeedsWithin(BOUND).isEqualTo("news: rdma");
        }
    }

    @Test
    void aConnectionThatEndedIsMadeAgain() {
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.sync().set("key", "value");
            server.disconnect();
            assertThat(connection.sync().get("key")).isEqualTo("value");
        }
    }
}
