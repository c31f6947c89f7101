package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.StreamingPeer;
import io.rdma.testing.TestDevice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/**
 * Contract of the end of a stream as its receiver sees it, for each way in which a sender ends and for each connect
 * method.
 */
abstract class StreamEndContract {
    /** A process that a test starts under emulation, beside others, takes minutes to its first message. */
    private static final Duration PATIENCE = Duration.ofSeconds(420);

    private static final int ITEMS = 300;
    private static final int FEW = 8; // fit into the receive buffers

    private RdmaResources resources;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    abstract String host();

    @BeforeEach
    void open() {
        resources = RdmaResources.open(TestDevice.assumed(device()));
    }

    @AfterEach
    void nothingIsLeft() {
        if (resources != null) {
            await("endpoints")
                    .atMost(PATIENCE)
                    .until(() -> resources.endpoints().isEmpty());
            resources.close();
            TestDevice.awaitClosed(resources.context());
        }
    }

    private RdmaServer server(ConnectMethod connector) {
        TestDevice.assumeMethod(device(), connector);
        return RdmaServer.create().resources(resources).host(host()).options(o -> StreamingPeer.options(connector));
    }

    private RdmaClient client(ConnectMethod connector, int port) {
        return RdmaClient.create()
                .resources(resources)
                .host(host())
                .port(port)
                .options(o -> StreamingPeer.options(connector));
    }

    private static int decode(ReceivedMessage message) {
        return message.segment().get(ValueLayout.JAVA_INT, 0);
    }

    private static int encode(int number, MemorySegment target) {
        target.set(ValueLayout.JAVA_INT, 0, number);
        return Integer.BYTES;
    }

    private static Flux<Integer> numbers(RdmaConnection connection) {
        return connection.receive(StreamEndContract::decode);
    }

    private static void assertLost(CompletableFuture<Void> end) throws Exception {
        try {
            end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            throw new AssertionError("it completed");
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(ConnectionClosedException.class);
        } catch (TimeoutException e) {
            throw new AssertionError("nothing happened", e);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void aClientThatIsKilledInTheMiddleOfItsStreamIsLost(ConnectMethod connector) throws Exception {
        AtomicInteger received = new AtomicInteger();
        CompletableFuture<Void> end = new CompletableFuture<>();
        DisposableServer server = server(connector)
                .handle(connection -> numbers(connection)
                        .doOnNext(number -> received.incrementAndGet())
                        .doOnComplete(() -> end.complete(null))
                        .doOnError(end::completeExceptionally)
                        .then())
                .bindNow(PATIENCE);
        try (JavaProcess doomed = StreamingPeer.client(device(), connector, server.address())) {
            await().atMost(PATIENCE).until(() -> received.get() > ITEMS);
            doomed.kill();
            assertLost(end);
        } finally {
            server.disposeNow(PATIENCE);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void aServerThatIsKilledInTheMiddleOfItsStreamIsLostAndTriedAgain(ConnectMethod connector) throws Exception {
        TestDevice.assumeMethod(device(), connector);
        try (JavaProcess doomed = StreamingPeer.server(device(), connector, host())) {
            int port = Integer.parseInt(doomed.await("listening"));
            AtomicInteger received = new AtomicInteger();
            List<Throwable> losses = new CopyOnWriteArrayList<>();
            CompletableFuture<Void> end = client(connector, port)
                    .reconnect(
                            Retry.max(1).doBeforeRetry(signal -> losses.add(signal.failure())),
                            connection -> numbers(connection)
                                    .doOnNext(number -> {
                                        if (received.incrementAndGet() == ITEMS) {
                                            doomed.kill();
                                        }
                                    })
                                    .then())
                    .toFuture();
            assertThat(end).failsWithin(PATIENCE); // the second attempt finds no server
            assertThat(losses).hasSize(1).first().isInstanceOf(ConnectionClosedException.class);
        }
    }

    private CompletableFuture<List<Integer>> receivedFrom(
            ConnectMethod connector, Function<RdmaConnection, Publisher<Void>> handler) {
        DisposableServer server = server(connector).handle(handler).bindNow(PATIENCE);
        RdmaConnection connection =
                client(connector, server.address().getPort()).connectNow(PATIENCE);
        return numbers(connection)
                .collectList()
                .doFinally(how -> {
                    connection.dispose();
                    server.dispose();
                })
                .toFuture();
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void aHandlerThatCompletesEndsItsStreamWhole(ConnectMethod connector) {
        assertThat(receivedFrom(
                        connector, connection -> connection.send(Flux.range(0, ITEMS), StreamEndContract::encode)))
                .succeedsWithin(PATIENCE)
                .satisfies(list -> assertThat(list).hasSize(ITEMS));
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void aHandlerThatFailsBeforeItsLastItemEndsItsStreamWithAnError(ConnectMethod connector) {
        assertThat(receivedFrom(
                        connector,
                        connection -> connection
                                .send(Flux.range(0, ITEMS - 1), StreamEndContract::encode)
                                .then(Mono.error(new IllegalStateException("the last one is missing")))))
                .failsWithin(PATIENCE)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(ConnectionClosedException.class)
                .withMessageContaining("aborted the connection");
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void aServerThatClosesInTheMiddleOfItsStreamEndsItWithAnError(ConnectMethod connector) throws Exception {
        DisposableServer server = server(connector)
                .handle(connection ->
                        connection.send(Flux.concat(Flux.range(0, ITEMS), Flux.never()), StreamEndContract::encode))
                .bindNow(PATIENCE);
        RdmaConnection connection =
                client(connector, server.address().getPort()).connectNow(PATIENCE);
        AtomicInteger received = new AtomicInteger();
        CompletableFuture<Void> end = numbers(connection)
                .doOnNext(number -> received.incrementAndGet())
                .then()
                .toFuture();
        await().atMost(PATIENCE).until(() -> received.get() == ITEMS);
        server.disposeNow(PATIENCE);
        assertLost(end);
        connection.disposeNow(PATIENCE);
    }

    /**
     * Receives one message of a server that sends more and ends in an orderly way. Then ends the connection from the
     * client's side, and requests the rest.
     */
    private StepVerifier.Step<Integer> afterOneOf(ConnectMethod connector, Consumer<RdmaConnection> clientsEnd) {
        DisposableServer server = server(connector)
                .handle(connection -> connection.send(Flux.range(0, FEW), StreamEndContract::encode))
                .bindNow(PATIENCE);
        RdmaConnection connection =
                client(connector, server.address().getPort()).connectNow(PATIENCE);
        return StepVerifier.create(numbers(connection), 1).expectNext(0).then(() -> {
            await("farewell").atMost(PATIENCE).until(connection::isDisposed);
            clientsEnd.accept(connection);
            connection.onDispose().block(PATIENCE);
            server.disposeNow(PATIENCE);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void anAbortBehindTheFarewellEndsAStreamThatIsNotWholeWithItsCause(ConnectMethod connector) {
        IllegalStateException cause = new IllegalStateException("on purpose");
        afterOneOf(connector, connection -> connection.abort(cause))
                .thenRequest(FEW)
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(ConnectionClosedException.class)
                        .hasCause(cause))
                .verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void anAbortBehindADisposeChangesNothing(ConnectMethod connector) {
        afterOneOf(connector, connection -> {
                    connection.dispose();
                    connection.abort(new IllegalStateException("on purpose"));
                })
                .thenRequest(FEW)
                .expectComplete()
                .verify(PATIENCE);
    }

    /** Throws an error out of the handler that Reactor does not catch. The messages that came before are dropped. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void aHandlerThatLacksAClassEndsItsConnection(ConnectMethod connector) throws Exception {
        DisposableServer server = server(connector)
                .handle(connection -> {
                    await("message")
                            .atMost(PATIENCE)
                            .until(() -> connection.endpoint().outstandingReceives() > 0);
                    throw new NoClassDefFoundError("on purpose");
                })
                .bindNow(PATIENCE);
        RdmaConnection connection =
                client(connector, server.address().getPort()).connectNow(PATIENCE);
        connection.send(Flux.just(1), StreamEndContract::encode).subscribe(nothing -> {}, error -> {});
        assertLost(numbers(connection).then().toFuture());
        connection.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
    }

    /** Checks that a client's handler ends its stream as a server's handler does. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void aClientsHandlerThatFailsEndsItsStreamWithAnError(ConnectMethod connector) throws Exception {
        CompletableFuture<Void> end = new CompletableFuture<>();
        DisposableServer server = server(connector)
                .handle(connection -> numbers(connection)
                        .doOnComplete(() -> end.complete(null))
                        .doOnError(end::completeExceptionally)
                        .then())
                .bindNow(PATIENCE);
        Mono<Void> running = client(connector, server.address().getPort())
                .reconnect(
                        Retry.max(1),
                        connection -> connection
                                .send(Flux.range(0, ITEMS), StreamEndContract::encode)
                                .then(Mono.error(new IllegalStateException("on purpose"))));
        assertThat(running.toFuture()).failsWithin(PATIENCE);
        assertLost(end);
        server.disposeNow(PATIENCE);
    }
}
