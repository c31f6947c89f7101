package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.LeakDetector;
import io.rdma.buffer.ReceivedDatagram;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.DatagramTooLongException;
import io.rdma.internal.engine.DatagramEndpoint;
import io.rdma.internal.engine.Endpoint;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.TestDevice;
import io.rdma.types.Gid;
import io.rdma.types.VerbsException;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.DatagramAddress;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * Contract of datagrams, the same on every device. A datagram may be lost, so a test sends it again until it has
 * arrived. Each test ends with the check that nothing is in flight and all pools are whole.
 */
@Tag("alone")
abstract class DatagramContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration AGAIN = Duration.ofMillis(500);
    private static final int BUFFERS = 8;

    private final List<RdmaDatagramSocket> bound = new ArrayList<>();
    private RdmaDatagramSocket one;
    private RdmaDatagramSocket other;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    abstract String host();

    @BeforeEach
    void bindTwo() {
        TestDevice.assumed(device());
        one = bind();
        other = bind();
    }

    private RdmaDatagramBinder binder() {
        return RdmaDatagramSocket.create()
                .device(device())
                .host(host())
                .receiveBuffers(BUFFERS)
                .sendBuffers(4);
    }

    private RdmaDatagramSocket bind() {
        RdmaDatagramSocket made = binder().bindNow(PATIENCE);
        bound.add(made);
        return made;
    }

    @AfterEach
    void nothingIsLeft() {
        for (RdmaDatagramSocket each : bound) {
            each.disposeNow(PATIENCE);
            await().atMost(PATIENCE).untilAsserted(() -> assertIdle(each));
        }
        RdmaSharedResources.disposeLater().block(PATIENCE);
        for (RdmaDatagramSocket each : bound) {
            assertThat(datagrams(each).paths()).as("paths of closed resources").isZero();
        }
    }

    private static DatagramEndpoint datagrams(RdmaDatagramSocket socket) {
        return ((DefaultRdmaDatagramSocket) socket).datagrams();
    }

    private static void assertIdle(RdmaDatagramSocket each) {
        assertThat(each.endpoint().inFlight()).isZero();
        assertThat(each.endpoint().sendBuffers().leased()).isZero();
        assertThat(each.endpoint().outstandingReceives()).isZero();
        assertThat(datagrams(each).pathsInUse()).isZero();
    }

    @AfterAll
    static void nothingWasDroppedOpen() {
        System.gc();
        assertThat(LeakDetector.reported()).as("leases that nobody closed").isZero();
    }

    private static Mono<Void> text(RdmaDatagramSocket from, String text, DatagramAddress to) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return from.send(bytes.length, target -> target.copyFrom(MemorySegment.ofArray(bytes)), to);
    }

    private static String textOf(ReceivedMessage message) {
        return new String(message.toByteArray(), StandardCharsets.UTF_8);
    }

    private static Queue<String> texts(RdmaDatagramSocket at) {
        Queue<String> arrived = new ConcurrentLinkedQueue<>();
        at.receive(DatagramContract::textOf).subscribe(arrived::add);
        return arrived;
    }

    /** Repeats a send until its text has arrived. */
    private static void until(Mono<Void> send, Queue<String> arrived, String text) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
            send.block(PATIENCE);
            return Flux.interval(Duration.ofMillis(5))
                            .map(tick -> arrived.contains(text))
                            .filter(there -> there)
                            .timeout(AGAIN, Flux.empty())
                            .blockFirst()
                    != null;
        });
    }

    private static DatagramAddress find(RdmaDatagramSocket from, RdmaDatagramSocket service) {
        return Objects.requireNonNull(from.resolve(
                        service.localAddress().getAddress().getHostAddress(),
                        service.localAddress().getPort())
                .block(PATIENCE));
    }

    private static Gid gid(DatagramAddress of) {
        return Objects.requireNonNull(of.path().route()).dgid();
    }

    private static InetAddress group(int number) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {(byte) 239, 77, 78, (byte) number});
    }

    /**
     * Returns an address with the same path, but another key in the cache. On Ethernet a service level is only a
     * priority.
     */
    private static DatagramAddress by(DatagramAddress to, int serviceLevel) {
        return new DatagramAddress(to.path().withServiceLevel(serviceLevel), to.qpNumber(), to.qkey());
    }

    @Test
    void aResolvedPeerReceivesAndAnswers() {
        DatagramAddress service = find(one, other);
        assertThat(service.qpNumber()).isEqualTo(other.endpoint().qpNumber());
        assertThat(service.qkey()).isEqualTo(DatagramAddress.UDP_QKEY);
        Disposable serving = other.receiveOwned()
                .concatMap(question -> text(other, "you said " + textOf(question), question.source())
                        .doFinally(end -> question.close()))
                .subscribe();
        Queue<String> answers = texts(one);
        until(text(one, "hello", service), answers, "you said hello");
        int paths = datagrams(one).paths();
        until(text(one, "bye", service), answers, "you said bye");
        // Both sockets share the resources of the process. A path found by RDMA CM may differ from a datagram's source.
        assertThat(datagrams(one).paths()).isEqualTo(paths).isBetween(1, 2);
        serving.dispose();
    }

    @Test
    void aWiretapLogsDatagrams() {
        Logger logger = Logger.getLogger(RdmaDatagramBinder.class.getName());
        logger.setLevel(Level.FINE);
        try (CapturedLog log = new CapturedLog(logger.getName())) {
            RdmaDatagramSocket tapped = binder().wiretap(true).bindNow();
            bound.add(tapped);
            Queue<String> arrived = texts(tapped);
            DatagramAddress itself = find(tapped, tapped);
            until(text(tapped, "hello", itself), arrived, "hello");
            RegisteredBuffer buffer =
                    Objects.requireNonNull(tapped.acquire().block(PATIENCE)).limit(3);
            buffer.segment().copyFrom(MemorySegment.ofArray("bye".getBytes(StandardCharsets.US_ASCII)));
            until(tapped.send(buffer, itself), arrived, "bye");
            tapped.sendWithImmediate(buffer, 7, itself).block(PATIENCE);
            buffer.close();
            tapped.disposeNow();
            assertThat(log.has("FINE", tapped.toString(), "BOUND")).isTrue();
            assertThat(log.has("RESOLVE " + host())).isTrue();
            assertThat(log.has("SEND to " + itself + " 5 bytes", "hello")).isTrue();
            assertThat(log.has("SEND to " + itself + " 3 bytes", "bye")).isTrue();
            assertThat(log.has("SEND_WITH_IMM 7 to " + itself + " 3 bytes")).isTrue();
            assertThat(log.has("RECEIVED 5 bytes", "68 65 6c 6c 6f")).isTrue();
            await().atMost(PATIENCE).until(() -> log.has("CLOSED"));
        } finally {
            logger.setLevel(null);
        }
    }

    @Test
    void theSourceIsTheSender() {
        DatagramAddress service = find(one, other);
        Queue<DatagramAddress> sources = new ConcurrentLinkedQueue<>();
        other.receive(ReceivedDatagram::source).subscribe(sources::add);
        await().atMost(PATIENCE).pollInterval(AGAIN).until(() -> {
            text(one, "who am I?", service).block(PATIENCE);
            return !sources.isEmpty();
        });
        DatagramAddress source = sources.element();
        assertThat(source.qpNumber()).isEqualTo(one.endpoint().qpNumber());
        DatagramAddress found = find(other, one); // its hop limit may differ
        assertThat(source.qpNumber()).isEqualTo(found.qpNumber());
        assertThat(source.qkey()).isEqualTo(found.qkey());
        assertThat(gid(source)).isEqualTo(gid(found));
        assertThat(source.toString()).contains("queue pair 0x" + Integer.toHexString(source.qpNumber()));
    }

    @Test
    void theSourceOfAClosedDatagramIsRefused() {
        DatagramAddress service = find(one, other);
        Queue<ReceivedDatagram> received = new ConcurrentLinkedQueue<>();
        other.receiveOwned().doOnNext(ReceivedDatagram::close).subscribe(received::add);
        await().atMost(PATIENCE).pollInterval(AGAIN).until(() -> {
            text(one, "x", service).block(PATIENCE);
            return !received.isEmpty();
        });
        assertThatThrownBy(() -> received.element().source()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anEmptyDatagramTheLargestAndImmediateDataArrive() {
        DatagramAddress service = find(one, other);
        int mtu = one.maxMessageSize();
        Queue<String> arrived = new ConcurrentLinkedQueue<>();
        other.receive(message -> message.length() + (message.hasImmediate() ? " with " + message.immediate() : ""))
                .subscribe(arrived::add);
        until(one.send(0, target -> {}, service), arrived, "0");
        until(one.send(mtu, target -> target.fill((byte) 7), service), arrived, "" + mtu);
        RegisteredBuffer buffer = Objects.requireNonNull(one.acquire().block(PATIENCE));
        until(one.sendWithImmediate(buffer.limit(3), 0x01020304, service), arrived, "3 with " + 0x01020304);
        until(one.send(buffer.limit(5), service), arrived, "5");
        buffer.close();
    }

    @Test
    void aDatagramLongerThanAPacketIsRefusedWithTheLimit() {
        DatagramAddress service = find(one, other);
        int mtu = one.maxMessageSize();
        assertThat(mtu).isBetween(256, 4096);
        StepVerifier.create(one.send(mtu + 1, target -> {}, service))
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOfSatisfying(DatagramTooLongException.class, long_ -> {
                            assertThat(long_.limit()).isEqualTo(mtu);
                            assertThat(long_.length()).isEqualTo(mtu + 1);
                            assertThat(long_).hasMessageContaining("MTU, " + mtu);
                        }))
                .verify(PATIENCE);
        StepVerifier.create(one.send(-1, target -> {}, service))
                .expectError(IllegalArgumentException.class)
                .verify(PATIENCE);
        try (RdmaResources resources = RdmaResources.open(TestDevice.assumed(device()));
                var region = resources.domain().allocate(2L * mtu, java.util.Set.of());
                RegisteredBuffer large = RegisteredBuffer.of(region, 0, 2 * mtu)) {
            StepVerifier.create(one.send(large, service))
                    .expectError(DatagramTooLongException.class)
                    .verify(PATIENCE);
        }
        until(text(one, "and on", service), texts(other), "and on");
    }

    @Test
    void aPortWithoutAListenerFailsTheLookUpOnly() {
        int port = bind().localAddress().getPort();
        bound.getLast().disposeNow(PATIENCE);
        StepVerifier.create(one.resolve(host(), port))
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOfSatisfying(
                                RdmaConnectException.class,
                                refused ->
                                        assertThat(refused.reason()).isEqualTo(RdmaConnectException.Reason.REJECTED)))
                .verify(PATIENCE);
        until(text(one, "and on", find(one, other)), texts(other), "and on");
    }

    @Test
    void aCancelledLookUpIsBrokenOff() {
        for (int i = 0; i < 20; i++) {
            Disposable looking =
                    one.resolve(host(), other.localAddress().getPort()).subscribe();
            if (i % 2 == 0) {
                Thread.onSpinWait();
            }
            looking.dispose();
        }
        until(text(one, "and on", find(one, other)), texts(other), "and on");
    }

    @Test
    void aDatagramWithoutAReceiverIsSentAndLost() {
        DatagramAddress service = find(one, other);
        DatagramAddress nobody = new DatagramAddress(service.path(), 0x00fffe, service.qkey());
        DatagramAddress wrongKey = new DatagramAddress(service.path(), service.qpNumber(), 0x1234);
        Queue<String> arrived = texts(other);
        text(one, "lost", nobody).block(PATIENCE);
        text(one, "locked", wrongKey).block(PATIENCE);
        until(text(one, "found", service), arrived, "found");
        assertThat(arrived).doesNotContain("lost", "locked");
    }

    @Test
    void aPathThatCannotBeMadeFailsTheSendsThatNeedIt() {
        DatagramAddress service = find(one, other);
        DatagramAddress unroutable = new DatagramAddress(
                AddressHandleAttributes.of(7, service.path().port()), service.qpNumber(), service.qkey());
        for (int i = 0; i < 3; i++) { // a failure is not cached
            StepVerifier.create(text(one, "there", unroutable))
                    .expectError(VerbsException.class)
                    .verify(PATIENCE);
        }
        assertThat(datagrams(one).paths()).isZero();
        until(text(one, "here", service), texts(other), "here");
    }

    /**
     * Checks the bound, the receive buffers: each datagram that waits for demand holds one, and without a free one none
     * arrives.
     */
    @Test
    void datagramsWithoutDemandWaitInTheirBuffersAndTheRestIsLost() {
        DatagramAddress service = find(one, other);
        var receives = Endpoint.of(other.endpoint()).receives();
        AtomicInteger number = new AtomicInteger();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> {
            text(one, "" + number.getAndIncrement(), service).block(PATIENCE);
            return receives.outstanding() == BUFFERS;
        });
        for (int i = 0; i < 5; i++) {
            text(one, "too much", service).block(PATIENCE);
        }
        assertThat(receives.outstanding()).isEqualTo(BUFFERS);
        assertThat(Endpoint.of(other.endpoint()).loop().counters().starved()).isPositive();
        Queue<String> arrived = new ConcurrentLinkedQueue<>();
        other.receive(DatagramContract::textOf).take(3).doOnNext(arrived::add).blockLast(PATIENCE);
        assertThat(arrived).containsExactly("0", "1", "2");
        other.receive(DatagramContract::textOf).subscribe(arrived::add);
        until(text(one, "later", service), arrived, "later");
        assertThat(arrived).startsWith("0", "1", "2", "3", "4", "5", "6", "7");
    }

    @Test
    void demandIsHonoured() {
        DatagramAddress service = find(one, other);
        Queue<String> arrived = new ConcurrentLinkedQueue<>();
        BaseSubscriber<String> reluctant = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {}

            @Override
            protected void hookOnNext(String value) {
                arrived.add(value);
            }
        };
        other.receive(DatagramContract::textOf).subscribe(reluctant);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> {
            text(one, "message", service).block(PATIENCE);
            return other.endpoint().outstandingReceives() == BUFFERS;
        });
        assertThat(arrived).isEmpty();
        reluctant.request(2);
        await().atMost(PATIENCE).until(() -> arrived.size() == 2);
        assertThat(other.endpoint().outstandingReceives()).isEqualTo(BUFFERS - 2);
        reluctant.cancel();
    }

    @Test
    void aDecoderThatThrowsEndsItsFluxAndKeepsNothing() {
        DatagramAddress service = find(one, other);
        CountDownLatch failed = new CountDownLatch(1);
        other.receive(message -> {
                    throw new IllegalArgumentException("a stranger's nonsense");
                })
                .subscribe(ignored -> {}, e -> failed.countDown());
        await().atMost(PATIENCE).pollInterval(AGAIN).until(() -> {
            text(one, "nonsense", service).block(PATIENCE);
            return failed.await(10, TimeUnit.MILLISECONDS);
        });
        until(text(one, "sense", service), texts(other), "sense");
    }

    @Test
    void aBufferMayBeClosedOnceItsSendIsSubscribedThoughThePathIsNew() throws InterruptedException {
        DatagramAddress service = find(one, other);
        for (int i = 0; i < 8; i++) {
            RegisteredBuffer buffer = Objects.requireNonNull(one.acquire().block(PATIENCE));
            CountDownLatch sent = new CountDownLatch(1);
            one.send(buffer.limit(4), by(service, i)).subscribe(nothing -> {}, e -> {}, sent::countDown);
            buffer.close();
            assertThat(sent.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            StepVerifier.create(one.send(buffer, by(service, i)))
                    .expectError(IllegalStateException.class)
                    .verify(PATIENCE);
        }
    }

    @Test
    void thereIsOneReceiverAtATime() {
        Disposable first = other.receiveOwned().subscribe(ReceivedDatagram::close);
        StepVerifier.create(other.receiveOwned())
                .expectError(IllegalStateException.class)
                .verify(PATIENCE);
        first.dispose();
        until(text(one, "second", find(one, other)), texts(other), "second");
    }

    /**
     * Cancels sends at every stage: before they have a buffer, while their path is made, in the queue, at the device.
     */
    @Test
    void aCancelAtAnyTimeLosesNoBufferAndNoPath() throws InterruptedException {
        DatagramAddress service = find(one, other);
        Disposable drain = other.receiveOwned().subscribe(ReceivedDatagram::close);
        List<Disposable> sending = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            DatagramAddress way = by(service, i % 8);
            Mono<Void> send = text(one, "cancelled " + i, way);
            Disposable one = send.subscribe();
            switch (i % 4) {
                case 0 -> one.dispose();
                case 1 -> sending.add(one);
                case 2 -> Thread.ofVirtual().start(one::dispose).join();
                default -> {}
            }
        }
        sending.forEach(Disposable::dispose);
        await().atMost(PATIENCE).untilAsserted(() -> assertIdle(one));
        assertThat(datagrams(one).paths()).isBetween(1, 8);
        drain.dispose();
        until(text(one, "and on", service), texts(other), "and on");
    }

    @Test
    void closingEndsEverySendOnce() {
        DatagramAddress service = find(one, other);
        int count = 300;
        AtomicInteger ends = new AtomicInteger();
        Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < count; i++) {
            if (i == count / 2) {
                one.dispose();
            }
            text(one, "message " + i, by(service, i % 16))
                    .subscribe(
                            nothing -> {},
                            e -> {
                                errors.add(e);
                                ends.incrementAndGet();
                            },
                            ends::incrementAndGet);
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ends).hasValue(count));
        assertThat(errors).isNotEmpty().allSatisfy(e -> assertThat(e).isInstanceOf(ConnectionClosedException.class));
        one.disposeNow(PATIENCE);
        StepVerifier.create(text(one, "after", service))
                .expectError(ConnectionClosedException.class)
                .verify(PATIENCE);
        StepVerifier.create(one.resolve(host(), other.localAddress().getPort()))
                .expectError(RdmaConnectException.class)
                .verify(PATIENCE);
        assertThat(ends).hasValue(count);
    }

    @Test
    void closingCompletesTheReceiverAndDropsUnreadDatagrams() {
        DatagramAddress service = find(one, other);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> {
            text(one, "unread", service).block(PATIENCE);
            return other.endpoint().outstandingReceives() > 2;
        });
        StepVerifier.create(other.receiveOwned(), 0)
                .then(other::dispose)
                .expectComplete()
                .verify(PATIENCE);
        other.onDispose().block(PATIENCE);
        assertThat(other.isDisposed()).isTrue();
    }

    @Test
    void everyMemberReceivesWhatIsSentToTheGroup() throws UnknownHostException {
        RdmaDatagramSocket third = bind();
        DatagramAddress group = Objects.requireNonNull(other.join(group(1)).block(PATIENCE));
        third.join(group(1)).block(PATIENCE);
        DatagramAddress fromHere = Objects.requireNonNull(one.join(group(1)).block(PATIENCE));
        assertThat(group.qpNumber()).isEqualTo(DatagramAddress.MULTICAST_QP_NUMBER);
        assertThat(other.join(group(1)).block(PATIENCE)).isEqualTo(group);
        Queue<String> arrived = texts(other);
        Queue<String> alsoArrived = texts(third);
        until(text(one, "to all", fromHere), arrived, "to all");
        until(text(one, "to all again", fromHere), alsoArrived, "to all again");
        other.leave(group(1)).block(PATIENCE);
        until(text(one, "to the rest", fromHere), alsoArrived, "to the rest");
        assertThat(arrived).doesNotContain("to the rest");
        StepVerifier.create(other.leave(group(1)))
                .expectError(IllegalStateException.class)
                .verify(PATIENCE);
        StepVerifier.create(other.join(other.localAddress().getAddress()))
                .expectError(IllegalArgumentException.class)
                .verify(PATIENCE);
    }

    @Test
    void closingWhileGroupsAreJoinedLeavesThem() throws UnknownHostException {
        List<Disposable> joins = new ArrayList<>();
        one.join(group(2)).block(PATIENCE);
        AtomicInteger ends = new AtomicInteger();
        for (int i = 3; i < 9; i++) {
            joins.add(one.join(group(i)).subscribe(a -> {}, e -> ends.incrementAndGet(), ends::incrementAndGet));
        }
        joins.getLast().dispose();
        one.disposeNow(PATIENCE);
        await().atMost(PATIENCE).until(() -> ends.get() >= 5);
        StepVerifier.create(one.join(group(2)))
                .expectError(RdmaConnectException.class)
                .verify(PATIENCE);
        // The groups are free again: the queue pair is destroyed, not only reported as closed.
        other.join(group(2)).block(PATIENCE);
    }

    @Test
    void aPortIsBoundOnceAndTheWildcardNever() {
        assertThatThrownBy(() -> binder().port(one.localAddress().getPort()).bindNow(PATIENCE))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class,
                        e -> assertThat(e.reason()).isEqualTo(RdmaConnectException.Reason.BIND));
        assertThatThrownBy(() -> binder().host("0.0.0.0").bindNow(PATIENCE))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining("wildcard");
        int port = one.localAddress().getPort();
        one.disposeNow(PATIENCE);
        RdmaDatagramSocket again = binder().port(port).bindNow(PATIENCE);
        bound.add(again);
        assertThat(again.localAddress().getPort()).isEqualTo(port);
    }

    @Test
    void endpointsShareResourcesAndTheirPaths() {
        RdmaDatagramSocket first;
        RdmaDatagramSocket second;
        try (RdmaResources resources = RdmaResources.open(TestDevice.assumed(device()))) {
            first = binder().resources(resources).bindNow(PATIENCE);
            second = binder().resources(resources).bindNow(PATIENCE);
            DatagramAddress service = find(first, other);
            Queue<String> arrived = texts(other);
            until(text(first, "from the first", service), arrived, "from the first");
            until(text(second, "from the second", service), arrived, "from the second");
            assertThat(datagrams(second).paths()).isEqualTo(1);
            first.disposeNow(PATIENCE);
            until(text(second, "still", service), arrived, "still");
            for (int i : IntStream.range(0, 50).toArray()) {
                text(second, "at the end " + i, by(service, i % 4)).subscribe(x -> {}, e -> {});
            }
        }
        second.onDispose().block(PATIENCE);
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertIdle(first);
            assertIdle(second);
        });
        assertThat(datagrams(second).paths()).isZero();
    }
}
