package io.rdma.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

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
}
