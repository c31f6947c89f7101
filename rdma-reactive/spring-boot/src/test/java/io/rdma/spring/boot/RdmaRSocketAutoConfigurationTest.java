package io.rdma.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.rsocket.RdmaClientTransport;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.util.DefaultPayload;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.messaging.rsocket.RSocketStrategies;
import org.springframework.messaging.rsocket.annotation.support.RSocketMessageHandler;
import org.springframework.stereotype.Controller;
import reactor.core.publisher.Mono;

/**
 * Tests of RSocket's server and of the transport of its clients, configured by properties {@code rdma.rsocket.*} and
 * {@code rdma.client.*}.
 */
class RdmaRSocketAutoConfigurationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class, RdmaRSocketAutoConfiguration.class))
            .withPropertyValues("rdma.device=soft0", "rdma.rsocket.host=127.0.0.1");

    @Controller
    static final class Greetings {
        @MessageMapping("greet")
        Mono<String> greet(String name) {
            return Mono.just("hello " + name);
        }

        @MessageMapping("long")
        Mono<String> longer() {
            return Mono.just("x".repeat(2_000));
        }
    }

    /** Returns contexts with the beans that Spring Boot's starter for RSocket defines. */
    private ApplicationContextRunner withMessaging() {
        RSocketStrategies strategies = RSocketStrategies.create();
        return contexts.withBean(Greetings.class)
                .withBean(RSocketStrategies.class, () -> strategies)
                .withBean(RSocketMessageHandler.class, () -> {
                    RSocketMessageHandler handler = new RSocketMessageHandler();
                    handler.setRSocketStrategies(strategies);
                    return handler;
                });
    }

    private static RdmaClientTransport to(ApplicationContext context) {
        return RdmaClientTransport.create(context.getBean(RdmaClient.class)
                .host("127.0.0.1")
                .port(context.getBean(RdmaRSocketServerLifecycle.class)
                        .address()
                        .getPort()));
    }

    @Test
    void controllersAreServedFromStartToStop() {
        AtomicReference<RSocket> left = new AtomicReference<>();
        AtomicReference<RdmaRSocketServerLifecycle> lifecycle = new AtomicReference<>();
        withMessaging().withPropertyValues("rdma.rsocket.port=0").run(context -> {
            lifecycle.set(context.getBean(RdmaRSocketServerLifecycle.class));
            RSocketRequester requester = RSocketRequester.builder()
                    .rsocketStrategies(context.getBean(RSocketStrategies.class))
                    .transport(to(context));
            left.set(requester.rsocketClient().source().block(PATIENCE));
            assertThat(requester
                            .route("greet")
                            .data("you")
                            .retrieveMono(String.class)
                            .block(PATIENCE))
                    .isEqualTo("hello you");
            assertThat(context).doesNotHaveBean(RdmaServerLifecycle.class);
        });
        assertThat(lifecycle.get().isRunning()).isFalse();
        assertThatThrownBy(lifecycle.get()::address).isInstanceOf(IllegalStateException.class);
        left.get().onClose().onErrorComplete().block(PATIENCE); // the context closed it
    }

    @Test
    void anApplicationsOwnServerDoesNotNeedSpringMessaging() {
        contexts.withClassLoader(new FilteredClassLoader("org.springframework.messaging"))
                .withBean(
                        RSocketServer.class,
                        () -> RSocketServer.create(SocketAcceptor.forRequestResponse(question -> {
                            question.release();
                            return Mono.just(DefaultPayload.create("own"));
                        })))
                .withPropertyValues("rdma.rsocket.port=0")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    RSocket rsocket = Objects.requireNonNull(
                            RSocketConnector.connectWith(to(context)).block(PATIENCE));
                    try {
                        Payload answer = Objects.requireNonNull(rsocket.requestResponse(DefaultPayload.create("?"))
                                .block(PATIENCE));
                        assertThat(answer.getDataUtf8()).isEqualTo("own");
                        answer.release();
                    } finally {
                        rsocket.dispose();
                    }
                });
    }

    /** Checks that RSocket knows the limit: it refuses an answer that exceeds it, and the connection goes on. */
    @Test
    void anAnswerLongerThanAMessageIsRefusedAndTheConnectionGoesOn() {
        withMessaging()
                .withPropertyValues("rdma.rsocket.port=0", "rdma.connection.max-message-size=1000")
                .run(context -> {
                    assertThat(context.getBean(RdmaClientTransport.class).maxFrameLength())
                            .isEqualTo(1_000);
                    RSocketRequester requester = RSocketRequester.builder()
                            .rsocketStrategies(context.getBean(RSocketStrategies.class))
                            .transport(to(context));
                    RSocket connection = requester.rsocketClient().source().block(PATIENCE);
                    assertThatThrownBy(() -> requester
                                    .route("long")
                                    .retrieveMono(String.class)
                                    .block(PATIENCE))
                            .hasMessageContaining("payload");
                    assertThat(requester
                                    .route("greet")
                                    .data("you")
                                    .retrieveMono(String.class)
                                    .block(PATIENCE))
                            .isEqualTo("hello you");
                    assertThat(requester.rsocketClient().source().block(PATIENCE))
                            .isSameAs(connection);
                });
    }

    @Test
    void fragmentsAreGatheredUpToALimit() {
        withMessaging()
                .withPropertyValues("rdma.rsocket.port=0", "rdma.connection.max-message-size=16384")
                .run(context -> {
                    RSocketRequester requester = RSocketRequester.builder()
                            .rsocketStrategies(context.getBean(RSocketStrategies.class))
                            .rsocketConnector(connector -> connector.fragment(16_000))
                            .transport(to(context));
                    assertThatThrownBy(() -> requester
                                    .route("greet")
                                    .data("x".repeat(17 << 20))
                                    .retrieveMono(String.class)
                                    .block(PATIENCE))
                            .hasMessageContaining("16777216 bytes");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "67108864, 16777215", // the default: more than RSocket supports
        "1, 64" // less
    })
    void framesAreAsLongAsBothAllow(int message, int frame) {
        contexts.withPropertyValues("rdma.connection.max-message-size=" + message)
                .run(context -> assertThat(
                                context.getBean(RdmaClientTransport.class).maxFrameLength())
                        .isEqualTo(frame));
    }

    @ParameterizedTest
    @CsvSource({
        "'', 'Set a port, 0 for a free one, or remove the property'",
        "-1, port must be from 0 to 65535: -1",
        "70000, port must be from 0 to 65535: 70000"
    })
    void anInvalidPortIsNamed(String port, String reason) {
        withMessaging()
                .withPropertyValues("rdma.rsocket.port=" + port)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("Property rdma.rsocket.port with value '" + port + "' is invalid")
                        .hasStackTraceContaining(reason));
    }

    @Test
    void nothingListensWithoutAPort() {
        withMessaging()
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RdmaClientTransport.class)
                        .doesNotHaveBean(RSocketServer.class)
                        .doesNotHaveBean(RdmaRSocketServerLifecycle.class));
    }

    @Test
    void nothingListensWithoutAnythingToServe() {
        contexts.withPropertyValues("rdma.rsocket.port=0")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RSocketServer.class)
                        .doesNotHaveBean(RdmaRSocketServerLifecycle.class));
    }

    @Test
    void withoutRSocketTheRestWorks() {
        contexts.withClassLoader(new FilteredClassLoader("io.rsocket", "org.springframework.messaging"))
                .withPropertyValues("rdma.rsocket.port=0")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RdmaClient.class)
                        .doesNotHaveBean("rdmaClientTransport"));
    }

    @Test
    void withoutADeviceThereAreNoBeans() {
        withMessaging()
                .withPropertyValues("rdma.device=mlx5_77", "rdma.rsocket.port=0")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RdmaClientTransport.class)
                        .doesNotHaveBean(RdmaRSocketServerLifecycle.class));
    }
}
