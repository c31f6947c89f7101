package io.rdma.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.spring.boot.http.RdmaHttpAutoConfiguration;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;

/** Tests of the snippets in docs about Spring Boot, which are quoted from this file. */
@Timeout(180)
class SpringDocumentationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Configuration of an application. */
    @Configuration(proxyBeanMethods = false)
    static class EchoConfiguration {
        @Bean
        RdmaConnectionHandler echo() {
            return connection -> connection
                    .receive(ReceivedMessage::toByteArray)
                    .concatMap(bytes -> connection.send(bytes.length, to -> to.copyFrom(MemorySegment.ofArray(bytes))))
                    .then();
        }
    }

    @Test
    void aHandlerIsServed() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
                .withUserConfiguration(EchoConfiguration.class)
                .withPropertyValues("rdma.device=soft0", "rdma.server.host=127.0.0.1", "rdma.server.port=0")
                .run(context -> {
                    RdmaConnection connection = context.getBean(RdmaClient.class)
                            .host("127.0.0.1")
                            .port(context.getBean(RdmaServerLifecycle.class)
                                    .address()
                                    .getPort())
                            .connectNow(PATIENCE);
                    connection.send(5, to -> {}).block(PATIENCE);
                    assertThat(connection.receive(ReceivedMessage::length).blockFirst(PATIENCE))
                            .isEqualTo(5);
                    connection.disposeNow(PATIENCE);
                });
    }

    /** Configuration of an application that customizes and has details of its own. */
    @Configuration(proxyBeanMethods = false)
    static class CustomConfiguration {
        private final AtomicInteger connected = new AtomicInteger();
        private final int port = 4711;

        @Bean
        RdmaClientCustomizer patience() {
            return client -> client.options(options -> options.withHandshakeTimeout(Duration.ofMinutes(2)));
        }

        @Bean
        RdmaServerCustomizer watch() {
            return server -> server.doOnConnection(connection -> connected.incrementAndGet());
        }

        @Bean
        RdmaConnectionDetails container() {
            return new RdmaConnectionDetails() {
                @Override
                public String getHost() {
                    return "127.0.0.1";
                }

                @Override
                public int getPort() {
                    return port;
                }
            };
        }
    }

    @Test
    void customizersAndDetailsAreUsed() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
                .withUserConfiguration(EchoConfiguration.class, CustomConfiguration.class)
                .withPropertyValues("rdma.device=soft0", "rdma.server.host=127.0.0.1", "rdma.server.port=0")
                .run(context -> {
                    RdmaClient client = context.getBean(RdmaClient.class);
                    assertThat(client.address()).hasToString("127.0.0.1/<unresolved>:4711");
                    RdmaConnection connection = client.port(context.getBean(RdmaServerLifecycle.class)
                                    .address()
                                    .getPort())
                            .connectNow(PATIENCE);
                    connection.send(5, to -> {}).block(PATIENCE);
                    connection.receive(ReceivedMessage::length).blockFirst(PATIENCE); // so the hook has run
                    assertThat(context.getBean(CustomConfiguration.class).connected)
                            .hasValue(1);
                    connection.disposeNow(PATIENCE);
                });
    }

    /** Configuration of an application that calls a service over RDMA. */
    @Configuration(proxyBeanMethods = false)
    static class CallingConfiguration {
        @Bean
        WebClient orders(WebClient.Builder builder) {
            return builder.baseUrl("rdma://orders:7480").build();
        }
    }

    @Test
    void addressesOverRdmaAreKnownToWebClient() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RdmaAutoConfiguration.class, RdmaHttpAutoConfiguration.class, WebClientAutoConfiguration.class))
                .withUserConfiguration(CallingConfiguration.class)
                .withPropertyValues("rdma.device=soft0")
                .run(context -> assertThatThrownBy(() -> context.getBean(WebClient.class)
                                .get()
                                .uri(builder ->
                                        builder.host("127.0.0.1").port(1).build())
                                .retrieve()
                                .toBodilessEntity()
                                .block(PATIENCE))
                        .as("an attempt over RDMA, where nothing listens")
                        .isInstanceOf(WebClientRequestException.class)
                        .hasStackTraceContaining("io.rdma"));
    }
}
