package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.testing.RoutablePath;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.AsyncEventType;
import io.rdma.types.Errno;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of shared receive queues and asynchronous events, the same on every device. Each of two clients is connected
 * to a queue pair that takes its receives from one shared queue and completes them on a queue of its own.
 */
abstract class SharedReceiveQueueContract {
    private static final int DEPTH = 16;
    private static final int SLOT = 16 * 1024;
    private static final int FOREVER = 7;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int RNR_10_MICROS = 1;

    private DeviceContext context;
    private AsyncEvents events;
    private ProtectionDomain domain;
    private MemoryRegion memory;
    SharedReceiveQueue shared;
    private final SendChain sends = new SendChain(2 * DEPTH, 1);
    private final ReceiveChain receives = new ReceiveChain(4 * DEPTH, 1);
    private final CompletionBatch batch = new CompletionBatch(1);
    private final List<Client> clients = new ArrayList<>();
    Client first;
    Client second;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns whether the device raises {@code IBV_EVENT_QP_LAST_WQE_REACHED}. */
    boolean tellsLastWqe() {
        return true;
    }

    /** Returns whether the device raises {@code IBV_EVENT_QP_ACCESS_ERR} when it refuses a request of a peer. */
    boolean tellsRefusedRequests() {
        return true;
    }

    /** Returns the receiver's status for a message that is larger than its receive. */
    WorkCompletionStatus tooLargeAtReceiver() {
        return WorkCompletionStatus.LOC_LEN_ERR;
    }

    /**
     * Returns the receiver's status for a receive that names memory of another domain: IB specification volume 1,
     * 10.10.3.
     */
    WorkCompletionStatus foreignMemory() {
        return WorkCompletionStatus.LOC_PROT_ERR;
    }

    /** A sending queue pair, and the queue pair with the shared queue that it is connected to. */
    final class Client implements AutoCloseable {
        final CompletionQueue sent = context.createCompletionQueue(2 * DEPTH, null);
        final CompletionQueue received = context.createCompletionQueue(4 * DEPTH, null);
        private final QueuePairCapacity capacity = new QueuePairCapacity(DEPTH, 1, 1, 1, 0);
        final QueuePair sender = domain.createQueuePair(sent, sent, capacity);
        final QueuePair receiver = domain.createQueuePair(sent, received, shared, capacity);

        Client connect(int rnrRetry) {
            up(sender, receiver, rnrRetry);
            up(receiver, sender, rnrRetry);
            return this;
        }

        void send(long wrId, int bytes) {
            sends.clear();
            sends.add(wrId, WorkRequestOpcode.SEND).signaled();
            sends.entry(memory.segment().address(), bytes, memory.lkey());
            assertThat(sender.post(sends)).isZero();
        }

        void expectReceive(long wrId, WorkCompletionStatus status) {
            expect(received, wrId, status);
            assertThat(batch.qpNumber(0)).isEqualTo(receiver.number());
        }

        /** Sends a message and awaits both completions. */
        void deliver(long sendId, long receiveId, int bytes) {
            send(sendId, bytes);
            expectReceive(receiveId, WorkCompletionStatus.SUCCESS);
            assertThat(batch.byteLength(0)).isEqualTo(bytes);
            expect(sent, sendId, WorkCompletionStatus.SUCCESS);
        }

        @Override
        public void close() {
            sender.close();
            receiver.close();
            sent.close();
            received.close();
        }
    }

    @BeforeEach
    void open() {
        context = TestDevice.assumedInfiniBand(device()).open();
        events = context.asyncEvents();
        domain = context.allocateProtectionDomain();
        memory = domain.allocate(2L * DEPTH * SLOT, EnumSet.of(AccessFlag.LOCAL_WRITE));
        shared = domain.createSharedReceiveQueue(SharedReceiveQueueAttributes.of(DEPTH, 1));
        first = client(FOREVER);
        second = client(FOREVER);
    }

    private Client client(int rnrRetry) {
        Client client = new Client();
        clients.add(client);
        return client.connect(rnrRetry);
    }

    @AfterEach
    void closeInOrder() {
        if (context == null) {
            return;
        }
        clients.forEach(Client::close);
        shared.close();
        memory.close();
        domain.close();
        events.close();
        context.close();
    }

    private void up(QueuePair pair, QueuePair peer, int rnrRetry) {
        pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .access(EnumSet.of(AccessFlag.REMOTE_WRITE)));
        pair.modify(RoutablePath.toReadyToReceive(context, peer, 0xfffffe)
                .maxDestRdAtomic(1)
                .minRnrTimer(RNR_10_MICROS));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTS)
                .sqPsn(0xfffffe)
                .timeout(14)
                .retryCnt(7)
                .rnrRetry(rnrRetry)
                .maxRdAtomic(1));
    }

    private void expect(CompletionQueue queue, long wrId, WorkCompletionStatus status) {
        awaitOne(queue);
        assertThat(batch.wrId(0)).isEqualTo(wrId);
        assertThat(WorkCompletionStatus.of(batch.status(0))).isEqualTo(status);
    }

    /**
     * Awaits one completion. Completion queues are independent: that of a send may show its completion before that of
     * its receive.
     */
    private void awaitOne(CompletionQueue queue) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        int polled;
        while ((polled = queue.poll(batch)) == 0) {
            assertThat(System.nanoTime()).as("a completion in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
        assertThat(polled).isOne();
    }

    /** Posts receives with consecutive numbers, one slot of memory each. */
    int post(long firstWrId, int count) {
        return post(firstWrId, count, memory);
    }

    private int post(long firstWrId, int count, MemoryRegion into) {
        receives.clear();
        for (int i = 0; i < count; i++) {
            long slot = (firstWrId + i) % DEPTH;
            receives.add(firstWrId + i).entry(into.segment().address() + slot * SLOT, SLOT, into.lkey());
        }
        return shared.post(receives);
    }

    private AsyncEvent event(AsyncEventType type) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            assertThat(System.nanoTime()).as(type + " in time").isLessThan(deadline);
            if (events.await(1000)) {
                AsyncEvent event = events.take();
                if (event != null && event.type() == type) {
                    return event;
                }
            }
        }
    }

    /**
     * Checks that there is no further event of a type. Events of other types may come at any time, such as those of the
     * link.
     */
    private void assertNoMore(AsyncEventType type) {
        AsyncEvent event;
        while ((event = events.take()) != null) {
            assertThat(event.type()).isNotEqualTo(type);
        }
    }

    @Test
    void receivesAreTakenInTheOrderOfPostingByWhoeverNeedsOne() {
        for (int round = 0; round < 5; round++) { // the queue wraps
            assertThat(post(100, DEPTH)).isZero();
            for (int i = 0; i < DEPTH; i++) {
                (i % 3 == 0 ? first : second).deliver(i, 100 + i, 8);
            }
        }
        assertThat(first.received.poll(batch)).isZero();
        assertThat(second.received.poll(batch)).isZero();
    }

    @Test
    void messagesOfManyPacketsEachTakeOneReceive() {
        memory.segment().set(ValueLayout.JAVA_BYTE, SLOT - 1, (byte) 42);
        assertThat(post(1, 2)).isZero();
        second.deliver(5, 1, SLOT);
        first.deliver(6, 2, SLOT);
        assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 3 * SLOT - 1)).isEqualTo((byte) 42);
    }

    @Test
    void manyMessagesAtOnceTakeEachReceiveOnce() {
        assertThat(post(0, DEPTH)).isZero();
        for (int i = 0; i < DEPTH / 2; i++) {
            first.send(i, 2 * 4096);
            second.send(i, 2 * 4096);
        }
        boolean[] taken = new boolean[DEPTH];
        for (Client client : clients) {
            long before = -1;
            for (int i = 0; i < DEPTH / 2; i++) {
                expect(client.sent, i, WorkCompletionStatus.SUCCESS);
                awaitOne(client.received);
                int wrId = (int) batch.wrId(0);
                assertThat(batch.wrId(0)).isGreaterThan(before);
                assertThat(taken[wrId]).isFalse();
                taken[wrId] = true;
                before = wrId;
            }
        }
        assertThat(taken).doesNotContain(false);
    }

    @Test
    void receivesPostedByManyThreadsAreEachTakenOnce() throws Exception {
        int total = 400;
        AtomicInteger next = new AtomicInteger();
        List<CompletableFuture<Void>> posters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            posters.add(CompletableFuture.runAsync(() -> postWhileThereIsRoom(next, total)));
        }
        BitSet taken = new BitSet();
        int sent = 0;
        int[] underWay = new int[clients.size()];
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (taken.cardinality() < total) {
            assertThat(System.nanoTime()).as(taken.cardinality() + " in time").isLessThan(deadline);
            for (int c = 0; c < underWay.length; c++) {
                Client client = clients.get(c);
                if (sent < total && underWay[c] < DEPTH / 2) {
                    client.send(sent++, 8);
                    underWay[c]++;
                }
                if (client.sent.poll(batch) == 1) {
                    assertThat(batch.status(0) == WorkCompletionStatus.SUCCESS.code())
                            .isTrue();
                    underWay[c]--;
                }
                if (client.received.poll(batch) == 1) {
                    assertThat(batch.status(0) == WorkCompletionStatus.SUCCESS.code())
                            .isTrue();
                    assertThat(taken.get((int) batch.wrId(0))).isFalse();
                    taken.set((int) batch.wrId(0));
                }
            }
        }
        for (CompletableFuture<Void> poster : posters) {
            poster.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private void postWhileThereIsRoom(AtomicInteger next, int total) {
        ReceiveChain chain = new ReceiveChain(1, 1);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (int id = next.getAndIncrement(); id < total; id = next.getAndIncrement()) {
            chain.clear();
            chain.add(id).entry(memory.segment().address(), 8, memory.lkey());
            int result;
            while ((result = shared.post(chain)) == -Errno.ENOMEM && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
            assertThat(result).isZero();
        }
    }

    @Test
    void aSenderWaitsUntilAReceiveIsPosted() {
        first.send(1, 8);
        second.send(2, 8);
        assertThat(first.sent.poll(batch)).isZero();
        assertThat(post(7, 2)).isZero();
        expect(first.sent, 1, WorkCompletionStatus.SUCCESS);
        expect(second.sent, 2, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void aSenderWithFiniteRetriesFailsAndTheOthersDoNot() {
        Client impatient = client(1);
        impatient.send(1, 8);
        expect(impatient.sent, 1, WorkCompletionStatus.RNR_RETRY_EXC_ERR);
        assertThat(post(7, 1)).isZero();
        first.deliver(2, 7, 8);
    }

    @Test
    void theLimitIsToldOnceWhenFewerRemain() {
        assertThat(post(0, 4)).isZero();
        shared.armLimit(3);
        assertThat(shared.query().limit()).isEqualTo(3);
        assertThat(shared.query().maxWr()).isGreaterThanOrEqualTo(DEPTH);
        assertThat(shared.query().maxSge()).isGreaterThanOrEqualTo(1);
        first.deliver(1, 0, 8);
        assertNoMore(AsyncEventType.SRQ_LIMIT_REACHED); // 3 remain
        second.deliver(2, 1, 8);
        AsyncEvent event = event(AsyncEventType.SRQ_LIMIT_REACHED);
        assertThat(event.concerns(shared)).isTrue();
        assertThat(event.concerns(first.receiver)).isFalse();
        assertThatThrownBy(event::queuePairNumber).isInstanceOf(IllegalStateException.class);
        assertThat(shared.query().limit()).isZero();
        first.deliver(3, 2, 8);
        assertNoMore(AsyncEventType.SRQ_LIMIT_REACHED);
        assertThat(post(4, 2)).isZero();
        shared.armLimit(3);
        first.deliver(4, 3, 8);
        assertThat(event(AsyncEventType.SRQ_LIMIT_REACHED).concerns(shared)).isTrue();
    }

    @Test
    void aLimitAboveTheDepthIsInvalid() {
        assertThatThrownBy(() -> shared.armLimit(1 << 24))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void aQueuePairInErrorRaisesItsLastEventAndLeavesTheReceivesToTheOthers() {
        assertThat(post(0, 3)).isZero();
        first.deliver(1, 0, 8);
        first.receiver.moveToError();
        assertThat(first.receiver.queryState()).isEqualTo(QueuePairState.ERR);
        if (tellsLastWqe()) {
            AsyncEvent event = event(AsyncEventType.QP_LAST_WQE_REACHED);
            assertThat(event.concerns(first.receiver)).isTrue();
            assertThat(event.queuePairNumber()).isEqualTo(first.receiver.number());
            assertThat(event.concerns(second.receiver)).isFalse();
        }
        assertThat(first.received.poll(batch)).as("nothing is flushed").isZero();
        second.deliver(2, 1, 8);
        second.deliver(3, 2, 8);
        assertNoMore(AsyncEventType.QP_LAST_WQE_REACHED);
        assertThat(first.received.poll(batch)).isZero();
    }

    @Test
    void moreThanTheDepthIsPostedAsFarAsItFits() {
        int depth = shared.attributes().maxWr();
        assertThat(depth).isGreaterThanOrEqualTo(DEPTH);
        Assumptions.assumeTrue(depth < 4 * DEPTH, "this device granted a longer queue than asked for");
        assertThat(post(0, 4 * DEPTH)).isEqualTo(-Errno.ENOMEM);
        int posted = shared.postedBeforeFailure(receives);
        assertThat(posted).isBetween(depth, 4 * DEPTH - 1);
        first.deliver(1, 0, 8);
        assertThat(post(posted, 1)).as("there is room for one again").isZero();
        for (int i = 1; i <= posted; i++) {
            second.deliver(i, i, 8);
        }
    }

    @Test
    void aDestroyedQueuePairsCompletionsFreeTheirPlaces() {
        assertThat(post(0, DEPTH)).isZero();
        for (int i = 0; i < DEPTH; i++) {
            first.send(i, 8);
        }
        for (int i = 0; i < DEPTH; i++) {
            expect(first.sent, i, WorkCompletionStatus.SUCCESS);
        }
        first.receiver.close(); // its receives were not polled
        assertThat(post(50, DEPTH)).isZero();
        for (int i = 0; i < DEPTH; i++) {
            second.deliver(i, 50 + i, 8);
        }
    }

    @Test
    void aMessageThatIsTooLargeFailsItsQueuePairOnly() {
        receives.clear();
        receives.add(1).entry(memory.segment().address(), 8, memory.lkey());
        receives.add(2).entry(memory.segment().address(), 8, memory.lkey());
        assertThat(shared.post(receives)).isZero();
        first.send(1, 9);
        first.expectReceive(1, tooLargeAtReceiver());
        second.deliver(2, 2, 8);
    }

    @Test
    void aReceiveIntoMemoryOfAnotherDomainFails() {
        try (ProtectionDomain other = context.allocateProtectionDomain();
                MemoryRegion foreign = other.allocate((long) DEPTH * SLOT, EnumSet.of(AccessFlag.LOCAL_WRITE))) {
            assertThat(post(0, 1, foreign)).isZero();
            first.send(1, 8);
            first.expectReceive(0, foreignMemory());
            expect(first.sent, 1, WorkCompletionStatus.REM_OP_ERR);
        }
    }

    @Test
    void aQueuePairOfAnotherDomainIsRefused() {
        try (ProtectionDomain other = context.allocateProtectionDomain()) {
            assertThatThrownBy(() -> other.createQueuePair(first.sent, first.sent, shared, QueuePairCapacity.DEFAULT))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("domain");
        }
    }

    @Test
    void aQueuePairWithASharedQueueHasNoneOfItsOwn() {
        assertThat(first.receiver.capacity().maxReceiveWr())
                .isEqualTo(shared.attributes().maxWr());
        receives.clear();
        receives.add(1).entry(memory.segment().address(), 8, memory.lkey());
        assertThat(first.receiver.post(receives)).isEqualTo(-Errno.EINVAL);
    }

    @Test
    void aReceiveWithMoreEntriesThanAgreedIsInvalid() {
        int most = shared.attributes().maxSge();
        ReceiveChain wide = new ReceiveChain(1, most + 1);
        wide.clear();
        wide.add(1);
        for (int i = 0; i <= most; i++) {
            wide.entry(memory.segment().address(), 8, memory.lkey());
        }
        assertThat(shared.post(wide)).isEqualTo(-Errno.EINVAL);
        assertThat(shared.postedBeforeFailure(wide)).isZero();
    }

    @Test
    void objectsInUseAreBusy() {
        assertThatThrownBy(shared::close).isInstanceOf(VerbsException.class).hasMessageContaining("EBUSY");
        first.receiver.close();
        assertThatThrownBy(shared::close).isInstanceOf(VerbsException.class).hasMessageContaining("EBUSY");
        try (ProtectionDomain other = context.allocateProtectionDomain();
                SharedReceiveQueue unused = other.createSharedReceiveQueue(SharedReceiveQueueAttributes.of(DEPTH, 1))) {
            assertThatThrownBy(other::close).isInstanceOf(VerbsException.class).hasMessageContaining("EBUSY");
            assertThat(unused.isClosed()).isFalse();
        }
        assertThatThrownBy(context::close).isInstanceOf(VerbsException.class).hasMessageContaining("EBUSY");
    }

    @Test
    void anOverrunCompletionQueueRaisesAnEvent() {
        try (CompletionQueue tiny = context.createCompletionQueue(1, null);
                QueuePair a = domain.createQueuePair(tiny, tiny, new QueuePairCapacity(DEPTH, 1, 1, 1, 0));
                QueuePair b = domain.createQueuePair(tiny, tiny, shared, new QueuePairCapacity(DEPTH, 1, 1, 1, 0))) {
            up(a, b, FOREVER);
            up(b, a, FOREVER);
            Assumptions.assumeTrue(tiny.entries() < DEPTH, "this device granted a longer queue than asked for");
            assertThat(post(0, DEPTH)).isZero();
            sends.clear();
            for (int i = 0; i <= tiny.entries(); i++) {
                sends.add(i, WorkRequestOpcode.SEND).signaled();
                sends.entry(memory.segment().address(), 8, memory.lkey());
            }
            assertThat(a.post(sends)).isZero();
            AsyncEvent event = event(AsyncEventType.CQ_ERR);
            assertThat(event.concerns(tiny)).isTrue();
            assertThat(event.concerns(first.sent)).isFalse();
        }
    }

    @Test
    void aRefusedRequestRaisesAnEvent() {
        Assumptions.assumeTrue(
                tellsRefusedRequests(), "this device fails the queue pair and answers the peer, but raises no event");
        sends.clear();
        sends.add(1, WorkRequestOpcode.RDMA_WRITE)
                .remote(memory.segment().address(), memory.rkey() ^ 0x7f00)
                .signaled();
        sends.entry(memory.segment().address(), 8, memory.lkey());
        assertThat(first.sender.post(sends)).isZero();
        expect(first.sent, 1, WorkCompletionStatus.REM_ACCESS_ERR);
        assertThat(event(AsyncEventType.QP_ACCESS_ERR).concerns(first.receiver)).isTrue();
    }

    @Test
    void eventsHaveOneReaderThatCanBeWokenAndClosed() throws Exception {
        assertThatThrownBy(context::asyncEvents).isInstanceOf(IllegalStateException.class);
        while (events.take() != null) {
            // discards events of the link from before this test
        }
        events.wake();
        assertThat(events.await(-1)).isFalse();
        long start = System.nanoTime();
        assertThat(events.await(30)).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThan(20_000_000L);

        CompletableFuture<Boolean> woken = new CompletableFuture<>();
        Thread waiter = Thread.ofPlatform().daemon().start(() -> woken.complete(events.await(-1)));
        await().atMost(PATIENCE)
                .until(() -> Arrays.stream(waiter.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("pollAsyncEvents")));
        events.close();
        assertThat(woken.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isFalse();
        assertThatThrownBy(() -> events.await(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(events::take).isInstanceOf(IllegalStateException.class);

        events = context.asyncEvents();
        events.close(); // no thread waits: the wake-up is not left for the next reader
        events = context.asyncEvents();
        start = System.nanoTime();
        assertThat(events.await(30)).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThan(20_000_000L);
        assertThat(post(0, 1)).isZero();
        shared.armLimit(1);
        first.deliver(1, 0, 8);
        assertThat(event(AsyncEventType.SRQ_LIMIT_REACHED).concerns(shared)).isTrue();
    }

    @Test
    void unreadEventsDoNotKeepObjectsFromBeingClosed() {
        assertThat(post(0, 1)).isZero();
        shared.armLimit(1);
        first.deliver(1, 0, 8);
        first.receiver.moveToError();
        // closeInOrder() does the rest
    }
}
