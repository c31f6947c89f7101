package io.rdma.netty.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioEventLoopGroup;
import io.rdma.netty.RdmaIoHandler;
import io.rdma.netty.RdmaSocketChannel;
import io.rdma.netty.reactor.RdmaLoopResources;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.async.SdkAsyncHttpResponseHandler;
import software.amazon.awssdk.http.async.SdkHttpContentPublisher;
import software.amazon.awssdk.http.async.SimpleSubscriber;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;

/** The HTTP client of the AWS SDK over a device. */
abstract class AwsContract extends ClientContract {
    private @Nullable RdmaLoopResources resources;
    private @Nullable DisposableServer server;

    @BeforeAll
    void serve() {
        resources = RdmaLoopResources.create("aws", 1, true, options());
        server = HttpServer.create()
                .runOn(resources)
                .host(HOST)
                .port(0)
                .route(routes -> routes.post(
                        "/echo",
                        (request, response) -> response.sendString(
                                request.receive().aggregate().asString())))
                .bindNow(BOUND);
    }

    @AfterAll
    void end() {
        server.disposeNow(BOUND);
        resources.disposeLater(Duration.ZERO, BOUND).block(BOUND);
    }

    /** Body of a request. */
    private record Content(byte[] bytes) implements SdkHttpContentPublisher {
        @Override
        public Optional<Long> contentLength() {
            return Optional.of((long) bytes.length);
        }

        @Override
        public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
            Mono.fromSupplier(() -> ByteBuffer.wrap(bytes)).subscribe(subscriber);
        }
    }

    /** Text of an answer. */
    private static final class Answer implements SdkAsyncHttpResponseHandler {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void onHeaders(SdkHttpResponse headers) {
            assertThat(headers.statusCode()).isEqualTo(200);
        }

        @Override
        public void onStream(Publisher<ByteBuffer> stream) {
            stream.subscribe(new SimpleSubscriber(part -> {
                byte[] copy = new byte[part.remaining()];
                part.get(copy);
                bytes.writeBytes(copy);
            }));
        }

        @Override
        public void onError(Throwable error) {}
    }

    private String post(SdkAsyncHttpClient client, String text) {
        SdkHttpRequest request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.POST)
                .uri(URI.create("http://" + HOST + ":" + server.port() + "/echo"))
                .putHeader("Host", HOST)
                .putHeader("Content-Length", Integer.toString(text.length()))
                .build();
        Answer answer = new Answer();
        CompletableFuture<Void> executed = client.execute(AsyncExecuteRequest.builder()
                .request(request)
                .requestContentPublisher(new Content(text.getBytes(StandardCharsets.UTF_8)))
                .responseHandler(answer)
                .build());
        assertThat(executed).succeedsWithin(BOUND);
        return answer.bytes.toString(StandardCharsets.UTF_8);
    }

    /** Returns event loops over RDMA for a program that asks for those of NIO. */
    @SuppressWarnings("deprecation")
    private static EventLoopGroup askedAsNio(int count, IoHandlerFactory rdma) {
        return new NioEventLoopGroup(count) {
            @Override
            protected IoEventLoop newChild(Executor executor, IoHandlerFactory nio, Object... arguments) {
                return super.newChild(executor, rdma, arguments);
            }
        };
    }

    @Test
    void requestsAreAnswered() {
        EventLoopGroup group = askedAsNio(1, RdmaIoHandler.newFactory(options()));
        try (SdkAsyncHttpClient client = NettyNioAsyncHttpClient.builder()
                .eventLoopGroup(SdkEventLoopGroup.create(group, RdmaSocketChannel::new))
                .connectionTimeout(BOUND)
                .connectionAcquisitionTimeout(BOUND)
                .readTimeout(BOUND)
                .build()) {
            for (int size : new int[] {1, 8192, 300_000}) {
                String text = "x".repeat(size);
                assertThat(post(client, text)).isEqualTo(text);
            }
        } finally {
            group.shutdownGracefully(0, 30, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
