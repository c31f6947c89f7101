package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.RdmaResources;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.TestDevice;
import io.rdma.testing.TestPorts;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Contract of the hooks of clients and servers, the same on every device. Each test ends with everything closed. */
abstract class HooksContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private RdmaResources resources;
    private final List<String> events = new CopyOnWriteArrayList<>();

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        resources = RdmaResources.open(TestDevice.assumed(device()));
    }

    @AfterEach
    void nothingIsLeft() {
        if (resources == null) {
            return;
        }
        await("endpoints").atMost(PATIENCE).until(() -> resources.endpoints().isEmpty());
        resources.close();
        TestDevice.awaitClosed(resources.context());
    }

    private RdmaServer echo() {
        return RdmaServer.create()
                .resources(resources)
                .host(TestDevice.host(device()))
                .receiveBuffers(16, 1024)
                .sendBuffers(8, 1024)
                .handle(connection -> connection.sendString(connection.receive().asString()));
    }

    private RdmaClient client(DisposableServer server) {
        return RdmaClient.create()
                .resources(resources)
                .host(TestDevice.host(device()))
                .port(server.port())
                .receiveBuffers(16, 1024)
                .sendBuffers(8, 1024);
    }

    private static void assertEchoes(RdmaConnection connection) {
        connection.send("hello").block(PATIENCE);
        assertThat(connection.receive().asString().next().block(PATIENCE)).isEqualTo("hello");
    }

    private void event(String name) {
        events.add(name + (Thread.currentThread().isVirtual() ? "" : " on " + Thread.currentThread()));
    }

    @Test
    void theWaitsHaveDefaults() {
        DisposableServer server = echo().bindNow();
        RdmaConnection connection = client(server).connectNow();
        assertEchoes(connection);
        connection.disposeNow();
        assertThat(connection.isDisposed()).isTrue();
        server.disposeNow();
        assertThat(server.isDisposed()).isTrue();
    }

    @Test
    void theHooksOfAClientRunInOrder() {
        DisposableServer server = echo().bindNow(PATIENCE);
        CompletableFuture<RdmaConnection> closed = new CompletableFuture<>();
        RdmaConnection connection = Objects.requireNonNull(client(server)
                .doOnConnected(c -> event("connected"))
                .doOnConnected(HooksContract::assertEchoes) // a hook may block
                .doOnConnected(c -> event("connected, too"))
                .doOnDisconnected(c -> event("disconnected"))
                .doOnDisconnected(closed::complete)
                .connect()
                .doOnNext(c -> event("subscriber"))
                .block(PATIENCE));
        assertThat(events).containsExactly("connected", "connected, too", "subscriber");
        assertEchoes(connection);
        assertThat(closed).isNotDone();
        server.disposeNow(PATIENCE); // the peer's close counts as well
        assertThat(closed.orTimeout(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
                        .join())
                .isSameAs(connection);
        assertThat(events).endsWith("disconnected").hasSize(4);
    }

    @Test
    void aHookThatThrowsFailsTheConnectAndLeavesNothing() {
        DisposableServer server = echo().bindNow(PATIENCE);
        for (Throwable thrown : List.of(new IllegalStateException("the hook's own"), new LinkageError("linkage"))) {
            CompletableFuture<RdmaConnection> closed = new CompletableFuture<>();
            assertThatThrownBy(() -> client(server)
                            .doOnConnected(connection -> HooksContract.<RuntimeException>sneak(thrown))
                            .doOnConnected(connection -> event("not reached"))
                            .doOnDisconnected(closed::complete)
                            .connectNow(PATIENCE))
                    .hasStackTraceContaining(thrown.getMessage());
            RdmaConnection connection = closed.orTimeout(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
                    .join();
            assertThat(connection.isDisposed()).isTrue();
        }
        assertThat(events).isEmpty();
        await().atMost(PATIENCE).until(() -> resources.endpoints().isEmpty());
        server.disposeNow(PATIENCE);
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> void sneak(Throwable thrown) throws X {
        throw (X) thrown;
    }

    @Test
    void aHookOfTheEndThatThrowsIsLogged() {
        DisposableServer server = echo().doOnUnbound(
                        s -> HooksContract.<RuntimeException>sneak(new AssertionError("unbound")))
                .bindNow(PATIENCE);
        try (CapturedLog log = new CapturedLog(EndHooks.class.getName())) {
            RdmaConnection connection = client(server)
                    .doOnDisconnected(c -> HooksContract.<RuntimeException>sneak(new AssertionError("disconnected")))
                    .connectNow(PATIENCE);
            connection.disposeNow(PATIENCE);
            server.disposeNow(PATIENCE);
            await().atMost(PATIENCE).until(() -> log.has("WARNING", connection.toString(), "disconnected"));
            await().atMost(PATIENCE).until(() -> log.has("WARNING", "unbound"));
        }
    }

    @Test
    void theHooksOfAServerRunInOrder() {
        CompletableFuture<DisposableServer> unbound = new CompletableFuture<>();
        CompletableFuture<DisposableServer> bound = new CompletableFuture<>();
        DisposableServer server = Objects.requireNonNull(RdmaServer.create()
                .resources(resources)
                .host(TestDevice.host(device()))
                .doOnBound(s -> event("bound"))
                .doOnBound(bound::complete)
                .doOnUnbound(s -> event("unbound"))
                .doOnUnbound(unbound::complete)
                .doOnConnection(c -> event("connection"))
                .handle(connection -> {
                    event("handler");
                    return connection.sendString(connection.receive().asString());
                })
                .bind()
                .doOnNext(s -> event("subscriber"))
                .block(PATIENCE));
        assertThat(bound.join()).isSameAs(server);
        RdmaConnection connection = client(server).connectNow(PATIENCE);
        assertEchoes(connection);
        connection.disposeNow(PATIENCE);
        assertThat(events).containsExactly("bound", "subscriber", "connection", "handler");
        server.disposeNow(PATIENCE);
        assertThat(unbound.orTimeout(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
                        .join())
                .isSameAs(server);
        assertThat(events).endsWith("unbound").hasSize(5);
    }

    /** Returns a view that differs in its name. */
    private static RdmaConnection named(RdmaConnection connection, String name) {
        return (RdmaConnection) Proxy.newProxyInstance(
                RdmaConnection.class.getClassLoader(),
                new Class<?>[] {RdmaConnection.class},
                (view, method, arguments) -> {
                    if (method.getName().equals("toString")) {
                        return name + " of " + connection;
                    }
                    return method.invoke(connection, arguments);
                });
    }

    @Test
    void hooksHandlersAndApplicationsGetTheViews() {
        DisposableServer server = echo().mapConnection(c -> named(c, "served"))
                .doOnConnection(c -> events.add(c.toString().substring(0, 9)))
                .bindNow(PATIENCE);
        RdmaConnection connection = client(server)
                .mapConnection(c -> named(c, "inner"))
                .mapConnection(c -> named(c, "outer"))
                .doOnConnected(c -> events.add(c.toString().substring(0, 14)))
                .connectNow(PATIENCE);
        assertEchoes(connection); // the server's hook ran before its handler answered
        assertThat(events).containsExactlyInAnyOrder("served of", "outer of inner");
        connection.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
    }

    @Test
    void aViewThatThrowsFailsTheConnectAndLeavesNothing() {
        DisposableServer server = echo().bindNow(PATIENCE);
        assertThatThrownBy(() -> client(server)
                        .mapConnection(c -> HooksContract.<RdmaConnection, RuntimeException>thrown(
                                new IllegalStateException("the view's own")))
                        .doOnConnected(connection -> event("not reached"))
                        .connectNow(PATIENCE))
                .hasMessage("the view's own");
        assertThat(events).isEmpty();
        await().atMost(PATIENCE).until(() -> resources.endpoints().isEmpty());
        server.disposeNow(PATIENCE);
    }

    @Test
    void aViewThatThrowsAbortsItsConnectionAndTheServerLivesOn() {
        AtomicInteger connections = new AtomicInteger();
        DisposableServer server = echo().mapConnection(connection -> {
                    if (connections.incrementAndGet() == 1) {
                        throw new IllegalStateException("the view's own");
                    }
                    return connection;
                })
                .bindNow(PATIENCE);
        RdmaConnection first = client(server).connectNow(PATIENCE);
        first.onDispose().block(PATIENCE); // the server aborts it
        RdmaConnection second = client(server).connectNow(PATIENCE);
        assertEchoes(second);
        second.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
    }

    private static <T, X extends Exception> T thrown(X exception) throws X {
        throw exception;
    }

    @Test
    void aHookThatThrowsFailsTheBindAndFreesThePort() {
        int port = TestPorts.free();
        CompletableFuture<DisposableServer> unbound = new CompletableFuture<>();
        assertThatThrownBy(() -> echo().port(port)
                        .doOnBound(server -> {
                            throw new IllegalStateException("the hook's own");
                        })
                        .doOnUnbound(unbound::complete)
                        .bindNow(PATIENCE))
                .hasMessage("the hook's own");
        unbound.orTimeout(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
                .join();
        echo().port(port).bindNow(PATIENCE).disposeNow(PATIENCE);
    }

    @Test
    void aHookThatThrowsAbortsItsConnectionAndTheServerLivesOn() {
        AtomicInteger connections = new AtomicInteger();
        AtomicInteger handled = new AtomicInteger();
        RdmaServer server = echo();
        DisposableServer running = server.doOnConnection(connection -> {
                    if (connections.getAndIncrement() == 0) {
                        throw new IllegalStateException("the hook's own");
                    }
                    handled.incrementAndGet();
                })
                .bindNow(PATIENCE);
        RdmaConnection first = client(running).connectNow(PATIENCE);
        assertThatThrownBy(() -> first.receive().asString().then().block(PATIENCE))
                .isInstanceOf(ConnectionClosedException.class); // an abort, not the end of a stream
        first.disposeNow(PATIENCE);
        RdmaConnection second = client(running).connectNow(PATIENCE);
        assertEchoes(second);
        assertThat(handled).hasValue(1);
        second.disposeNow(PATIENCE);
        running.disposeNow(PATIENCE);
    }

    @Test
    void theHooksRunForEachConnectionOfAReconnect() {
        DisposableServer server = echo().bindNow(PATIENCE);
        AtomicInteger attempts = new AtomicInteger();
        client(server)
                .doOnConnected(connection -> event("connected"))
                .doOnDisconnected(connection -> event("disconnected"))
                .reconnect(
                        reactor.util.retry.Retry.indefinitely(),
                        connection -> Mono.defer(() -> {
                            if (attempts.getAndIncrement() == 0) {
                                connection.abort(new IllegalStateException("lost"));
                            }
                            return connection
                                    .send("hello")
                                    .thenMany(connection.receive().asString().take(1))
                                    .then();
                        }))
                .block(PATIENCE);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(events).hasSize(4));
        assertThat(Flux.fromIterable(events).filter("connected"::equals).count().block())
                .isEqualTo(2);
        server.disposeNow(PATIENCE);
    }
}
