package io.rdma.netty.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.rdma.netty.reactor.NameServer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Vert.x over a device: servers and clients of HTTP, and its client of Redis. */
abstract class VertxContract extends ClientContract {
    private final EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final NameServer names = new NameServer(nio);
    private @Nullable Vertx vertx;
    private @Nullable HttpServer server;

    @BeforeAll
    void start() {
        AddressResolverOptions resolver = new AddressResolverOptions()
                .addServer(HOST + ":" + names.address().getPort())
                .setQueryTimeout(BOUND.toMillis());
        VertxOptions settings = new VertxOptions().setEventLoopPoolSize(2).setAddressResolverOptions(resolver);
        vertx = Vertx.builder()
                .with(settings)
                .withTransport(new RdmaTransport(options()))
                .build();
        server = done(vertx.createHttpServer()
                .requestHandler(request ->
                        request.body().onSuccess(body -> request.response().end(body.appendString("!"))))
                .webSocketHandler(socket -> socket.textMessageHandler(socket::writeTextMessage))
                .listen(0, HOST));
    }

    @AfterAll
    void end() {
        if (vertx != null) {
            done(vertx.close());
        }
        nio.shutdownGracefully(0, BOUND.toSeconds(), TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static <T> T done(Future<T> future) {
        return future.toCompletionStage()
                .toCompletableFuture()
                .orTimeout(BOUND.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** Sends a request from an event loop: to another thread, an answer that comes at once is lost. */
    private Future<Buffer> post(HttpClient client, int port, String host, Buffer body) {
        Promise<Buffer> answer = Promise.promise();
        vertx.runOnContext(now -> client.request(HttpMethod.POST, port, host, "/")
                .compose(request -> request.send(body))
                .compose(HttpClientResponse::body)
                .onComplete(answer));
        return answer.future();
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
    void requestsAreAnswered(HttpVersion version) {
        HttpClient client = vertx.createHttpClient(new HttpClientOptions().setProtocolVersion(version));
        for (int size : new int[] {0, 1, 8192, 300_000}) {
            String text = "x".repeat(size);
            assertThat(done(post(client, server.actualPort(), HOST, Buffer.buffer(text)))
                            .toString())
                    .isEqualTo(text + "!");
        }
        done(client.close());
    }

    @Test
    void namesAreAskedByDns() {
        HttpClient client = vertx.createHttpClient();
        Buffer answer = done(post(client, server.actualPort(), NameServer.NAME, Buffer.buffer("DNS")));
        assertThat(answer).hasToString("DNS!");
        assertThat(names.questions()).contains(NameServer.NAME + ".");
        done(client.close());
    }

    @Test
    void webSocketsCarryMessages() {
        WebSocketClient client = vertx.createWebSocketClient();
        WebSocket socket = done(client.connect(server.actualPort(), HOST, "/"));
        CompletableFuture<String> answer = new CompletableFuture<>();
        socket.textMessageHandler(answer::complete);
        done(socket.writeTextMessage("hello"));
        assertThat(answer).succeedsWithin(BOUND).isEqualTo("hello");
        done(socket.close());
        done(client.close());
    }

    @Test
    void theClientOfRedisWorks() {
        RedisServer redis = new RedisServer(loops());
        Redis client = Redis.createClient(vertx, "redis://" + HOST + ":" + redis.port());
        RedisConnection connection = done(client.connect());
        assertThat(done(connection.send(Request.cmd(Command.SET).arg("key").arg("value")))
                        .toString())
                .isEqualTo("OK");
        assertThat(done(connection.send(Request.cmd(Command.GET).arg("key"))).toString())
                .isEqualTo("value");
        done(connection.close());
        done(client.close());
        redis.close();
    }
}
