package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.testing.StreamingPeer;
import io.rdma.testing.TestDevice;
import io.rdma.types.RdmaException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One end of two streams that never complete: it sends the one and receives the other, over a connection each. As a
 * process it prints {@code flowing} after each Enter when both have gone on, {@code lost} when both were lost, and
 * {@code closed} when everything is closed.
 */
final class TwoStreams implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(240);
    private static final int ITEMS = 100; // more than the buffers of both ends hold

    private final RdmaResources resources;
    private final ConnectMethod connector;
    private final String host;
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger received = new AtomicInteger();
    private final CompletableFuture<Void> sending = new CompletableFuture<>();
    private final CompletableFuture<Void> receiving = new CompletableFuture<>();
    private final List<DisposableServer> servers = new ArrayList<>();
    private final List<RdmaConnection> connections = new ArrayList<>();

    private TwoStreams(String device, ConnectMethod connector, String host) {
        this.resources = RdmaResources.open(TestDevice.assumed(device));
        this.connector = connector;
        this.host = host;
    }

    /** Creates the end that listens. */
    static TwoStreams serving(String device, ConnectMethod connector, String host) {
        TwoStreams end = new TwoStreams(device, connector, host);
        end.serve(end::send);
        end.serve(end::receive);
        return end;
    }

    /** Creates the end that connects to {@link #ports} of the other. */
    static TwoStreams connected(String device, ConnectMethod connector, String host, String ports) {
        TwoStreams end = new TwoStreams(device, connector, host);
        String[] both = ports.split(",");
        end.connect(both[0], end::receive);
        end.connect(both[1], end::send);
        return end;
    }

    /** Returns options with which a device retries for seconds: an emulated {@code soft0} may be that late. */
    private ConnectionOptions options() {
        return StreamingPeer.options(connector).withTimeout(18);
    }

    private void serve(Function<RdmaConnection, Publisher<Void>> handler) {
        servers.add(RdmaServer.create()
                .resources(resources)
                .host(host)
                .options(o -> options())
                .handle(handler)
                .bindNow(PATIENCE));
    }

    private void connect(String port, Function<RdmaConnection, Publisher<Void>> handler) {
        RdmaConnection connection = RdmaClient.create()
                .resources(resources)
                .host(host)
                .port(Integer.parseInt(port))
                .options(o -> options())
                .connectNow(PATIENCE);
        connections.add(connection);
        Mono.from(handler.apply(connection)).onErrorComplete().subscribe();
    }

    /** Returns the port of the stream that this end sends, a comma, and the port of the stream that it receives. */
    String ports() {
        return servers.get(0).port() + "," + servers.get(1).port();
    }

    private Publisher<Void> send(RdmaConnection to) {
        Flux<Integer> numbers = Flux.range(0, Integer.MAX_VALUE).doOnNext(number -> sent.incrementAndGet());
        return ending(
                to.send(numbers, (number, target) -> {
                    target.set(ValueLayout.JAVA_INT, 0, number);
                    return Integer.BYTES;
                }),
                sending);
    }

    private Publisher<Void> receive(RdmaConnection from) {
        return ending(
                from.receive(message -> message.segment().get(ValueLayout.JAVA_INT, 0))
                        .doOnNext(number -> received.incrementAndGet())
                        .then(),
                receiving);
    }

    private static Mono<Void> ending(Mono<Void> stream, CompletableFuture<Void> end) {
        return stream.doOnSuccess(nothing -> end.complete(null)).doOnError(end::completeExceptionally);
    }

    /** Waits until both streams have gone on. */
    void awaitFlow() {
        int sentBefore = sent.get();
        int receivedBefore = received.get();
        await("both streams flow")
                .atMost(PATIENCE)
                .until(() -> sent.get() - sentBefore > ITEMS && received.get() - receivedBefore > ITEMS);
    }

    /** Waits until both streams have ended; fails if one looks whole. */
    void assertLost() {
        assertLost(sending, RdmaException.class);
        assertLost(receiving, ConnectionClosedException.class);
    }

    private static void assertLost(CompletableFuture<Void> end, Class<? extends Throwable> cause) {
        assertThat(end)
                .failsWithin(PATIENCE)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(cause);
    }

    @Override
    public void close() {
        connections.forEach(connection -> connection.disposeNow(PATIENCE));
        servers.forEach(server -> server.disposeNow(PATIENCE));
        resources.close();
        TestDevice.awaitClosed(resources.context());
    }

    /** Runs one end. Arguments: device, connector, host, and for an end that connects the ports of the other. */
    public static void main(String[] args) {
        ConnectMethod connector = ConnectMethod.valueOf(args[1]);
        boolean serves = args.length == 3;
        try (TwoStreams end =
                serves ? serving(args[0], connector, args[2]) : connected(args[0], connector, args[2], args[3])) {
            System.out.println(serves ? "listening " + end.ports() : "connected");
            Thread.ofPlatform().daemon().start(end::answerEnter);
            end.assertLost();
            System.out.println("lost: " + end.sending.exceptionNow() + "; " + end.receiving.exceptionNow());
        }
        System.out.println("closed");
    }

    private void answerEnter() {
        try {
            while (System.in.read() >= 0) {
                awaitFlow();
                System.out.println("flowing");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
