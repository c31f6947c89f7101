package io.rdma.samples.bench.many;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.LoopCounters;
import io.rdma.engine.ResourceOptions;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.verbs.RdmaDevices;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A server on {@code soft0} whose connections share receives, and that serves their messages in turn on one thread. A
 * modest client sends a message when the one before it was answered. A hog sends as fast as it can.
 */
public final class SharedService implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String HOST = "127.0.0.1";
    private static final int BYTES = 8;
    private static final int BUFFER_BYTES = 256;
    private static final int RECEIVES = 1024;
    private static final int WINDOW = RECEIVES / 2;
    private static final int HOG_IN_FLIGHT = 256;

    private final ConnectionOptions options =
            ConnectionOptions.DEFAULT.withReceiveBuffers(WINDOW, BUFFER_BYTES).withSendBuffers(64, BUFFER_BYTES);
    private final RdmaResources servers = RdmaResources.open(
            RdmaDevices.named("soft0"), ResourceOptions.DEFAULT.withSharedReceiveBuffers(RECEIVES, BUFFER_BYTES));
    private final RdmaResources clients = RdmaResources.open(RdmaDevices.named("soft0"));
    private final Scheduler worker = Schedulers.newSingle("worker");
    private final List<RdmaConnection> connections = new ArrayList<>();
    private final List<Disposable> hogs = new ArrayList<>();
    private final AtomicLongArray served;
    private final AtomicInteger left = new AtomicInteger(); // answers to modest clients
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final long workNanos;
    private final int modest;
    private final DisposableServer server;

    /**
     * Binds the server and connects all clients.
     *
     * @param modest number of modest clients
     * @param hogs number of clients that send as fast as they can
     * @param workNanos time that the server takes for a message
     */
    public SharedService(int modest, int hogs, long workNanos) {
        this.modest = modest;
        this.workNanos = workNanos;
        served = new AtomicLongArray(modest + hogs);
        server = RdmaServer.create()
                .host(HOST)
                .port(0)
                .resources(servers)
                .options(ignored -> options)
                .handle(this::accept)
                .bindNow(PATIENCE);
        RdmaClient client = RdmaClient.create()
                .host(HOST)
                .port(server.port())
                .resources(clients)
                .options(ignored -> options);
        for (int i = 0; i < modest + hogs; i++) {
            connections.add(client.connectNow(PATIENCE));
        }
    }

    private Mono<Void> accept(RdmaConnection peer) {
        peer.receiveOwned().subscribe(new Turns(peer));
        return peer.onDispose();
    }

    /** Service of one connection: it has one message at a time in the queue of the worker. */
    private final class Turns extends BaseSubscriber<ReceivedMessage> {
        private final RdmaConnection peer;

        Turns(RdmaConnection peer) {
            this.peer = peer;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(1);
        }

        @Override
        protected void hookOnNext(ReceivedMessage message) {
            worker.schedule(() -> {
                serve(peer, message);
                request(1);
            });
        }

        @Override
        protected void hookOnError(Throwable error) {
            done.completeExceptionally(error);
        }
    }

    private void serve(RdmaConnection peer, ReceivedMessage message) {
        int number;
        try (message) {
            number = message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
        }
        long end = System.nanoTime() + workNanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        served.incrementAndGet(number);
        if (number < modest) {
            peer.send(BYTES, target -> {}).subscribe(nothing -> {}, done::completeExceptionally);
        }
    }

    private static Consumer<MemorySegment> from(int number) {
        return target -> target.set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
    }

    /**
     * Runs until the modest clients have got a number of answers together. The hogs begin first.
     *
     * @param answers at least 1
     */
    public void run(int answers) {
        left.set(answers);
        for (int number = modest; number < connections.size(); number++) {
            RdmaConnection hog = connections.get(number);
            Consumer<MemorySegment> message = from(number);
            hogs.add(Flux.range(0, Integer.MAX_VALUE)
                    .flatMap(i -> hog.send(BYTES, message), HOG_IN_FLIGHT)
                    .subscribe(nothing -> {}, error -> {}));
        }
        for (int number = 0; number < modest; number++) {
            RdmaConnection client = connections.get(number);
            Mono<Void> send = client.send(BYTES, from(number));
            client.receive(ReceivedMessage::length).subscribe(length -> answered(send), done::completeExceptionally);
            send.subscribe(nothing -> {}, done::completeExceptionally);
        }
        done.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        hogs.forEach(Disposable::dispose);
    }

    private void answered(Mono<Void> next) {
        if (left.decrementAndGet() > 0) {
            next.subscribe(nothing -> {}, done::completeExceptionally);
        } else {
            done.complete(null);
        }
    }

    /**
     * Returns the number of messages that the server has served of each client, the modest ones first.
     *
     * @return one for each client
     */
    public List<Long> served() {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < served.length(); i++) {
            all.add(served.get(i));
        }
        return all;
    }

    /**
     * Returns the number of times that a message took the last receive of the server.
     *
     * @return 0 if there was always another one
     */
    public long starved() {
        return servers.counters().stream().mapToLong(LoopCounters::starved).sum();
    }

    @Override
    public void close() {
        connections.forEach(connection -> connection.disposeNow(PATIENCE));
        server.disposeNow(PATIENCE);
        worker.dispose();
        clients.close();
        servers.close();
    }
}
