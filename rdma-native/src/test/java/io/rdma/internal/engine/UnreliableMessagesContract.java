package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.FlushMethod;
import io.rdma.engine.LoopCounters;
import io.rdma.engine.NoReadsException;
import io.rdma.engine.UnreliableConnectionException;
import io.rdma.engine.UnsupportedRequestException;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.PlacementType;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePairType;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages of unreliable connections: their cost, their numbers, and what they lack. */
abstract class UnreliableMessagesContract extends ConnectedContract {
    private static final int RECEIVES = small().receiveBuffers();

    @Override
    @BeforeEach
    void open() {
        TestDevice.assumedInfiniBand(device());
        super.open();
    }

    private static ConnectionOptions unreliable() {
        return small().withQueuePairType(QueuePairType.UC);
    }

    private void assertNoneIsLost() {
        assertThat(client.lostMessages()).isZero();
        assertThat(server.lostMessages()).isZero();
    }

    /** Waits until the server's device has handled all requests that the client has posted. */
    private void fence() {
        try (MemoryRegion mark = everything(server, 1);
                RegisteredBuffer one = acquire(client).limit(1)) {
            one.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            await().atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .until(
                            () -> { // a fence may be lost, too
                                assertThat(submit(client, WorkRequest.write(one, mark.remote()))
                                                .ended()
                                                .error)
                                        .isNull();
                                VarHandle.fullFence();
                                return mark.segment().get(ValueLayout.JAVA_BYTE, 0) == 1;
                            });
        }
    }

    @Test
    void aMessageIsItsPayloadInOneRequest() {
        connect(unreliable());
        LoopCounters counters = client.counters();
        long before = counters.posted();
        for (int length : new int[] {1, 256, 77}) {
            try (RegisteredBuffer message = acquire(client).limit(length)) {
                message.segment().asSlice(0, length).fill((byte) length);
                assertThat(submit(client, WorkRequest.send(message, false)).ended().error)
                        .isNull();
            }
            try (ReceivedMessage got = next(server.receives()::poll)) {
                assertThat(got.length()).isEqualTo(length);
                assertThat(got.hasImmediate())
                        .as("the number is not the application's")
                        .isFalse();
                assertThat(got.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly((byte) length);
            }
            exchange(server, client);
        }
        assertThat(sendSmall(client, 0).ended().error).isNull();
        assertNext(server, 0);
        assertThat(counters.posted() - before).as("requests of seven messages").isEqualTo(7);
        assertThat(counters.creditFrames()).isZero();
        assertThat(client.options().credits()).isFalse();
        assertNoneIsLost();
    }

    @Test
    void messagesOfOneDispatchAreOneChainAndOneCompletionForFour() {
        connect(unreliable().withReceiveBuffers(16, 256));
        LoopCounters counters = client.counters();
        long posted = counters.posted();
        long signaled = counters.signaled();
        long doorbells = counters.doorbells();
        List<Counted> sends = new CopyOnWriteArrayList<>();
        try (RegisteredBuffer message = acquire(client).limit(8)) {
            Counted first = new Counted(WorkRequest.send(message, false)) {
                @Override
                protected void completed(long result) {
                    for (int i = 0; i < 12; i++) {
                        sends.add(submit(client, WorkRequest.send(message, false)));
                    }
                    super.completed(result);
                }
            };
            client.submit(first);
            first.ended();
            sends.forEach(Counted::ended);
        }
        for (int i = 0; i < 13; i++) {
            assertNext(server, 8);
        }
        assertThat(sends).hasSize(12);
        assertThat(counters.posted() - posted).isEqualTo(13);
        assertThat(counters.signaled() - signaled).isEqualTo(1 + 12 / 4);
        assertThat(counters.doorbells() - doorbells).isEqualTo(2);
        assertNoneIsLost();
    }

    @Test
    void aReceiverThatIsFullLosesMessagesAndCountsThem() {
        connect(unreliable());
        for (int i = 0; i < RECEIVES + 12; i++) {
            assertThat(sendSmall(client, 1 + i).ended().error).isNull();
        }
        fence();
        for (int i = 0; i < RECEIVES; i++) {
            assertNext(server, 1 + i);
        }
        assertThat(server.receives().poll()).isNull();
        assertNoneIsLost(); // none that can be known yet
        long before = server.counters().lost();
        exchange(client, server);
        assertThat(server.lostMessages()).isEqualTo(12);
        assertThat(server.counters().lost() - before).isEqualTo(12);
        exchange(server, client);
        assertThat(client.lostMessages()).isZero();
        exchange(client, server);
        assertThat(server.lostMessages()).isEqualTo(12);
    }

    @Test
    void aPeerThatSkipsNumbersIsHeard() {
        connect(unreliable());
        for (int i = 0; i < 5; i++) {
            client.numbers().next();
        }
        exchange(client, server);
        assertThat(server.lostMessages()).isEqualTo(5);
    }

    @Test
    void aWriteArrivesAndItsImmediateDataAreTheApplications() {
        connect(unreliable());
        try (MemoryRegion there = everything(server, 8);
                RegisteredBuffer here = acquire(client).limit(8)) {
            here.segment().set(ValueLayout.JAVA_LONG, 0, 42);
            assertThat(submit(client, WorkRequest.writeWithImmediate(here, there.remote(), -7))
                            .ended()
                            .error)
                    .isNull();
            try (ReceivedMessage told = next(server.receives()::poll)) {
                assertThat(told.immediate()).isEqualTo(-7);
                assertThat(there.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
            }
        }
        exchange(client, server);
        assertNoneIsLost();
    }

    @Test
    void eachRequestThatTheTransportLacksIsRefusedAndTheConnectionGoesOn() {
        connect(unreliable());
        try (MemoryRegion there = everything(server, 8);
                RegisteredBuffer here = acquireExclusive(client).limit(8)) {
            assertRefused(NoReadsException.class, WorkRequest.read(there.remote(), here));
            assertRefused(NoReadsException.class, WorkRequest.fetchAndAdd(there.remote(), 1));
            assertRefused(NoReadsException.class, WorkRequest.compareAndSwap(there.remote(), 0, 1));
            assertRefused(UnsupportedRequestException.class, WorkRequest.sendWithImmediate(here, 1));
            assertRefused(UnsupportedRequestException.class, WorkRequest.sendWithInvalidate(here, there.remote()));
            assertRefused(UnsupportedRequestException.class, PlacementRequest.atomicWrite(there.remote(), 1));
            for (PlacementType type : PlacementType.values()) {
                assertThat(client.flushMethod(type)).isEqualTo(FlushMethod.NONE);
                assertRefused(
                        UnsupportedRequestException.class,
                        PlacementRequest.flush(there.remote(), type, FlushMethod.NONE));
            }
            assertThatThrownBy(() -> client.memory().bind(there, 0, 8, Set.of(AccessFlag.REMOTE_READ)))
                    .isInstanceOf(UnsupportedRequestException.class);
        }
        assertThatThrownBy(() -> new ByteOutput(client))
                .isInstanceOf(UnreliableConnectionException.class)
                .hasMessageContaining("byte streams")
                .hasMessageContaining("queuePairType");
        exchange(client, server);
    }

    private void assertRefused(Class<? extends Throwable> how, WorkRequest request) {
        assertThatThrownBy(() -> client.submit(new Counted(request)))
                .isInstanceOf(how)
                .hasMessageContaining("(QueuePairType.UC)")
                .hasMessageContaining(
                        request.opcode() == WorkRequestOpcode.SEND_WITH_IMM
                                ? "into the message"
                                : "use a reliable connection (QueuePairType.RC)");
    }

    @Test
    void aMessageLongerThanAReceiveBufferIsRefused() {
        connect(unreliable().withSendBuffers(4, 512).withMaxMessageSize(1024));
        assertThat(client.options().maxMessageSize()).isEqualTo(256);
        try (RegisteredBuffer message = acquire(client).limit(257)) {
            assertThatThrownBy(() -> client.submit(new Counted(WorkRequest.send(message, false))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at most 256")
                    .hasMessageContaining("larger receiveBuffers");
        }
        exchange(client, server);
        assertNoneIsLost();
    }

    /** A probe would wait for an acknowledgement that does not come. */
    @Test
    void aQuietConnectionIsNotProbed() {
        connect(unreliable().withProbeInterval(Duration.ofMillis(10)));
        assertThat(client.probeNanos()).isZero();
        assertThat(server.probeNanos()).isZero();
    }

    @Test
    void theExchangeTellsThePeersEnd() {
        connect(unreliable());
        exchange(client, server);
        client.close();
        assertThat(server.closed()).succeedsWithin(PATIENCE);
        assertThat(server.failure()).isNull();
        assertThat(server.receives().isTerminated()).isTrue();
    }

    /** Submits a request many times and closes, before the loop polls a completion. */
    private List<Counted> submitAndClose(WorkRequest request, int count) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            List<Counted> operations = Stream.generate(() -> submit(client, request))
                                    .limit(count)
                                    .toList();
                            client.close();
                            return operations;
                        },
                        client.loop()::execute)
                .join();
    }

    /** Their completion needs no peer, so a close need not flush them. The device is busy with them for a while. */
    @Test
    void requestsThatWerePostedLeaveBeforeTheClose() {
        connect(unreliable());
        int bytes = 4 << 20;
        try (MemoryRegion there = resources.domain().allocate(bytes, Set.of(AccessFlag.REMOTE_WRITE));
                MemoryRegion here = resources.domain().allocate(bytes, Set.of(AccessFlag.LOCAL_WRITE));
                RegisteredBuffer source = RegisteredBuffer.of(here, 0, bytes)) {
            for (Counted write : submitAndClose(WorkRequest.write(source, there.remote()), 16)) {
                assertThat(write.ended().error).isNull();
            }
            for (Endpoint one : List.of(client, server)) {
                assertThat(one.closed()).succeedsWithin(PATIENCE);
                assertThat(one.failure()).isNull();
            }
        }
    }

    @Test
    void aCloseThatGivesWaitingMessagesUpIsNoOrderlyEnd() {
        connect(unreliable());
        try (RegisteredBuffer message = acquire(client).limit(8)) {
            List<Counted> sends = submitAndClose(WorkRequest.send(message, false), 40);
            sends.forEach(Counted::ended);
            assertThat(sends.getLast().error)
                    .isInstanceOfSatisfying(
                            ConnectionClosedException.class,
                            e -> assertThat(e.mayHaveExecuted()).isFalse());
        }
        assertPeerLost();
    }

    @Test
    void aMessageThatFailsHereBehindTheCloseIsNoOrderlyEnd() {
        connect(unreliable());
        try (ProtectionDomain other = resources.context().allocateProtectionDomain();
                MemoryRegion unknown = other.allocate(4096, Set.of());
                RegisteredBuffer message =
                        RegisteredBuffer.of(unknown, 0, 256)) { // not inline: the device refuses its key
            submitAndClose(WorkRequest.send(message, false), 4)
                    .forEach(send -> assertThat(send.ended().error).isNotNull());
        }
        assertPeerLost();
    }

    @Test
    void aCloseInTheMidstOfAStreamIsNoOrderlyEnd() {
        connect(unreliable());
        client.openStreams().begun();
        client.close();
        assertPeerLost();
    }

    private void assertPeerLost() {
        assertThat(client.failure()).isNull();
        assertThat(server.closed()).succeedsWithin(PATIENCE);
        assertThat(server.failure()).hasMessageContaining("without a farewell");
    }

    @Test
    void aRequestThatFailsHereEndsTheConnection() {
        connect(unreliable());
        try (ProtectionDomain other = resources.context().allocateProtectionDomain();
                MemoryRegion unknown = other.allocate(4096, Set.of());
                MemoryRegion there = everything(server, 4096);
                RegisteredBuffer source = RegisteredBuffer.of(unknown, 0, 4096)) { // the device refuses its key
            // The rdma_rxe of Linux 6.12 ends the queue pair first, and flushes the request.
            assertThat(submit(client, WorkRequest.write(source, there.remote())).ended().error)
                    .isInstanceOfAny(WorkCompletionException.class, ConnectionClosedException.class);
            assertThat(client.closed()).succeedsWithin(PATIENCE);
        }
        assertThat(server.closed()).succeedsWithin(PATIENCE);
    }
}
