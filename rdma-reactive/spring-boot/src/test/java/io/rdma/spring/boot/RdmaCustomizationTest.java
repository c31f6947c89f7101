package io.rdma.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.micrometer.RdmaObservations;
import io.rdma.reactive.rsocket.RdmaClientTransport;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.util.DefaultPayload;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import reactor.core.publisher.Mono;

/** Tests of customizers, connection details and observations. */
class RdmaCustomizationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaAutoConfiguration.class,
                    RdmaObservationAutoConfiguration.class,
                    RdmaRSocketAutoConfiguration.class))
            .withPropertyValues(
                    "rdma.device=soft0",
                    "rdma.server.host=127.0.0.1",
                    "rdma.server.port=0",
                    "rdma.rsocket.host=127.0.0.1",
                    "rdma.server.shutdown-timeout=100ms")
            .withBean(
                    RdmaConnectionHandler.class,
                    () -> connection ->
                            connection.sendString(connection.receive().asString()));

    private static RdmaClient client(ApplicationContext context) {
        int port = context.getBean(RdmaServerLifecycle.class).address().getPort();
        return context.getBean(RdmaClient.class).host("127.0.0.1").port(port);
    }

    private static void echo(RdmaClient client) {
        RdmaConnection connection = client.connectNow(PATIENCE);
        connection.send("hello").block(PATIENCE);
        assertThat(connection.receive().asString().blockFirst(PATIENCE)).isEqualTo("hello");
        connection.disposeNow(PATIENCE);
    }

    /** Application whose customizers note their order. */
    @Configuration(proxyBeanMethods = false)
    static class Customized {
        private final List<String> calls = new CopyOnWriteArrayList<>();

        @Bean
        @Order(2)
        RdmaClientCustomizer second() {
            return client -> {
                calls.add("second of " + client.address());
                return client.options(options -> options.withProbeInterval(Duration.ofSeconds(77)));
            };
        }

        @Bean
        @Order(1)
        RdmaClientCustomizer first() {
            return client -> {
                calls.add("first of " + client.address());
                return client.host("192.0.2.7");
            };
        }

        @Bean
        RdmaServerCustomizer server() {
            return server -> {
                calls.add("server with " + RdmaContextServer.optionsOf(server).receiveBuffers());
                return server.doOnConnection(connection -> calls.add("connection"));
            };
        }
    }

    @Test
    void customizersRunInTheirOrderAfterTheProperties() {
        contexts.withUserConfiguration(Customized.class)
                .withPropertyValues("rdma.client.port=4711", "rdma.connection.receive-buffers=77")
                .run(context -> {
                    assertThat(context.getBean(RdmaClient.class).address()).hasToString("192.0.2.7/<unresolved>:4711");
                    echo(client(context));
                    assertThat(context.getBean(Customized.class).calls)
                            .containsExactlyInAnyOrder(
                                    "first of localhost/<unresolved>:4711",
                                    "second of 192.0.2.7/<unresolved>:4711",
                                    "server with 77",
                                    "connection")
                            .containsSubsequence(
                                    "first of localhost/<unresolved>:4711", "second of 192.0.2.7/<unresolved>:4711");
                });
    }

    @Test
    void aCustomizerThatReturnsNullIsNamed() {
        contexts.withBean("forgetful", RdmaClientCustomizer.class, () -> new RdmaClientCustomizer() {
                    @Override
                    public RdmaClient customize(RdmaClient client) {
                        return null;
                    }

                    @Override
                    public String toString() {
                        return "forgetful";
                    }
                })
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("forgetful returned null"));
    }

    /** Details as of a container that a test started. */
    private record Container(int port) implements RdmaConnectionDetails {
        @Override
        public String getHost() {
            return "192.0.2.8";
        }

        @Override
        public int getPort() {
            return port;
        }
    }

    @Test
    void connectionDetailsOfTheApplicationTakeThePlaceOfProperties() {
        contexts.run(context -> {
            assertThat(context)
                    .getBean(RdmaConnectionDetails.class)
                    .isInstanceOf(PropertiesRdmaConnectionDetails.class);
            assertThat(context.getBean(RdmaClient.class).address()).hasToString("localhost/<unresolved>:7471");
        });
        contexts.withBean(RdmaConnectionDetails.class, () -> new Container(4712))
                .withPropertyValues("rdma.client.host=unused", "rdma.client.port=1")
                .run(context -> {
                    assertThat(context)
                            .hasSingleBean(RdmaConnectionDetails.class)
                            .doesNotHaveBean(PropertiesRdmaConnectionDetails.class);
                    assertThat(context.getBean(RdmaClient.class).address()).hasToString("192.0.2.8/<unresolved>:4712");
                });
    }

    @Test
    void detailsOfTheApplicationWithoutAPortAreNamed() {
        contexts.withBean(RdmaConnectionDetails.class, () -> new Container(0))
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(Container.class.getName())
                        .hasStackTraceContaining("must return the port of a server, from 1 to 65535: 0"));
    }

    @Test
    void operationsOfClientsAndServersAreObserved() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        contexts.withBean(ObservationRegistry.class, () -> observations).run(context -> {
            echo(client(context));
            TestObservationRegistryAssert.assertThat(observations)
                    .hasHandledContextsThatSatisfy(contexts -> assertThat(contexts)
                            .extracting(one -> one.getLowCardinalityKeyValue(RdmaObservations.OPERATION)
                                    .getValue())
                            .contains("send", "send_stream")); // the client's and the server's
        });
    }

    @Test
    void aPropertySwitchesObservationsOff() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        contexts.withBean(ObservationRegistry.class, () -> observations)
                .withPropertyValues("rdma.observations.enabled=false")
                .run(context -> {
                    assertThat(context).doesNotHaveBean("rdmaClientObservations");
                    echo(client(context));
                    TestObservationRegistryAssert.assertThat(observations).doesNotHaveAnyObservation();
                });
    }

    @Test
    void withoutMicrometerNothingIsObserved() {
        contexts.withClassLoader(new FilteredClassLoader("io.micrometer")).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean("rdmaClientObservations");
            echo(client(context));
        });
    }

    /** Returns a view of a connection that counts the calls of its methods that send. */
    private static RdmaConnection counting(RdmaConnection connection, AtomicInteger sends) {
        return (RdmaConnection) Proxy.newProxyInstance(
                RdmaConnection.class.getClassLoader(),
                new Class<?>[] {RdmaConnection.class},
                (view, method, arguments) -> {
                    if (method.getName().equals("send")) {
                        sends.incrementAndGet();
                    }
                    return method.invoke(connection, arguments);
                });
    }

    /**
     * RSocket observes its interactions by itself; the frames would be one observation for each connection. The
     * application's views are used, and the observed connection is inside of them.
     */
    @Test
    void framesOfRSocketAreNotObservedBehindViewsOfTheApplicationEither() {
        AtomicInteger sends = new AtomicInteger();
        framesAreNotObserved(contexts.withBean(
                        RdmaClientCustomizer.class,
                        () -> client -> client.mapConnection(connection -> counting(connection, sends)))
                .withBean(
                        RdmaServerCustomizer.class,
                        () -> server -> server.mapConnection(connection -> counting(connection, sends))));
        assertThat(sends).hasValue(2); // one stream of frames of the client, and one of the server
    }

    @Test
    void framesOfRSocketAreNotObserved() {
        framesAreNotObserved(contexts);
    }

    private static void framesAreNotObserved(ApplicationContextRunner application) {
        TestObservationRegistry observations = TestObservationRegistry.create();
        application
                .withBean(ObservationRegistry.class, () -> observations)
                .withBean(
                        RSocketServer.class,
                        () -> RSocketServer.create(SocketAcceptor.forRequestResponse(question -> {
                            question.release();
                            return Mono.just(DefaultPayload.create("answer"));
                        })))
                .withPropertyValues("rdma.rsocket.port=0")
                .run(context -> {
                    RSocket rsocket = Objects.requireNonNull(RSocketConnector.connectWith(
                                    RdmaClientTransport.create(context.getBean(RdmaClient.class)
                                            .host("127.0.0.1")
                                            .port(context.getBean(RdmaRSocketServerLifecycle.class)
                                                    .address()
                                                    .getPort())))
                            .block(PATIENCE));
                    Payload answer = Objects.requireNonNull(
                            rsocket.requestResponse(DefaultPayload.create("?")).block(PATIENCE));
                    assertThat(answer.getDataUtf8()).isEqualTo("answer");
                    answer.release();
                    rsocket.dispose();
                    rsocket.onClose().onErrorComplete().block(PATIENCE);
                    TestObservationRegistryAssert.assertThat(observations).doesNotHaveAnyObservation();
                });
    }
}
