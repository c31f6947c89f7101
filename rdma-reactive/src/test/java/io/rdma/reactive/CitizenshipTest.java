package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.context.ContextRegistry;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.Scannable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Tests of what Reactor and its users expect of every operator: a name, scan attributes, hooks and the context. */
class CitizenshipTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private TckPair pair;
    private TckPair.Ends ends;

    @BeforeEach
    void open() {
        pair = new TckPair();
        ends = pair.connect();
    }

    @AfterEach
    void close() {
        Hooks.resetOnOperatorDebug();
        Hooks.resetOnErrorDropped();
        Hooks.resetOnEachOperator();
        Hooks.disableAutomaticContextPropagation();
        ends.client().disposeNow(PATIENCE);
        pair.close();
    }

    private Map<String, Publisher<?>> everything() {
        RdmaConnection client = ends.client();
        RemoteMemory there = new RemoteMemory(8, 8, 1);
        RegisteredBuffer buffer = Objects.requireNonNull(client.acquire().block(PATIENCE));
        try {
            return Map.ofEntries(
                    Map.entry("rdmaConnect", pair.connecting()),
                    Map.entry("rdmaBind", RdmaServer.create().bind()),
                    Map.entry("rdmaBindDatagram", RdmaDatagramSocket.create().bind()),
                    Map.entry("rdmaSend", client.send(1, target -> {})),
                    Map.entry("rdmaSendStream", client.send(Flux.range(0, 3), (n, target) -> 1)),
                    Map.entry("rdmaReceive", client.receiveOwned()),
                    Map.entry("rdmaAcquire", client.acquire()),
                    Map.entry("rdmaSendWithImmediate", client.sendWithImmediate(buffer, 1)),
                    Map.entry("rdmaSendWithInvalidate", client.sendWithInvalidate(buffer, there)),
                    Map.entry("rdmaWrite", client.write(buffer, there)),
                    Map.entry("rdmaWriteWithImmediate", client.writeWithImmediate(buffer, there, 1)),
                    Map.entry("rdmaRead", client.read(there, buffer)),
                    Map.entry("rdmaFetchAndAdd", client.fetchAndAdd(there, 1)),
                    Map.entry("rdmaCompareAndSwap", client.compareAndSwap(there, 1, 2)));
        } finally {
            buffer.close();
        }
    }

    @Test
    void everyOperatorHasANameAndRunsAsynchronously() {
        everything().forEach((name, publisher) -> {
            assertThat(Scannable.from(publisher).stepName()).isEqualTo(name);
            assertThat(Scannable.from(publisher).scan(Scannable.Attr.RUN_STYLE))
                    .as(name)
                    .isEqualTo(Scannable.Attr.RunStyle.ASYNC);
        });
    }

    @Test
    void everySubscriptionIsScannableAndKnowsWhenItIsCancelled() {
        everything().forEach((name, publisher) -> {
            AtomicReference<Scannable> subscription = new AtomicReference<>();
            BaseSubscriber<Object> actual = new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription given) {
                    subscription.set(Scannable.from(given)); // requests nothing
                }
            };
            publisher.subscribe(actual);
            Scannable scanned = subscription.get();
            assertThat(scanned.isScanAvailable()).as(name).isTrue();
            assertThat(scanned.scanUnsafe(Scannable.Attr.ACTUAL)).as(name).isSameAs(actual);
            assertThat(scanned.scan(Scannable.Attr.CANCELLED)).as(name).isFalse();
            assertThat(scanned.scan(Scannable.Attr.TERMINATED)).as(name).isFalse();
            actual.cancel();
            assertThat(scanned.scan(Scannable.Attr.CANCELLED)).as(name).isTrue();
        });
    }

    @Test
    void assemblyHooksSeeEveryOperator() {
        Queue<String> assembled = new ConcurrentLinkedQueue<>();
        Hooks.onEachOperator(publisher -> {
            assembled.add(Scannable.from(publisher).stepName());
            return publisher;
        });
        Map<String, Publisher<?>> all = everything();
        assertThat(assembled).containsAll(all.keySet());
    }

    @Test
    void aTraceNamesTheOperatorAndTheCheckpoint() {
        Hooks.onOperatorDebug();
        List<Throwable> failures = new ArrayList<>();
        ends.client()
                .fetchAndAdd(new RemoteMemory(1, 8, 0), 1) // misaligned
                .checkpoint("the ticket counter")
                .onErrorResume(error -> {
                    failures.addAll(List.of(error.getSuppressed()));
                    return Mono.empty();
                })
                .block(PATIENCE);
        assertThat(failures.toString()).contains("the ticket counter");
        ends.client()
                .send(Flux.just(1), (n, target) -> {
                    throw new IllegalStateException("on purpose");
                })
                .onErrorResume(error -> {
                    failures.addAll(List.of(error.getSuppressed()));
                    return Mono.empty();
                })
                .block(PATIENCE);
        assertThat(failures.toString()).contains("SendStreamMono");
    }

    @Test
    void itemsThatAreNotSentAreDiscarded() {
        Queue<Object> discarded = new ConcurrentLinkedQueue<>();
        Queue<Object> encoded = new ConcurrentLinkedQueue<>();
        List<RegisteredBuffer> all =
                ends.client().acquire().repeat(3).collectList().block(PATIENCE); // the whole pool
        Disposable sending = ends.client()
                .send(Flux.range(0, 100), (n, target) -> {
                    encoded.add(n);
                    return 1;
                })
                .doOnDiscard(Integer.class, discarded::add)
                .subscribe();
        assertThat(discarded).isEmpty();
        sending.dispose();
        assertThat(discarded).containsExactly(0, 1, 2, 3); // the requested items, which waited for a buffer
        Objects.requireNonNull(all).forEach(RegisteredBuffer::close);
        assertThat(encoded).isEmpty();
    }

    @Test
    void itemsThatWaitWhenTheConnectionEndsAreDiscardedOrEncoded() {
        Queue<Object> seen = new ConcurrentLinkedQueue<>();
        Queue<Integer> made = new ConcurrentLinkedQueue<>();
        CountDownLatch ended = new CountDownLatch(1);
        ends.client()
                .send(Flux.range(0, 100_000).doOnNext(made::add), (n, target) -> {
                    seen.add(n);
                    return 1;
                })
                .doOnDiscard(Integer.class, seen::add)
                .doFinally(how -> ended.countDown())
                .subscribe(nothing -> {}, error -> {});
        await().atMost(PATIENCE)
                .until(() -> seen.size() > TckPair.MESSAGES / 2); // without a receiver the stream stalls
        ends.server().dispose();
        await().atMost(PATIENCE).until(() -> ended.getCount() == 0);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(seen).containsExactlyInAnyOrderElementsOf(made));
    }

    @Test
    void anErrorAfterTheCancelIsDropped() {
        Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();
        Hooks.onErrorDropped(dropped::add);
        AtomicReference<Disposable> sending = new AtomicReference<>();
        sending.set(ends.client()
                .send(1, target -> {
                    Disposable own = sending.get();
                    if (own != null) {
                        own.dispose();
                    }
                    throw new IllegalStateException("too late");
                })
                .delaySubscription(Duration.ofMillis(1)) // so that the writer finds its Disposable
                .subscribe());
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(dropped)
                        .singleElement()
                        .satisfies(error -> assertThat(error).hasMessageContaining("too late")));
    }

    @Test
    void threadLocalsFollowASubscriberOntoTheLoop() {
        ThreadLocal<String> user = new ThreadLocal<>();
        ContextRegistry.getInstance().registerThreadLocalAccessor("user", user);
        Hooks.enableAutomaticContextPropagation();
        try {
            MemoryRegion region = Objects.requireNonNull(
                    ends.server().allocate(8, AccessFlag.REMOTE_ATOMIC).block(PATIENCE));
            String seen = ends.client()
                    .fetchAndAdd(region.remote(), 1)
                    .map(old -> user.get() + " on " + Thread.currentThread().getName())
                    .contextWrite(context -> context.put("user", "ada"))
                    .block(PATIENCE);
            assertThat(seen).startsWith("ada on rdma-loop-");
            ends.server().send(1, target -> {}).block(PATIENCE);
            assertThat(ends.client()
                            .receive(message -> "ignored")
                            .map(ignored -> String.valueOf(user.get()))
                            .contextWrite(context -> context.put("user", "grace"))
                            .blockFirst(PATIENCE))
                    .isEqualTo("grace");
        } finally {
            ContextRegistry.getInstance().removeThreadLocalAccessor("user");
        }
    }

    @Test
    void loopsAreNonBlockingThreads() throws Exception {
        MemoryRegion region = Objects.requireNonNull(
                ends.server().allocate(8, AccessFlag.REMOTE_ATOMIC).block(PATIENCE));
        AtomicReference<Boolean> nonBlocking = new AtomicReference<>();
        CountDownLatch asked = new CountDownLatch(1);
        ends.client().fetchAndAdd(region.remote(), 1).subscribe(old -> {
            nonBlocking.set(Schedulers.isInNonBlockingThread());
            asked.countDown();
        });
        assertThat(asked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(nonBlocking).hasValue(true);
    }
}
