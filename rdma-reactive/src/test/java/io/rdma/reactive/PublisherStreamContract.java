package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.testing.TestDevice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/**
 * Contract of the sender of a stream with its publisher, and of both ends when the application's code throws. Each test
 * ends with the check that nothing is in flight and all pools are whole.
 */
abstract class PublisherStreamContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MESSAGE = 1024; // large enough that small messages share one
    private static final int MESSAGES = 40;

    private final BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    private DisposableServer server;
    private RdmaConnection client;
    private RdmaConnection peer;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void connect() throws InterruptedException {
        TestDevice.assumed(device());
        server = RdmaServer.create()
                .device(device())
                .host(TestDevice.host(device()))
                .receiveBuffers(16, MESSAGE)
                .handle(connection -> {
                    accepted.add(connection);
                    return Mono.never();
                })
                .bindNow(PATIENCE);
        client = RdmaClient.create()
                .device(device())
                .host(TestDevice.host(device()))
                .port(server.port())
                .receiveBuffers(16, MESSAGE)
                .sendBuffers(8, MESSAGE)
                .connectNow(PATIENCE);
        peer = Objects.requireNonNull(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    @AfterEach
    void nothingIsLeft() {
        if (server == null) {
            return;
        }
        client.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
        for (RdmaConnection connection : List.of(client, peer)) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(connection.endpoint().inFlight()).isZero();
                assertThat(connection.endpoint().sendBuffers().leased()).isZero();
                assertThat(connection.endpoint().outstandingReceives()).isZero();
            });
        }
    }

    private Mono<List<Integer>> lengths(int count) {
        return peer.receive(message -> message.length()).take(count).collectList();
    }

    private void assertGoesOn() {
        Mono<List<Integer>> received = lengths(1).cache();
        received.subscribe();
        client.send(7, target -> {}).block(PATIENCE);
        assertThat(received.block(PATIENCE)).containsExactly(7);
    }

    /** Sends messages of 4 bytes. Each SEND takes a buffer, a credit, a receive and a completion. */
    @Test
    void smallMessagesShareSends() {
        int count = 1_000;
        Mono<List<Integer>> received = peer.receive(message -> message.segment().get(ValueLayout.JAVA_INT, 0))
                .take(count)
                .collectList()
                .cache();
        received.subscribe();
        long before = client.endpoint().counters().posted();
        client.send(Flux.range(0, count), (item, target) -> {
                    target.set(ValueLayout.JAVA_INT, 0, item);
                    return Integer.BYTES;
                })
                .block(PATIENCE);
        assertThat(received.block(PATIENCE))
                .isEqualTo(IntStream.range(0, count).boxed().toList());
        assertThat(client.endpoint().counters().posted() - before).isLessThan(count / 2);
    }

    /**
     * Publisher whose first request returns only when everything that it emitted is delivered. It notes requests that
     * overlap.
     */
    private final class SlowPublisher implements Publisher<Integer>, Subscription {
        private final AtomicInteger inside = new AtomicInteger();
        private volatile boolean overlap;
        private Subscriber<? super Integer> subscriber;
        private int next;

        @Override
        public void subscribe(Subscriber<? super Integer> actual) {
            subscriber = actual;
            actual.onSubscribe(this);
        }

        @Override
        public void request(long n) {
            if (inside.getAndIncrement() > 0) {
                overlap = true;
            } else {
                boolean first = next == 0;
                for (long i = 0; i < n && next < MESSAGES; i++) {
                    subscriber.onNext(next++);
                }
                if (first) {
                    await().atMost(PATIENCE)
                            .until(() ->
                                    overlap || client.endpoint().sendBuffers().leased() == 0);
                }
                if (next == MESSAGES) {
                    subscriber.onComplete();
                }
            }
            inside.decrementAndGet();
        }

        @Override
        public void cancel() {}
    }

    @Test
    void requestsToThePublisherComeFromOneThreadAtATimeAndNoneIsLost() {
        SlowPublisher source = new SlowPublisher();
        Mono<List<Integer>> received = lengths(MESSAGES).cache();
        received.subscribe();
        client.send(source, (n, target) -> 1 + n).subscribe();
        assertThat(source.overlap).as("a request during another one").isFalse();
        assertThat(received.block(PATIENCE))
                .isEqualTo(IntStream.rangeClosed(1, MESSAGES).boxed().toList());
        assertThat(source.overlap).isFalse();
    }

    /**
     * Mixes large and small messages. Messages that the peer fetches end on threads of their own, the others on the
     * loop.
     */
    @Test
    void demandForLargeAndSmallMessagesIsNotLost() {
        List<Integer> sizes = IntStream.range(0, 2 * MESSAGES)
                .map(n -> n % 2 == 0 ? 20 * MESSAGE : 9)
                .boxed()
                .toList();
        Mono<List<Integer>> received = lengths(sizes.size()).cache();
        received.subscribe();
        client.send(Flux.fromIterable(sizes), new MessageEncoder<Integer>() {
                    @Override
                    public int encode(Integer size, MemorySegment target) {
                        return size;
                    }

                    @Override
                    public int length(Integer size) {
                        return size;
                    }
                })
                .block(PATIENCE);
        assertThat(received.block(PATIENCE)).isEqualTo(sizes);
    }

    /** A message in flight needs a send buffer and a place in the send queue. */
    @ParameterizedTest
    @CsvSource({"128, 8", "4, 4"})
    void aStreamRequestsAsManyItemsAsCanBeInFlight(int maxSendWr, long most) {
        RdmaConnection other = RdmaClient.create()
                .device(device())
                .host(TestDevice.host(device()))
                .port(server.port())
                .sendBuffers(8, MESSAGE)
                .queuePair(queuePair -> queuePair.withMaxSendWr(maxSendWr))
                .connectNow(PATIENCE);
        AtomicLong requested = new AtomicLong();
        Disposable sending = other.send(Flux.<Integer>never().doOnRequest(requested::addAndGet), (n, target) -> 1)
                .subscribe();
        assertThat(requested).hasValue(most);
        sending.dispose();
        other.disposeNow(PATIENCE);
    }

    @Test
    void connectNowTakesAnUnboundedTimeout() {
        RdmaConnection other = RdmaClient.create()
                .device(device())
                .host(TestDevice.host(device()))
                .port(server.port())
                .connectNow(ChronoUnit.FOREVER.getDuration());
        other.disposeNow(PATIENCE);
    }

    /** Checks an error that Reactor regards as fatal: Reactor throws it, and signals any other error. */
    @Test
    void aFatalErrorOfAnEncoderEndsItsStreamOnly() {
        Flux<Integer> items = Flux.range(0, MESSAGES);
        Mono<Integer> last = peer.receive(message -> message.length())
                .takeUntil(length -> length == 7)
                .last()
                .cache();
        last.subscribe();
        assertThatThrownBy(() -> client.send(items, (n, target) -> {
                            if (n == MESSAGES / 2) { // by now the encoder runs on the loop
                                throw new NoClassDefFoundError("encoder");
                            }
                            return 1;
                        })
                        .block(PATIENCE))
                .isInstanceOfAny(NoClassDefFoundError.class, RuntimeException.class)
                .hasMessageContaining("encoder");
        client.send(7, target -> {}).block(PATIENCE);
        assertThat(last.block(PATIENCE)).isEqualTo(7); // some messages of the stream came before
    }

    /** Encoder of items that hold something. It throws for one of them, in one of its methods. */
    private record Failing(int from, boolean inLength, Set<Integer> consumed) implements MessageEncoder<Integer> {
        @Override
        public int length(Integer item) {
            if (inLength && item == from) {
                throw new IllegalArgumentException("encoder");
            }
            return item % 50 == 49 ? 2 * MESSAGE : 0;
        }

        @Override
        public int encode(Integer item, MemorySegment target) {
            assertThat(consumed.add(item)).as("encoded twice: %d", item).isTrue();
            if (item == from) {
                throw new IllegalArgumentException("encoder");
            }
            return item % 50 == 49 ? 2 * MESSAGE : 1;
        }
    }

    /** Items of the first request are encoded by the thread that subscribes, later ones also within the loop's. */
    @ParameterizedTest(name = "at item {0}, in length: {1}")
    @CsvSource({"0,false", "0,true", "3,true", "700,false", "700,true", "749,false", "749,true"})
    void eachItemIsEncodedOrDiscardedWhereverTheEncoderFails(int at, boolean inLength) {
        Set<Integer> emitted = ConcurrentHashMap.newKeySet();
        Set<Integer> discarded = ConcurrentHashMap.newKeySet();
        Set<Integer> consumed = ConcurrentHashMap.newKeySet();
        Disposable receiver = peer.receive(message -> message.length()).subscribe(length -> {}, error -> {});
        Flux<Integer> items = Flux.range(0, 1_000).doOnNext(emitted::add);
        assertThatThrownBy(() -> client.send(items, new Failing(at, inLength, consumed))
                        .contextWrite(context -> Operators.enableOnDiscard(
                                context,
                                item -> assertThat(discarded.add((Integer) item))
                                        .as("discarded twice: %s", item)
                                        .isTrue()))
                        .block(PATIENCE))
                .hasMessageContaining("encoder");
        await().atMost(PATIENCE).untilAsserted(() -> {
            Set<Integer> gone = new HashSet<>(consumed);
            gone.addAll(discarded);
            assertThat(gone).isEqualTo(emitted);
        });
        assertThat(Collections.disjoint(discarded, consumed)).isTrue();
        assertThat(emitted).contains(at).hasSizeLessThan(1_000);
        receiver.dispose();
    }

    @Test
    void aFatalErrorOfADecoderEndsItsStreamOnly() {
        Mono<List<Integer>> failing = peer.receive(message -> {
                    if (message.length() == 3) {
                        throw new NoClassDefFoundError("decoder");
                    }
                    return message.length();
                })
                .collectList()
                .cache();
        failing.subscribe(lengths -> {}, error -> {});
        client.send(3, target -> {}).block(PATIENCE);
        assertThatThrownBy(() -> failing.block(PATIENCE)).hasMessageContaining("decoder");
        assertGoesOn();
    }

    @Test
    void aFatalErrorOfAWriterEndsItsSendOnly() {
        assertThatThrownBy(() -> client.send(1, target -> {
                            throw new NoClassDefFoundError("writer");
                        })
                        .block(PATIENCE))
                .hasMessageContaining("writer");
        assertGoesOn();
    }

    @Test
    void aPublisherThatThrowsFromARequestEndsItsStream() {
        Publisher<Integer> source = actual -> actual.onSubscribe(new Subscription() {
            private boolean asked;

            @Override
            public void request(long n) {
                if (asked) {
                    throw new IllegalStateException("the publisher's own");
                }
                asked = true;
                for (int i = 0; i < n; i++) {
                    actual.onNext(i);
                }
            }

            @Override
            public void cancel() {}
        });
        Mono<List<Integer>> received = peer.receive(message -> message.length())
                .takeUntil(length -> length == 7)
                .collectList()
                .cache();
        received.subscribe();
        assertThatThrownBy(() -> client.send(source, (n, target) -> 1).block(PATIENCE))
                .hasMessageContaining("the publisher's own");
        client.send(7, target -> {}).block(PATIENCE);
        List<Integer> lengths = Objects.requireNonNull(received.block(PATIENCE));
        assertThat(lengths).endsWith(1, 7); // some were sent before the error
    }
}
