package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.buffer.LeakDetector;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectMethod;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.FlushMethod;
import io.rdma.engine.UnsupportedRequestException;
import io.rdma.testing.FullStack;
import io.rdma.testing.PeerRefusal;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.PlacementType;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

/**
 * Contract of a connection, the same on every device. Each test ends with the check that nothing is in flight and all
 * pools are whole.
 */
@Tag("alone")
abstract class ConnectionContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MESSAGE = 1024;
    private static final int LARGE = 100 * MESSAGE;
    private static final int BLOCK = 64 * 1024;
    private static final int MANY = 100;
    private static final int FULL_STACKS = 20;
    private static final Consumer<Object> DROPPED = buffer -> ((RegisteredBuffer) buffer).close();
    private static final int NOT_SMALL = 300; // of 1,024 bytes, so it does not share a SEND

    private final BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    private DisposableServer server;
    private RdmaConnection client;
    private RdmaConnection peer;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of this host. */
    String host() {
        return TestDevice.host(device());
    }

    /** Returns the method by which the connections are made. */
    ConnectMethod connector() {
        return ConnectMethod.AUTOMATIC;
    }

    @BeforeEach
    void connect() throws InterruptedException {
        TestDevice.assumed(device());
        server = RdmaServer.create()
                .device(device())
                .host(host())
                .receiveBuffers(16, MESSAGE)
                .sendBuffers(8, 2 * MESSAGE)
                .options(o -> o.withMaxMessageSize(LARGE).withConnectMethod(connector()))
                .handle(connection -> {
                    accepted.add(connection);
                    return Mono.never(); // the test decides when the handler ends
                })
                .bindNow(PATIENCE);
        client = client().connectNow(PATIENCE);
        peer = nextAccepted();
    }

    private RdmaClient client() {
        return RdmaClient.create()
                .device(device())
                .host(host())
                .port(server.port())
                .receiveBuffers(16, MESSAGE)
                .sendBuffers(8, 2 * MESSAGE)
                .options(o -> o.withMaxMessageSize(LARGE).withConnectMethod(connector()));
    }

    private RdmaConnection nextAccepted() throws InterruptedException {
        return Objects.requireNonNull(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
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

    @AfterAll
    static void nothingWasDroppedOpen() {
        System.gc();
        assertThat(LeakDetector.reported()).as("leases that nobody closed").isZero();
    }

    private static Mono<Void> sendText(RdmaConnection to, String text) {
        byte[] bytes = text.getBytes();
        return to.send(bytes.length, target -> target.copyFrom(MemorySegment.ofArray(bytes)));
    }

    private static Flux<String> texts(RdmaConnection from) {
        return from.receive(message -> new String(message.toByteArray()));
    }

    private MemoryRegion region(RdmaConnection of, AccessFlag... access) {
        return Objects.requireNonNull(of.allocate(BLOCK, access).block(PATIENCE));
    }

    private static void fillRandom(MemorySegment memory) {
        byte[] bytes = new byte[(int) memory.byteSize()];
        new Random(42).nextBytes(bytes);
        memory.copyFrom(MemorySegment.ofArray(bytes));
    }

    @Test
    void messagesArriveInOrderAndWhole() {
        Flux<String> sent = Flux.range(0, 500).map(i -> "message " + i + "x".repeat(i % 300));
        Mono<Void> sending = client.send(sent, (text, target) -> {
            target.copyFrom(MemorySegment.ofArray(text.getBytes()));
            return text.length();
        });
        assertThat(Flux.merge(sending.cast(String.class), texts(peer).take(500))
                        .collectList()
                        .block(PATIENCE))
                .isEqualTo(sent.collectList().block());
    }

    @Test
    void anEmptyMessageAndTheLargestArrive() {
        client.send(0, target -> {}).block(PATIENCE);
        client.send(MESSAGE, target -> target.fill((byte) 7)).block(PATIENCE);
        StepVerifier.create(peer.receive(ReceivedMessage::length).take(2))
                .expectNext(0, MESSAGE)
                .expectComplete()
                .verify(PATIENCE);
    }

    @Test
    void streamsThatWaitForEachOthersBuffersLoseNone() {
        Disposable reading = peer.receive(ReceivedMessage::length).subscribe();
        MessageEncoder<Integer> encoder = (item, target) -> 1;
        for (int round = 0; round < 100; round++) {
            Mono<Void> one = client.send(Flux.range(0, 100).publishOn(Schedulers.parallel()), encoder);
            Mono<Void> other = client.send(Flux.range(0, 100).publishOn(Schedulers.parallel()), encoder);
            if (round % 2 == 0) {
                Mono.when(one, other).block(PATIENCE);
            } else {
                Mono.firstWithSignal(one, other).block(PATIENCE); // which cancels the other one
            }
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(PATIENCE)
                    .until(() -> client.endpoint().sendBuffers().leased() == 0);
        }
        reading.dispose();
    }

    @Test
    void anEncoderThatNeedsNoMoreThanItHasIsRefused() {
        assertThatThrownBy(() -> client.send(Flux.just(1), (item, target) -> -(int) target.byteSize())
                        .block(PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the encoder asked for");
        assertThatThrownBy(() -> client.send(Flux.just(1), (item, target) -> Integer.MIN_VALUE)
                        .block(PATIENCE))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() ->
                        client.send(Flux.just(1), (item, target) -> -LARGE).block(PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("exact");
    }

    @ParameterizedTest(name = "lengths known before: {0}")
    @ValueSource(booleans = {true, false})
    void messagesOfAnySizeKeepTheirOrder(boolean known) {
        List<Integer> sizes = List.of(10, MESSAGE + 1, 3, 2 * MESSAGE + 1, LARGE, 0, MESSAGE);
        Mono<Void> sending = client.send(Flux.fromIterable(sizes), new MessageEncoder<Integer>() {
            @Override
            public int encode(Integer size, MemorySegment target) {
                if (size > target.byteSize()) {
                    return -size;
                }
                target.asSlice(0, size).fill(size.byteValue());
                return size;
            }

            @Override
            public int length(Integer size) {
                return known ? size : 0;
            }
        });
        Flux<Integer> received = peer.receive(message -> {
            if (message.length() > 0) {
                assertThat(message.segment().get(ValueLayout.JAVA_BYTE, message.length() - 1L))
                        .isEqualTo((byte) message.length());
            }
            return message.length();
        });
        assertThat(Flux.merge(sending.cast(Integer.class), received.take(sizes.size()))
                        .collectList()
                        .block(PATIENCE))
                .isEqualTo(sizes);
        client.send(LARGE, target -> target.fill((byte) LARGE))
                .and(received.take(1))
                .block(PATIENCE);
    }

    @Test
    void aLargeItemDoesNotOvertakeASmallOneThatWaitsForABuffer() {
        List<RegisteredBuffer> all = Objects.requireNonNull(
                Flux.range(0, 8).concatMap(i -> client.acquire()).collectList().block(PATIENCE));
        Disposable sending = client.send(Flux.just(1, LARGE, 2), new MessageEncoder<Integer>() {
                    @Override
                    public int encode(Integer size, MemorySegment target) {
                        return size;
                    }

                    @Override
                    public int length(Integer size) {
                        return size;
                    }
                })
                .subscribe();
        all.forEach(RegisteredBuffer::close);
        assertThat(peer.receive(ReceivedMessage::length).take(3).collectList().block(PATIENCE))
                .containsExactly(1, LARGE, 2);
        await().atMost(PATIENCE).until(sending::isDisposed);
    }

    /**
     * Checks that a thread inside a system call on a region's memory delays the release of the memory, but does not
     * stop the loop.
     */
    @Test
    void memoryInUseByAnotherThreadDoesNotStopTheLoop() throws Exception {
        RdmaConnection second = client().connectNow(PATIENCE);
        RdmaConnection secondPeer = nextAccepted();
        MemoryRegion region = region(client, AccessFlag.LOCAL_WRITE);
        Pipe pipe = Pipe.open();
        Thread writer = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; i < 100; i++) { // more than a pipe holds, so the writer blocks
                    pipe.sink().write(region.segment().asByteBuffer());
                }
            } catch (IOException | IllegalStateException ended) {
                // the pipe, or the region, was closed
            }
        });
        await().atMost(PATIENCE)
                .until(() -> writer.getState() == Thread.State.RUNNABLE
                        && pipe.source().isOpen());
        client.disposeNow(PATIENCE);
        sendText(second, "goes on").block(PATIENCE);
        assertThat(texts(secondPeer).next().block(PATIENCE)).isEqualTo("goes on");
        pipe.source().close();
        writer.join();
        second.disposeNow(PATIENCE);
    }

    @Test
    void aSendOfAnySizeOnAClosedConnectionFails() {
        client.disposeNow(PATIENCE);
        for (int size : new int[] {1, LARGE}) {
            assertThatThrownBy(() -> client.send(size, target -> {}).block(PATIENCE))
                    .isInstanceOf(ConnectionClosedException.class);
        }
    }

    @Test
    void cancelOfALargeMessageLosesNothing() {
        for (int i = 0; i < 30; i++) {
            Disposable sending = client.send(LARGE, target -> {}).subscribe();
            if (i % 2 == 0) {
                LockSupport.parkNanos(i * 50_000L);
            }
            sending.dispose();
        }
        // In parallel: messages announced before their cancel occupy the peer's receives until a receiver reads them.
        assertThat(peer.receive(ReceivedMessage::length)
                        .filter(length -> length < LARGE)
                        .mergeWith(sendText(client, "after all that").cast(Integer.class))
                        .blockFirst(PATIENCE))
                .isEqualTo("after all that".length());
    }

    @Test
    void demandIsHonouredAndNoMessageIsLostBetweenSubscribers() {
        Flux.range(0, 10).concatMap(i -> sendText(client, "m" + i)).blockLast(PATIENCE);
        StepVerifier.create(texts(peer), 0)
                .expectSubscription()
                .expectNoEvent(Duration.ofMillis(100))
                .thenRequest(1)
                .expectNext("m0")
                .expectNoEvent(Duration.ofMillis(100))
                .thenRequest(2)
                .expectNext("m1", "m2")
                .thenCancel()
                .verify(PATIENCE);
        StepVerifier.create(texts(peer).take(7))
                .expectNext("m3", "m4", "m5", "m6", "m7", "m8", "m9")
                .expectComplete()
                .verify(PATIENCE);
    }

    @Test
    void aReceiverThatDoesNotReadStopsTheSender() {
        AtomicInteger encoded = new AtomicInteger();
        Disposable sending = client.send(Flux.range(0, 1000), (i, target) -> {
                    encoded.incrementAndGet();
                    return NOT_SMALL;
                })
                .subscribe();
        // 16 receives are posted and 8 send buffers exist, so no more messages can be on the way.
        await().atMost(PATIENCE).untilAtomic(encoded, org.hamcrest.Matchers.greaterThanOrEqualTo(16));
        await().atMost(PATIENCE)
                .until(() ->
                        client.endpoint().inFlight() == 0 && peer.endpoint().outstandingReceives() == 16);
        assertThat(encoded.get()).isLessThanOrEqualTo(16 + 8);
        assertThat(peer.receive(ReceivedMessage::length).take(1000).count().block(PATIENCE))
                .isEqualTo(1000);
        await().atMost(PATIENCE).until(sending::isDisposed);
    }

    /** Small messages share receives and send buffers, but a sender whose peer does not read stops all the same. */
    @Test
    void aReceiverThatDoesNotReadStopsASenderOfSmallMessages() {
        AtomicInteger encoded = new AtomicInteger();
        int endless = 1_000_000;
        Disposable sending = client.send(Flux.range(0, endless), (i, target) -> {
                    encoded.incrementAndGet();
                    return 8;
                })
                .subscribe();
        await().atMost(PATIENCE)
                .until(() ->
                        client.endpoint().inFlight() == 0 && peer.endpoint().outstandingReceives() == 16);
        int mostInAReceive = 1024 / (8 + 4);
        assertThat(encoded.get()).isLessThanOrEqualTo(16 * mostInAReceive + 4 * 8);
        sending.dispose();
        client.abort(new IllegalStateException("enough"));
        peer.receive(ReceivedMessage::length).onErrorComplete().blockLast(PATIENCE);
    }

    @Test
    void aRequestOfZeroIsAnErrorAndFreesTheReceiver() {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        peer.receive(ReceivedMessage::length).subscribe(new CoreSubscriber<>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(0);
            }

            @Override
            public void onNext(Integer length) {}

            @Override
            public void onError(Throwable error) {
                failure.complete(error);
            }

            @Override
            public void onComplete() {}
        });
        assertThat(failure)
                .succeedsWithin(PATIENCE)
                .isInstanceOfSatisfying(
                        IllegalArgumentException.class, e -> assertThat(e).hasMessageContaining("3.9"));
        sendText(client, "go on").block(PATIENCE);
        assertThat(texts(peer).next().block(PATIENCE)).isEqualTo("go on");
    }

    @Test
    void aSecondReceiverIsRefusedAndTheFirstGoesOn() {
        StepVerifier.create(texts(peer).take(1))
                .then(() -> StepVerifier.create(texts(peer)).verifyError(IllegalStateException.class))
                .then(() -> sendText(client, "still here").block(PATIENCE))
                .expectNext("still here")
                .expectComplete()
                .verify(PATIENCE);
    }

    /** Sends more messages than there are receive buffers, so that the peer uses every buffer again. */
    private Mono<Void> sendMany() {
        return client.send(Flux.range(0, MANY), (i, target) -> {
            target.set(ValueLayout.JAVA_INT, 0, i);
            return Integer.BYTES;
        });
    }

    private static void assertFails(ReceivedMessage stale) {
        assertThat(stale.isClosed()).isTrue();
        assertThatThrownBy(stale::segment).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Tag("lent")
    void aMessageThatADecoderKeptFailsAfterItsCall() {
        List<ReceivedMessage> kept = new ArrayList<>();
        Flux<Integer> received = peer.receive(message -> {
                    kept.forEach(ConnectionContract::assertFails);
                    kept.add(message);
                    return message.segment().get(ValueLayout.JAVA_INT, 0);
                })
                .doOnNext(i -> kept.forEach(ConnectionContract::assertFails))
                .take(8);
        assertThat(Flux.merge(sendMany().cast(Integer.class), received)
                        .take(8)
                        .collectList()
                        .block(PATIENCE))
                .containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        kept.forEach(ConnectionContract::assertFails);
    }

    @Test
    @Tag("lent")
    void aDecoderThatClosesGivesTheBufferBackOnce() {
        Flux<Integer> received = peer.receive(message -> {
            int number = message.segment().get(ValueLayout.JAVA_INT, 0);
            int before = peer.endpoint().outstandingReceives();
            message.close();
            message.close();
            assertFails(message);
            assertThat(message.length()).isEqualTo(Integer.BYTES);
            assertThat(before).isPositive();
            return number;
        });
        assertThat(Flux.merge(sendMany().cast(Integer.class), received.take(MANY))
                        .collectList()
                        .block(PATIENCE))
                .isEqualTo(Flux.range(0, MANY).collectList().block());
        assertThat(peer.endpoint().outstandingReceives()).isZero();
    }

    @Test
    @Tag("lent")
    void ownedMessagesAreNeverUsedAgain() {
        Set<ReceivedMessage> all = Collections.newSetFromMap(new IdentityHashMap<>());
        Flux<Integer> received = peer.receiveOwned().map(message -> {
            assertThat(all.add(message)).isTrue();
            int number = message.segment().get(ValueLayout.JAVA_INT, 0);
            message.close();
            all.forEach(ConnectionContract::assertFails);
            return number;
        });
        assertThat(Flux.merge(sendMany().cast(Integer.class), received.take(MANY))
                        .collectList()
                        .block(PATIENCE))
                .hasSize(MANY);
        assertThat(all).hasSize(MANY);
    }

    @Test
    void immediateDataTravelsWithMessageAndWrite() {
        TestDevice.assumeImmediate(device());
        MemoryRegion target = region(peer, AccessFlag.REMOTE_WRITE);
        RegisteredBuffer buffer = Objects.requireNonNull(client.acquire().block(PATIENCE));
        buffer.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 99);
        client.sendWithImmediate(buffer.limit(1), 0x01020304).block(PATIENCE);
        client.writeWithImmediate(buffer, target.remote(), 0x7fffffff).block(PATIENCE);
        buffer.close();
        StepVerifier.create(peer.receive(m -> m.length() + ":" + m.hasImmediate() + ":" + m.immediate())
                        .take(2))
                .expectNext("1:true:" + 0x01020304, "0:true:" + 0x7fffffff)
                .expectComplete()
                .verify(PATIENCE);
        assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 99);
    }

    @Test
    void writesAndReadsMoveEveryByte() {
        MemoryRegion there = region(peer, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
        MemoryRegion here = region(client, AccessFlag.LOCAL_WRITE);
        MemoryRegion back = region(client, AccessFlag.LOCAL_WRITE);
        fillRandom(here.segment());
        try (RegisteredBuffer source = RegisteredBuffer.of(here, 0, BLOCK);
                RegisteredBuffer target = RegisteredBuffer.of(back, 0, BLOCK)) {
            client.write(source, there.remote()).block(PATIENCE);
            assertThat(there.segment().mismatch(here.segment())).isEqualTo(-1);
            client.read(there.remote(), target).block(PATIENCE);
            assertThat(back.segment().mismatch(here.segment())).isEqualTo(-1);
        }
    }

    /** Returns memory of the peer with the right that a flush for global visibility needs here. */
    private MemoryRegion flushable() {
        FlushMethod method = client.endpoint().flushMethod(PlacementType.GLOBAL_VISIBILITY);
        AccessFlag right =
                method == FlushMethod.FLUSH ? PlacementType.GLOBAL_VISIBILITY.right() : AccessFlag.REMOTE_READ;
        return region(peer, AccessFlag.REMOTE_WRITE, right);
    }

    @Test
    void aWriteWithAGuaranteeCompletesWhenTheBytesAreVisible() {
        MemoryRegion there = flushable();
        MemoryRegion here = region(client, AccessFlag.LOCAL_WRITE);
        try (RegisteredBuffer source = RegisteredBuffer.of(here, 0, BLOCK)) {
            for (byte round = 1; round <= 10; round++) {
                here.segment().fill(round);
                client.write(source, there.remote(), PlacementType.GLOBAL_VISIBILITY)
                        .block(PATIENCE);
                assertThat(there.segment().mismatch(here.segment())).isEqualTo(-1);
            }
            client.write(source, there.remote(), PlacementType.GLOBAL_VISIBILITY)
                    .subscribe()
                    .dispose();
            client.flush(there.remote(), PlacementType.GLOBAL_VISIBILITY).block(PATIENCE);
        }
        await().atMost(PATIENCE).until(() -> client.endpoint().inFlight() == 0);
    }

    @Test
    void anAtomicWriteIsSeenOrRefused() {
        MemoryRegion there = flushable();
        Mono<Void> marking = client.atomicWrite(there.remote().slice(8, 8), 42);
        if (client.endpoint().hasAtomicWrites()) {
            marking.block(PATIENCE);
            assertThat(there.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(42);
        } else {
            assertThatThrownBy(() -> marking.block(PATIENCE)).isInstanceOf(UnsupportedRequestException.class);
        }
        assertThatThrownBy(
                        () -> client.atomicWrite(there.remote().slice(4, 8), 1).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.flush(there.remote().slice(4, 0), PlacementType.GLOBAL_VISIBILITY)
                        .block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class);
        client.flush(there.remote(), PlacementType.GLOBAL_VISIBILITY).block(PATIENCE); // the connection goes on
    }

    @Test
    void aGuaranteeWithoutAWayToItIsRefused() {
        assumeTrue(
                client.endpoint().flushMethod(PlacementType.PERSISTENCE) == FlushMethod.NONE,
                device() + " has a FLUSH for persistence");
        MemoryRegion there = flushable();
        assertThatThrownBy(() ->
                        client.flush(there.remote(), PlacementType.PERSISTENCE).block(PATIENCE))
                .isInstanceOf(UnsupportedRequestException.class);
        client.flush(there.remote(), PlacementType.GLOBAL_VISIBILITY).block(PATIENCE); // the connection goes on
    }

    @Test
    void aMonoIsColdAndPostsAtEachSubscription() {
        TestDevice.assumeAtomics(device());
        MemoryRegion there = region(peer, AccessFlag.REMOTE_ATOMIC);
        Mono<Long> ticket = client.fetchAndAdd(there.remote(), 5);
        assertThat(there.segment().get(ValueLayout.JAVA_LONG, 0)).isZero();
        assertThat(ticket.block(PATIENCE)).isZero();
        assertThat(ticket.block(PATIENCE)).isEqualTo(5);
        assertThat(there.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(10);
    }

    @Test
    void atomicsAreAtomicWhenMoreAreSubmittedThanTheDeviceTakes() {
        TestDevice.assumeAtomics(device());
        MemoryRegion there = region(peer, AccessFlag.REMOTE_ATOMIC);
        RemoteMemory counter = there.remote();
        List<Long> tickets = Objects.requireNonNull(Flux.range(0, 300)
                .flatMap(i -> client.fetchAndAdd(counter, 1), 300)
                .collectSortedList()
                .block(PATIENCE));
        assertThat(tickets).hasSize(300).doesNotHaveDuplicates().startsWith(0L).endsWith(299L);
        assertThat(client.compareAndSwap(counter, 1, 2).block(PATIENCE)).isEqualTo(300);
        assertThat(client.compareAndSwap(counter, 300, -1).block(PATIENCE)).isEqualTo(300);
        assertThat(there.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(-1);
    }

    @Test
    void cancelBeforeAndAfterThePostLosesNoBuffer() {
        for (int i = 0; i < 200; i++) {
            Disposable sending = client.send(64, target -> {}).subscribe();
            if (i % 2 == 0) {
                sending.dispose();
            }
            // A subscriber that is disposed of while its buffer comes passes the buffer to this hook.
            Disposable acquiring = client.acquire()
                    .contextWrite(Context.of("reactor.onNextDropped.local", DROPPED))
                    .subscribe(RegisteredBuffer::close);
            acquiring.dispose();
            peer.receive(ReceivedMessage::length)
                    .take(1)
                    .timeout(Duration.ofMillis(2), Mono.empty())
                    .blockLast(PATIENCE);
        }
        peer.receive(ReceivedMessage::length)
                .mergeWith(sendText(client, "last").cast(Integer.class))
                .filter(length -> length == 4)
                .blockFirst(PATIENCE);
        await().atMost(PATIENCE).until(() -> client.endpoint().sendBuffers().leased() == 0);
    }

    // The next three tests are the rows of the table in docs/guide/buffers.md.

    @Test
    void aSendThatIsCancelledWhileItWaitsIsNeverSent() {
        for (int i = 0; i < 16; i++) {
            sendText(client, "fills the ring").block(PATIENCE);
        }
        Disposable waiting = sendText(client, "never sent").subscribe();
        RegisteredBuffer buffer = Objects.requireNonNull(client.acquire().block(PATIENCE));
        Disposable owned = client.send(buffer.limit(3)).subscribe();
        waiting.dispose();
        owned.dispose();
        assertThat(buffer.segment().isReadOnly()).as("the caller's again").isFalse();
        buffer.close();
        assertThat(client.endpoint().sendBuffers().leased()).isZero();
        assertThat(texts(peer)
                        .mergeWith(sendText(client, "last").cast(String.class))
                        .takeUntil("last"::equals)
                        .collectList()
                        .block(PATIENCE))
                .hasSize(17)
                .doesNotContain("never sent");
    }

    @Test
    void anOperationCancelledAfterThePostHappensAndKeepsItsBufferUntilThen() {
        TestDevice.assumeAtomics(device());
        MemoryRegion there = region(peer, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);
        MemoryRegion here = region(client, AccessFlag.LOCAL_WRITE);
        here.segment().fill((byte) 9);
        RegisteredBuffer source = RegisteredBuffer.of(here, 0, BLOCK);
        client.write(source, there.remote()).subscribe().dispose();
        await().atMost(PATIENCE).until(() -> client.endpoint().inFlight() == 0);
        Disposable adding = client.fetchAndAdd(there.remote().slice(0, 8), 1).subscribe();
        // Waits until it is posted. An operation that is submitted during a dispatch is posted after that dispatch.
        while (!adding.isDisposed() && client.endpoint().inFlight() == 0) {
            Thread.onSpinWait();
        }
        adding.dispose();
        source.close();
        here.close(); // the device still holds the region
        await().atMost(PATIENCE).until(() -> there.segment().get(ValueLayout.JAVA_BYTE, BLOCK - 1L) == 9);
        await().atMost(PATIENCE).until(() -> there.segment().get(ValueLayout.JAVA_BYTE, 0) == 10);
        await().atMost(PATIENCE).until(() -> client.endpoint().inFlight() == 0);
    }

    @Test
    void aBufferThatComesTooLateGoesBack() {
        List<RegisteredBuffer> all =
                Flux.range(0, 8).concatMap(i -> client.acquire()).collectList().block(PATIENCE);
        Disposable waiting = client.acquire().subscribe();
        waiting.dispose();
        Objects.requireNonNull(all).forEach(RegisteredBuffer::close);
        assertThat(client.endpoint().sendBuffers().leased()).isZero();
    }

    @Test
    void misuseIsRefusedAndTheConnectionGoesOn() {
        TestDevice.assumeAtomics(device());
        RegisteredBuffer buffer = Objects.requireNonNull(client.acquire().block(PATIENCE));
        RemoteMemory somewhere = new RemoteMemory(4097, 8, 1);
        assertThatThrownBy(() -> client.send(LARGE + 1, target -> {}).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxMessageSize");
        assertThatThrownBy(() -> client.fetchAndAdd(somewhere, 1).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8-byte boundary");
        assertThatThrownBy(() -> client.write(buffer, somewhere).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("longer");
        assertThatThrownBy(() -> client.send(1, target -> {
                            throw new IllegalStateException("the writer's own");
                        })
                        .block(PATIENCE))
                .hasMessage("the writer's own");
        buffer.limit(8).close();
        assertThatThrownBy(() -> client.send(buffer).block(PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(buffer::segment).isInstanceOf(IllegalStateException.class);
        sendText(client, "fine").block(PATIENCE);
        assertThat(texts(peer).next().block(PATIENCE)).isEqualTo("fine");
    }

    @Test
    void aDecoderThatThrowsGivesTheBufferBack() {
        sendText(client, "bad").block(PATIENCE);
        StepVerifier.create(peer.receive(m -> {
                    throw new IllegalArgumentException("cannot decode");
                }))
                .expectErrorMessage("cannot decode")
                .verify(PATIENCE);
        sendText(client, "good").block(PATIENCE);
        assertThat(texts(peer).next().block(PATIENCE)).isEqualTo("good");
    }

    @Test
    void anErrorOfAWriterOrDecoderDoesNotEndTheConnection() {
        assertThatThrownBy(() -> client.send(1, target -> {
                            throw new AssertionError("writer");
                        })
                        .block(PATIENCE))
                .hasMessageContaining("writer");
        sendText(client, "one").block(PATIENCE);
        assertThatThrownBy(() -> peer.receive(message -> {
                            throw new AssertionError("decoder");
                        })
                        .blockFirst(PATIENCE))
                .hasMessageContaining("decoder");
        sendText(client, "two").block(PATIENCE);
        assertThat(texts(peer).next().block(PATIENCE)).isEqualTo("two");
    }

    /**
     * Checks errors that Reactor regards as fatal. Reactor throws such an error instead of signalling it, and the
     * subscriber would then wait for ever without a notification.
     */
    @Test
    void aFatalErrorOfADecoderReachesItsSubscriberOnly() {
        sendText(client, "one").block(PATIENCE);
        assertThatThrownBy(() -> peer.receive(message -> {
                            throw new StackOverflowError("decoder");
                        })
                        .blockFirst(PATIENCE))
                .hasStackTraceContaining("StackOverflowError: decoder");
        Mono<Object> later = peer.receive(message -> {
                    throw new LinkageError("decoder");
                })
                .next();
        CompletableFuture<Object> ended = later.toFuture(); // this receiver decodes on the loop
        sendText(client, "two").block(PATIENCE);
        assertThatThrownBy(() -> ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasStackTraceContaining("LinkageError: decoder");
        sendText(client, "three").block(PATIENCE);
        assertThat(texts(peer).next().block(PATIENCE)).isEqualTo("three");
    }

    /**
     * Checks that an interrupt does not outlive its decoder. The decoder runs on the loop, whose waits and other
     * receivers must not be interrupted.
     */
    @Test
    void anInterruptThatADecoderLeavesIsGoneAtTheNextMessage() {
        int messages = 4;
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        CompletableFuture<Long> received = peer.receive(message -> {
                    interrupted.add(Thread.currentThread().isInterrupted());
                    Thread.currentThread().interrupt();
                    return message.length();
                })
                .take(messages)
                .count()
                .toFuture();
        for (int i = 1; i <= messages; i++) {
            int sent = i;
            sendText(client, "message").block(PATIENCE);
            await().atMost(PATIENCE).until(() -> interrupted.size() == sent);
        }
        assertThat(received.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
                .isEqualTo(messages);
        assertThat(interrupted).containsOnly(false);
    }

    @Test
    void aWrongKeyEndsThisConnectionOnly() throws InterruptedException {
        MemoryRegion there = region(peer, AccessFlag.REMOTE_READ);
        RemoteMemory wrong = new RemoteMemory(there.remote().address(), 8, there.rkey() ^ 0x5a5a00);
        assertLost(wrong);
        RdmaConnection second = client().connectNow(PATIENCE);
        RdmaConnection secondPeer = nextAccepted();
        sendText(second, "the server lives").block(PATIENCE);
        assertThat(texts(secondPeer).next().block(PATIENCE)).isEqualTo("the server lives");
        second.disposeNow(PATIENCE);
    }

    @Test
    void accessOutsideTheRegionIsRefused() {
        MemoryRegion there = region(peer, AccessFlag.REMOTE_READ);
        assertLost(new RemoteMemory(there.remote().address() + BLOCK - 4, 8, there.rkey()));
    }

    @Test
    void accessThatWasNotGrantedIsRefused() {
        TestDevice.assumeRightToReadCounts(device());
        MemoryRegion there = region(peer, AccessFlag.LOCAL_WRITE);
        assertLost(there.remote().slice(0, 8));
    }

    private void assertLost(RemoteMemory remote) {
        RegisteredBuffer buffer = Objects.requireNonNull(client.acquire().block(PATIENCE));
        Mono<Void> read = client.read(remote, buffer.limit(8));
        PeerRefusal.assertOfRead(device(), catchThrowable(() -> read.block(PATIENCE)));
        PeerRefusal.assertLost(
                device(), catchThrowable(() -> client.send(1, target -> {}).block(PATIENCE)));
        buffer.close();
        client.onDispose().block(PATIENCE);
        peer.onDispose().block(PATIENCE);
    }

    @Test
    void everyOperationInFlightEndsOnceWhenTheConnectionIsDisposed() {
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < 100; i++) { // the peer reads nothing, so most wait for a receive or a buffer
            client.send(8, target -> {})
                    .subscribe(nothing -> {}, error -> ended.incrementAndGet(), ended::incrementAndGet);
        }
        client.dispose();
        await().atMost(PATIENCE).untilAtomic(ended, org.hamcrest.Matchers.equalTo(100));
        client.onDispose().block(PATIENCE);
        assertThat(ended).hasValue(100);
    }

    @Test
    void anOrderlyEndDeliversWhatArrivedAndCompletes() {
        sendText(client, "last words").block(PATIENCE);
        client.disposeNow(PATIENCE);
        StepVerifier.create(texts(peer))
                .expectNext("last words")
                .expectComplete()
                .verify(PATIENCE);
    }

    /** A subscriber that requests when the test says so, and counts the ends. */
    private static final class Ends extends BaseSubscriber<Void> {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        protected void hookOnSubscribe(Subscription subscription) {}

        @Override
        protected void hookOnComplete() {
            count.incrementAndGet();
        }

        @Override
        protected void hookOnError(Throwable error) {
            count.incrementAndGet();
        }
    }

    /** A request that throws StackOverflowError has done nothing, so it can be repeated where there is more room. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRequestOnAFullStackThrowsOrEnds(boolean closed) throws InterruptedException {
        MemoryRegion there = region(peer, AccessFlag.REMOTE_WRITE);
        MemoryRegion here = region(client, AccessFlag.LOCAL_WRITE);
        try (RegisteredBuffer source = RegisteredBuffer.of(here, 0, 8)) {
            Mono<Void> write = client.write(source, there.remote());
            write.block(PATIENCE); // loads the classes
            if (closed) {
                client.disposeNow(PATIENCE);
            }
            List<Ends> all = Stream.generate(Ends::new).limit(FULL_STACKS).toList();
            all.forEach(write::subscribe);
            int[] next = {0};
            FullStack.atEachDepth(FULL_STACKS, () -> {
                all.get(next[0]).request(1);
                next[0]++;
            });
            all.forEach(one -> await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(one.count).hasValue(1)));
        }
    }
}
