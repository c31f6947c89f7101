package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.LeakDetector;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.XrcReceiver;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.TestDevice;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.verbs.QueuePairType;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * Contract of messages over extended reliable connections, the same on every device: two receivers and a server in one
 * domain, and a sender. Each test ends with the check that nothing is in flight and all buffers are back.
 */
abstract class XrcMessagesContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BUFFERS = 4;
    private static final int SIZE = 4096;

    private final NewestFirst opened = new NewestFirst();
    private final List<RdmaXrcReceiver> receivers = new ArrayList<>();
    private final List<RdmaXrcSender> senders = new ArrayList<>();
    private RdmaResources servers;
    private RdmaResources clients;
    private RdmaXrcReceiver one;
    private RdmaXrcReceiver other;
    private DisposableServer server;
    private RdmaXrcSender sender;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    abstract String host();

    @BeforeEach
    void connect() {
        servers = opened.later(RdmaResources.open(TestDevice.assumed(device())));
        clients = opened.later(RdmaResources.open(TestDevice.assumed(device())));
        try {
            one = bind();
        } catch (RdmaConnectException e) {
            Assumptions.abort(refusal(e));
        }
        other = bind();
        server = server().bindNow(PATIENCE);
        sender = connected(server);
    }

    /** Returns the reason of a skip. A software device must not refuse. */
    private String refusal(RdmaConnectException e) {
        assertThat(device()).doesNotStartWith("soft");
        assertThat(e.reason()).isEqualTo(Reason.DEVICE);
        return e.getMessage();
    }

    private RdmaXrcReceiver bind() {
        return bound(RdmaXrcReceiver.create().resources(servers).receiveBuffers(BUFFERS, SIZE));
    }

    private RdmaXrcReceiver bound(RdmaXrcBinder binder) {
        RdmaXrcReceiver made = binder.bindNow(PATIENCE);
        receivers.add(made);
        return made;
    }

    private RdmaXrcServer server() {
        return RdmaXrcServer.create().resources(servers).host(host()).port(0).receiveBufferSize(SIZE);
    }

    private RdmaXrcClient client(DisposableServer to) {
        return RdmaXrcClient.create()
                .resources(clients)
                .host(host())
                .port(to.port())
                .sendBuffers(4, 64);
    }

    private RdmaXrcSender connected(DisposableServer to) {
        RdmaXrcSender made = client(to).connectNow(PATIENCE);
        senders.add(made);
        return made;
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        for (RdmaXrcSender each : senders) {
            each.disposeNow(PATIENCE);
            assertThat(each.endpoint().inFlight()).isZero();
            assertThat(each.endpoint().sendBuffers().leased()).isZero();
        }
        if (server != null) {
            await("queue pairs of senders that left")
                    .atMost(PATIENCE)
                    .until(() -> servers.endpoints().isEmpty());
            server.disposeNow(PATIENCE);
        }
        for (RdmaXrcReceiver each : receivers) {
            each.disposeNow(PATIENCE);
            assertThat(outstanding(each)).isZero();
        }
        opened.close(); // fails if a domain, queue or region is open
    }

    @AfterAll
    static void nothingWasDroppedOpen() {
        System.gc();
        assertThat(LeakDetector.reported()).as("leases that nobody closed").isZero();
    }

    private static int outstanding(RdmaXrcReceiver receiver) {
        return engine(receiver).receives().outstanding();
    }

    private static XrcReceiver engine(RdmaXrcReceiver of) {
        return ((DefaultRdmaXrcReceiver) of).engine();
    }

    private static Mono<Void> send(RdmaXrcSender from, int value, RdmaXrcReceiver to) {
        return from.send(Integer.BYTES, target -> target.set(ValueLayout.JAVA_INT, 0, value), to.number());
    }

    private static int valueOf(ReceivedMessage message) {
        return message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    }

    private static Queue<Integer> values(RdmaXrcReceiver at) {
        Queue<Integer> arrived = new ConcurrentLinkedQueue<>();
        at.receive(XrcMessagesContract::valueOf).subscribe(arrived::add);
        return arrived;
    }

    private static Integer[] upTo(int count) {
        return IntStream.range(0, count).boxed().toArray(Integer[]::new);
    }

    private static void assertArrive(Queue<Integer> arrived, int count) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(arrived).containsExactly(upTo(count)));
    }

    @Test
    void oneSenderReachesEachReceiverInOrder() {
        int count = 10 * BUFFERS;
        Queue<Integer> atOne = values(one);
        Queue<Integer> atOther = values(other);
        Flux.range(0, count)
                .flatMapSequential(i -> Flux.merge(send(sender, i, one), send(sender, i, other)))
                .blockLast(PATIENCE);
        assertArrive(atOne, count);
        assertArrive(atOther, count);
        assertThat(servers.endpoints()).as("queue pairs of the receiving side").hasSize(1);
    }

    @Test
    void severalSendersReachOneReceiver() {
        RdmaXrcSender second = connected(server);
        Queue<Integer> arrived = values(one);
        Flux.merge(
                        Flux.range(0, 20).concatMap(i -> send(sender, i, one)),
                        Flux.range(100, 20).concatMap(i -> send(second, i, one)))
                .blockLast(PATIENCE);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(arrived).hasSize(40));
        assertThat(arrived.stream().filter(i -> i < 100)).containsExactly(upTo(20)); // each sender's are in order
        assertThat(arrived.stream().filter(i -> i >= 100).map(i -> i - 100)).containsExactly(upTo(20));
    }

    @Test
    void aSenderThatMeetsNoReceiveWaitsAndNothingIsLost() {
        int count = 3 * BUFFERS;
        Queue<Integer> acknowledged = new ConcurrentLinkedQueue<>();
        Disposable sending = Flux.range(0, count)
                .flatMapSequential(i -> send(sender, i, one).thenReturn(i))
                .subscribe(acknowledged::add);
        await("buffers that are occupied").atMost(PATIENCE).until(() -> outstanding(one) == BUFFERS);
        Queue<Integer> arrived = new ConcurrentLinkedQueue<>();
        BaseSubscriber<Integer> slow = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                subscription.request(1);
            }

            @Override
            protected void hookOnNext(Integer value) {
                arrived.add(value);
            }
        };
        one.receive(XrcMessagesContract::valueOf).subscribe(slow);
        await().atMost(PATIENCE).until(() -> arrived.size() == 1);
        await("the buffer that came back").atMost(PATIENCE).until(() -> outstanding(one) == BUFFERS);
        assertThat(acknowledged).hasSizeLessThanOrEqualTo(BUFFERS + 1);
        slow.requestUnbounded();
        assertArrive(arrived, count);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(acknowledged).containsExactly(upTo(count)));
        assertThat(sending.isDisposed()).isTrue();
    }

    @Test
    void aCancelledReceiverIsFollowedByAnother() {
        Flux.range(0, 3).concatMap(i -> send(sender, i, one)).blockLast(PATIENCE);
        assertThat(one.receive(XrcMessagesContract::valueOf).take(1).blockLast(PATIENCE))
                .isZero();
        assertThat(one.receive(XrcMessagesContract::valueOf)
                        .take(2)
                        .collectList()
                        .block(PATIENCE))
                .containsExactly(1, 2);
    }

    @Test
    void aCancelledSendThatIsPostedArrives() {
        for (int i = 0; i < BUFFERS; i++) {
            send(sender, i, one).block(PATIENCE);
        }
        Disposable waiting = send(sender, BUFFERS, one).subscribe();
        await("it is posted").atMost(PATIENCE).until(() -> sender.endpoint().inFlight() == 1);
        waiting.dispose();
        assertArrive(values(one), BUFFERS + 1);
        await("its buffer")
                .atMost(PATIENCE)
                .until(() -> sender.endpoint().sendBuffers().leased() == 0);
    }

    @Test
    void aMessageHasTheSizeOfAReceiveBufferAtMost() {
        assertThat(sender.maxMessageSize()).isEqualTo(SIZE).isEqualTo(one.maxMessageSize());
        sender.send(SIZE, target -> target.fill((byte) 7), one.number()).block(PATIENCE); // larger than a send buffer
        assertThat(one.receive(ReceivedMessage::toByteArray).blockFirst(PATIENCE))
                .hasSize(SIZE)
                .containsOnly(7);
        assertThatThrownBy(
                        () -> sender.send(SIZE + 1, target -> {}, one.number()).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most " + SIZE)
                .hasMessageContaining("all receivers");
        DisposableServer roomier = server().receiveBufferSize(2 * SIZE).bindNow(PATIENCE);
        RdmaXrcSender toRoomier = connected(roomier);
        try (RegisteredBuffer large = Endpoint.of(toRoomier.endpoint()).memory().allocateBuffer(SIZE + 1)) {
            assertThatThrownBy(() -> sender.send(large, one.number()).block(PATIENCE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("all receivers");
        }
        roomier.disposeNow(PATIENCE);
        try (RegisteredBuffer small = sender.acquire().block(PATIENCE)) {
            StepVerifier.create(sender.send(small, -1)).verifyError(IllegalArgumentException.class);
            StepVerifier.create(sender.sendWithImmediate(small, 0, -1)).verifyError(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> sender.send(1, target -> {}, 1 << 24).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("number()");
        send(sender, 1, one).block(PATIENCE);
        assertThat(one.receive(XrcMessagesContract::valueOf).blockFirst(PATIENCE))
                .isEqualTo(1);
    }

    @Test
    void ownedMessagesCarryImmediateDataAndKeepTheirBuffers() {
        try (RegisteredBuffer buffer = sender.acquire().block(PATIENCE)) {
            buffer.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 0, 5);
            sender.sendWithImmediate(buffer.limit(4), -3, one.number()).block(PATIENCE);
            sender.send(buffer, one.number()).block(PATIENCE);
        }
        List<ReceivedMessage> both = one.receiveOwned().take(2).collectList().block(PATIENCE);
        assertThat(outstanding(one)).isEqualTo(2);
        assertThat(both.getFirst().hasImmediate()).isTrue();
        assertThat(both.getFirst().immediate()).isEqualTo(-3);
        assertThat(both.getLast().hasImmediate()).isFalse();
        both.forEach(message -> {
            assertThat(valueOf(message)).isEqualTo(5);
            message.close();
        });
        assertThat(outstanding(one)).isZero();
    }

    @Test
    void aSenderOfAnotherProcessReachesThemUntilItIsKilled() throws Exception {
        Queue<Integer> arrived = values(other);
        String port = Integer.toString(server.port());
        String to = Integer.toString(other.number());
        try (JavaProcess peer = new JavaProcess(SendingPeer.class, device(), host(), port, to, "20")) {
            peer.await("sent");
            assertThat(servers.endpoints()).hasSize(2);
            peer.kill();
        }
        await("its queue pair").atMost(PATIENCE).until(() -> servers.endpoints().size() == 1);
        assertArrive(arrived, 20);
        send(sender, 20, other).block(PATIENCE);
        assertArrive(arrived, 21);
    }

    @Test
    void aNumberWithoutAReceiverEndsItsSenderAlone() {
        RdmaXrcSender second = connected(server);
        other.disposeNow(PATIENCE);
        Queue<Integer> arrived = values(one);
        assertThatThrownBy(() -> send(sender, 1, other).block(PATIENCE))
                .isInstanceOfSatisfying(
                        WorkCompletionException.class,
                        e -> assertThat(e.status()).isEqualTo(WorkCompletionStatus.REM_INV_REQ_ERR));
        sender.onDispose().block(PATIENCE);
        assertThatThrownBy(() -> send(sender, 2, one).block(PATIENCE))
                .isInstanceOf(ConnectionClosedException.class)
                .hasCauseInstanceOf(WorkCompletionException.class);
        await("its queue pair").atMost(PATIENCE).until(() -> servers.endpoints().size() == 1);
        send(second, 0, one).block(PATIENCE);
        assertArrive(arrived, 1);
    }

    @Test
    void aSenderThatWaitsForAReceiveCanEnd() {
        RdmaXrcSender second = connected(server);
        Flux.range(0, BUFFERS).concatMap(i -> send(sender, i, one)).blockLast(PATIENCE);
        CompletableFuture<Void> waiting = send(sender, BUFFERS, one).toFuture();
        CompletableFuture<Void> waitingToo = send(second, BUFFERS, one).toFuture();
        await("both are posted")
                .atMost(PATIENCE)
                .until(() -> sender.endpoint().inFlight() + second.endpoint().inFlight() == 2);
        sender.disposeNow(PATIENCE);
        assertThat(waiting)
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(ConnectionClosedException.class);
        assertThat(waitingToo).isNotDone();
        one.disposeNow(PATIENCE);
        assertThat(waitingToo)
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(WorkCompletionException.class);
    }

    @Test
    void messagesOutliveTheirReceiver() {
        send(sender, 7, one).block(PATIENCE);
        ReceivedMessage held = one.receiveOwned().blockFirst(PATIENCE);
        send(sender, 8, one).block(PATIENCE); // nobody takes it
        one.disposeNow(PATIENCE);
        assertThat(valueOf(held)).isEqualTo(7);
        held.close();
    }

    /** A completion that comes while the receiver closes must not be left where other ends have theirs. */
    @Test
    void aReceiverTakesItsCompletionQueueWithIt() {
        RdmaXrcReceiver flooded = bind();
        RdmaXrcSender flooding = connected(server);
        CompletionLoop loop = engine(flooded).loop();
        int entries = loop.entries();
        int queues = loop.completionQueues().size();
        assertThat(loop.completionQueues().getLast().entries()).isEqualTo(BUFFERS);
        Queue<Integer> arrived = values(flooded);
        Disposable flood = Flux.range(0, 100_000)
                .flatMap(i -> send(flooding, i, flooded), 4)
                .onErrorComplete()
                .subscribe();
        await("the flood").atMost(PATIENCE).until(() -> !arrived.isEmpty());
        flooded.disposeNow(PATIENCE);
        await("its end").atMost(PATIENCE).until(flood::isDisposed);
        assertThat(loop.completionQueues()).hasSize(queues - 1);
        assertThat(loop.entries()).isEqualTo(entries - BUFFERS);
        send(sender, 0, one).block(PATIENCE);
        assertArrive(values(one), 1);
    }

    @Test
    void aMessageThatIsLongerThanItsBufferEndsItsSenderAlone() {
        RdmaXrcReceiver small =
                bound(RdmaXrcReceiver.create().resources(servers).receiveBuffers(BUFFERS, 64));
        Queue<Integer> atSmall = values(small);
        for (int i = 0; i < BUFFERS; i++) {
            RdmaXrcSender doomed = connected(server);
            assertThatThrownBy(
                            () -> doomed.send(65, target -> {}, small.number()).block(PATIENCE))
                    .isInstanceOf(WorkCompletionException.class);
        }
        for (int i = 0; i < 2 * BUFFERS; i++) { // no buffer is lost
            send(sender, i, small).block(PATIENCE);
        }
        assertArrive(atSmall, 2 * BUFFERS);
    }

    @Test
    void eachEndHasAnOrderlyEndOfItsOwn() {
        AtomicReference<String> end = new AtomicReference<>();
        other.receive(XrcMessagesContract::valueOf)
                .doFinally(signal -> end.set(signal.toString()))
                .subscribe();
        other.disposeNow(PATIENCE);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(end).hasValue("onComplete"));
        assertThatThrownBy(() -> server().port(server.port()).bindNow(PATIENCE))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BIND));
        send(sender, 0, one).block(PATIENCE);
        server.disposeNow(PATIENCE);
        sender.onDispose().block(PATIENCE);
        assertThat(servers.endpoints()).isEmpty();
        assertThat(one.isDisposed()).isFalse();
        server = server().bindNow(PATIENCE);
        send(connected(server), 1, one).block(PATIENCE);
        assertArrive(values(one), 2); // the first one waited here
    }

    @Test
    void closingTheResourcesClosesReceivers() {
        Queue<String> ends = new ConcurrentLinkedQueue<>();
        one.receive(XrcMessagesContract::valueOf)
                .doFinally(signal -> ends.add(signal.toString()))
                .subscribe();
        servers.close();
        one.onDispose().block(PATIENCE);
        assertThat(one.isDisposed()).isTrue();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ends).containsExactly("onComplete"));
    }

    @Test
    void aDomainOfAFileIsAnotherOne(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("domain"));
        RdmaXrcReceiver within =
                bound(RdmaXrcReceiver.create().resources(servers).domain(file).receiveBuffers(BUFFERS, SIZE));
        DisposableServer ofFile = server().domain(file).bindNow(PATIENCE);
        RdmaXrcSender toFile = connected(ofFile);
        send(toFile, 0, within).block(PATIENCE);
        assertArrive(values(within), 1);
        assertThatThrownBy(() -> send(toFile, 1, one).block(PATIENCE)).isInstanceOf(WorkCompletionException.class);
        ofFile.disposeNow(PATIENCE);
        assertThatThrownBy(() -> RdmaXrcReceiver.create()
                        .resources(servers)
                        .domain(folder.resolve("none"))
                        .bindNow(PATIENCE))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining("Create it");
    }

    /** A process that opens the domain later, by the new file, meets those that this one binds then. */
    @Test
    void aReplacedFileHasAnotherDomain(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("domain"));
        bound(RdmaXrcReceiver.create().resources(servers).domain(file).receiveBuffers(BUFFERS, SIZE));
        Files.move(Files.createFile(folder.resolve("new")), file, StandardCopyOption.REPLACE_EXISTING);
        RdmaResources others = opened.later(RdmaResources.open(TestDevice.assumed(device())));
        RdmaXrcReceiver within =
                bound(RdmaXrcReceiver.create().resources(others).domain(file).receiveBuffers(BUFFERS, SIZE));
        DisposableServer ofFile = server().domain(file).bindNow(PATIENCE);
        send(connected(ofFile), 0, within).block(PATIENCE);
        assertArrive(values(within), 1);
        ofFile.disposeNow(PATIENCE);
    }

    @Test
    void closedResourcesConnectNoSender() {
        clients.close();
        assertThatThrownBy(() -> client(server).connectNow(PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("open new ones");
    }

    @Test
    void otherEndsAreRefused() {
        for (QueuePairType type : List.of(QueuePairType.RC, QueuePairType.UC)) {
            UnaryOperator<ConnectionOptions> byExchange =
                    options -> options.withConnectMethod(ConnectMethod.TCP).withQueuePairType(type);
            DisposableServer usual = RdmaServer.create()
                    .resources(servers)
                    .host(host())
                    .port(0)
                    .options(byExchange)
                    .bindNow(PATIENCE);
            assertRefused(client(usual).connect());
            assertRefused(RdmaClient.create()
                    .resources(clients)
                    .host(host())
                    .port(server.port())
                    .options(byExchange)
                    .connect());
            usual.disposeNow(PATIENCE);
        }
        assertThatThrownBy(() -> client(server)
                        .options(o -> o.withConnectMethod(ConnectMethod.RDMA_CM))
                        .connectNow(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ConnectMethod");
        assertThatThrownBy(() -> server().options(o -> o.withFlowControl(FlowControl.CREDITS_REQUIRED))
                        .bindNow(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("FlowControl");
        send(sender, 0, one).block(PATIENCE); // the others go on
        assertArrive(values(one), 1);
    }

    private static void assertRefused(Mono<?> connect) {
        assertThatThrownBy(() -> connect.block(PATIENCE))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining("the server refused the connection")
                .hasMessageContaining("XRC");
    }

    @Test
    void aServerLimitsItsSenders() {
        DisposableServer few = server().limits(l -> l.withConnections(1)).bindNow(PATIENCE);
        RdmaXrcSender first = connected(few);
        assertThatThrownBy(() -> client(few).connectNow(PATIENCE))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REJECTED));
        first.disposeNow(PATIENCE);
        await().atMost(PATIENCE).until(() -> servers.endpoints().size() == 1);
        connected(few).disposeNow(PATIENCE);
        few.disposeNow(PATIENCE);
    }
}
