package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.UnsupportedRequestException;
import io.rdma.types.AccessFlag;
import io.rdma.types.WorkCompletionException;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guarantees of the engine below the front-ends, the same on every device. */
abstract class EngineContract extends ConnectedContract {
    @ParameterizedTest(name = "depth {0}, signal every {1}")
    @CsvSource({"16, 1", "16, 4", "16, 8", "1, 1", "3, 32", "128, 32"})
    void tenThousandWritesFromFourThreadsEndExactlyOnce(int depth, int signalEvery) throws InterruptedException {
        connect(small().withQueuePair(small().queuePair().withMaxSendWr(depth)).withSignalEvery(signalEvery));
        MemoryRegion there = everything(server, 4 * Long.BYTES);
        MemoryRegion here = client.memory().allocate(10_000L * Long.BYTES, Set.of(AccessFlag.LOCAL_WRITE));
        for (int i = 0; i < 10_000; i++) {
            here.segment().setAtIndex(ValueLayout.JAVA_LONG, i, i);
        }
        List<RegisteredBuffer> sources = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            sources.add(RegisteredBuffer.of(here, (long) i * Long.BYTES, Long.BYTES));
        }
        ConcurrentLinkedQueue<Counted> operations = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int lane = t;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = lane; i < 10_000; i += 4) {
                    operations.add(submit(
                            client,
                            WorkRequest.write(sources.get(i), there.remote().slice(lane * 8L, 8))));
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        operations.forEach(Counted::ended);
        assertThat(operations).hasSize(10_000).allMatch(o -> o.error == null && o.ends.get() == 1);
        for (int lane = 0; lane < 4; lane++) { // the writes of a thread are in order, so its last one remains
            assertThat(there.segment().getAtIndex(ValueLayout.JAVA_LONG, lane)).isEqualTo(9_996 + lane);
        }
        sources.forEach(RegisteredBuffer::close);
        assertThat(resources.loops().getFirst().counters().stale()).isZero();
    }

    @Test
    void aQuietTailCompletes() {
        connect(small().withSignalEvery(8));
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer source = acquire(client).limit(8);
        for (int i = 0; i < 50; i++) { // one by one: none is the N-th of a chain
            assertThat(submit(client, WorkRequest.write(source, there.remote())).ended().error)
                    .isNull();
        }
        source.close();
    }

    @Test
    void readsAndAtomicsBeyondTheLimitWaitAndLetSendsPass() {
        connect(small());
        assumeAtomics();
        MemoryRegion there = everything(server, 4096);
        MemoryRegion here = client.memory().allocate(64 * 4096, Set.of(AccessFlag.LOCAL_WRITE));
        List<Counted> reads = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            RegisteredBuffer target = RegisteredBuffer.of(here, i * 4096L, 4096);
            reads.add(submit(client, WorkRequest.read(there.remote(), target)));
            reads.add(submit(client, WorkRequest.fetchAndAdd(there.remote().slice(0, 8), 1)));
            target.close(); // at once, while the device still writes to it
        }
        RegisteredBuffer message = acquire(client).limit(1);
        Counted send = submit(client, WorkRequest.send(message, true)).ended();
        assertThat(send.error).isNull();
        reads.forEach(Counted::ended);
        assertThat(reads).allMatch(r -> r.error == null);
        assertThat(reads.stream()
                        .filter(r -> r.request().isAtomic())
                        .map(r -> r.value)
                        .sorted()
                        .toList())
                .isEqualTo(java.util.stream.LongStream.range(0, 64).boxed().toList());
    }

    /** A completion covers every request before it, reads included: see {@link Abilities#ordersReads}. */
    @Test
    void aReadHasItsBytesWhenItEndsAlsoAmongWrites() {
        connect(small());
        MemoryRegion there = everything(server, 2 * Long.BYTES);
        there.segment().set(ValueLayout.JAVA_LONG, 0, 42);
        RegisteredBuffer source = acquire(client).limit(8);
        for (int round = 0; round < 200; round++) {
            RegisteredBuffer target = acquireExclusive(client).limit(8);
            target.segment().set(ValueLayout.JAVA_LONG, 0, 0);
            CompletableFuture<Long> seen = new CompletableFuture<>();
            Operation read = new Operation(WorkRequest.read(there.remote().slice(0, 8), target)) {
                @Override
                protected void completed(long result) {
                    seen.complete(target.segment().get(ValueLayout.JAVA_LONG, 0));
                }

                @Override
                protected void failed(RuntimeException error) {
                    seen.completeExceptionally(error);
                }
            };
            List<Counted> writes = new ArrayList<>();
            client.loop()
                    .execute(
                            () -> { // so that the loop retires nothing until all are posted
                                client.submit(read);
                                for (int i = 0; i < 8; i++) {
                                    writes.add(submit(
                                            client,
                                            WorkRequest.write(
                                                    source, there.remote().slice(8, 8))));
                                }
                            });
            assertThat(seen).succeedsWithin(PATIENCE).isEqualTo(42L);
            target.close();
            for (Counted write : writes) {
                assertThat(write.ended().error).isNull();
            }
        }
        source.close();
    }

    @Test
    void aFailureInTheMiddleFailsItAloneWithItsStatusAndTheRestAsClosed() {
        connect(small().withSignalEvery(8));
        assumeWritesAreAcknowledged();
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer source = acquire(client).limit(8);
        List<Counted> operations = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            var target = i == 5
                    ? new io.rdma.types.RemoteMemory(there.remote().address(), 8, there.rkey() ^ 0x5a5a00)
                    : there.remote();
            operations.add(submit(client, WorkRequest.write(source, target)));
        }
        source.close();
        operations.forEach(Counted::ended);
        assertThat(operations.subList(0, 5)).allMatch(o -> o.error == null);
        assertThat(operations.get(5).error).isInstanceOf(WorkCompletionException.class);
        assertThat(operations.subList(6, 12))
                .allMatch(o -> o.error instanceof ConnectionClosedException closed
                        && closed.getCause() == operations.get(5).error);
        client.closed().join();
        assertThatThrownBy(() -> client.memory().allocate(8, Set.of(AccessFlag.LOCAL_WRITE)))
                .isInstanceOf(ConnectionClosedException.class);
    }

    /** A device that has everything refuses nothing: {@code AbilitiesTest} has the other ones. */
    @Test
    void whatTheDeviceLacksIsRefusedAndTheConnectionGoesOn() {
        connect(small());
        Abilities abilities = client.options().abilities();
        assumeFalse(abilities.atomics() && abilities.immediate(), device() + " has atomics and immediate data");
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer source = acquire(client).limit(8);
        for (WorkRequest lacking : List.of(
                WorkRequest.fetchAndAdd(there.remote(), 1),
                WorkRequest.compareAndSwap(there.remote(), 1, 2),
                WorkRequest.sendWithImmediate(source, 1),
                WorkRequest.writeWithImmediate(source, there.remote(), 1))) {
            if (lacking.isAtomic() ? !abilities.atomics() : !abilities.immediate()) {
                assertThatThrownBy(() -> client.submit(new Counted(lacking)))
                        .isInstanceOf(UnsupportedRequestException.class)
                        .hasMessageContaining(device());
            }
        }
        assertThat(submit(client, WorkRequest.write(source, there.remote())).ended().error)
                .isNull();
        source.close();
    }

    @Test
    void anOperationThatHasEndedCanBeSubmittedAgainAndOneInFlightCannot() {
        connect(small());
        assumeAtomics();
        MemoryRegion there = everything(server, 8);
        int times = 200;
        CompletableFuture<Long> last = new CompletableFuture<>();
        AtomicInteger left = new AtomicInteger(times);
        AtomicInteger refused = new AtomicInteger();
        Operation again = new Operation(WorkRequest.fetchAndAdd(there.remote(), 1)) {
            @Override
            protected void completed(long value) {
                if (left.decrementAndGet() == 0) {
                    last.complete(value);
                    return;
                }
                client.submit(this);
                try {
                    client.submit(this);
                } catch (IllegalStateException inFlight) {
                    refused.incrementAndGet();
                }
            }

            @Override
            protected void failed(RuntimeException error) {
                last.completeExceptionally(error);
            }
        };
        client.submit(again);
        assertThat(last).succeedsWithin(PATIENCE).isEqualTo(times - 1L);
        assertThat(refused).hasValue(times - 1);
        assertThat(there.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(times);
    }

    @Test
    void anAbandonAndTheDeviceNeverBothEndAnOperation() throws InterruptedException {
        connect(small());
        MemoryRegion there = everything(server, 8);
        MemoryRegion here = client.memory().allocate(8, Set.of(AccessFlag.LOCAL_WRITE));
        List<Counted> operations = new ArrayList<>();
        BlockingQueue<Counted> submitted = new LinkedBlockingQueue<>();
        AtomicInteger abandoned = new AtomicInteger();
        int count = 400;
        Thread other = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < count; i++) {
                try {
                    if (submitted.take().abandon()) {
                        abandoned.incrementAndGet();
                    }
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
        try (RegisteredBuffer source = RegisteredBuffer.of(here, 0, 8)) {
            for (int i = 0; i < count; i++) {
                Counted operation = new Counted(WorkRequest.write(source, there.remote()));
                operations.add(operation);
                submitted.add(operation);
                client.submit(operation);
            }
            other.join();
            await().atMost(PATIENCE).until(() -> client.inFlight() == 0);
            assertThat(submit(client, WorkRequest.write(source, there.remote())).ended().error)
                    .isNull(); // so every operation posted before has ended
            assertThat(source.segment().isReadOnly()).as("the device is done").isFalse();
        }
        assertThat(operations.stream().mapToInt(o -> o.ends.get()).sum() + abandoned.get())
                .isEqualTo(count);
        assertThat(operations).allMatch(operation -> operation.error == null);
    }

    @Test
    void abandonedBeforeThePostReachesNobodyAndAbandonedAfterItHappens() {
        connect(small());
        int messages = 40; // 8 receives and 16 send requests: the last messages cannot be posted
        List<Counted> operations = new ArrayList<>();
        MemoryRegion here = client.memory().allocate(messages, Set.of(AccessFlag.LOCAL_WRITE));
        List<RegisteredBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            here.segment().set(ValueLayout.JAVA_BYTE, i, (byte) i);
            RegisteredBuffer buffer = RegisteredBuffer.of(here, i, 1);
            buffers.add(buffer);
            operations.add(submit(client, WorkRequest.send(buffer, false)));
        }
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 8);
        assertThat(operations.get(0).ended().abandon()).as("done already").isFalse();
        assertThat(operations.get(10).abandon()).as("posted, or about to be").isTrue();
        assertThat(operations.get(messages - 1).abandon()).as("waits for room").isTrue();
        assertThat(buffers.get(messages - 1).segment().isReadOnly())
                .as("never posted: the buffer is the caller's again")
                .isFalse();
        List<Integer> got = new ArrayList<>();
        await().atMost(PATIENCE).until(() -> {
            ReceivedMessage message;
            while ((message = server.receives().poll()) != null) {
                got.add((int) message.segment().get(ValueLayout.JAVA_BYTE, 0));
                message.close();
            }
            return got.contains(messages - 2);
        });
        assertThat(got).doesNotContain(messages - 1).isSorted().hasSizeGreaterThanOrEqualTo(messages - 2);
        assertThat(operations.get(messages - 1).ends).hasValue(0);
        assertThat(operations.get(10).ends).hasValue(0);
        await().atMost(PATIENCE).until(() -> client.inFlight() == 0);
        buffers.forEach(RegisteredBuffer::close);
    }

    @Test
    void eachStateOfABufferAllowsOnlyItsUses() {
        connect(small());
        MemoryRegion there = everything(server, 1 << 20);
        MemoryRegion here = client.memory().allocate(1 << 20, Set.of(AccessFlag.LOCAL_WRITE));
        RegisteredBuffer buffer = RegisteredBuffer.of(here, 0, 1 << 20);
        // OWNED
        assertThat(buffer.segment().isReadOnly()).isFalse();
        // READING(2)
        buffer.beginRead();
        buffer.beginRead();
        assertThat(buffer.segment().isReadOnly()).isTrue();
        assertThatThrownBy(() -> client.submit(new Counted(WorkRequest.read(there.remote(), buffer))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in use");
        assertThat(submit(client, WorkRequest.write(buffer, there.remote())).ended().error)
                .isNull();
        buffer.endRead();
        buffer.endRead();
        assertThat(buffer.segment().isReadOnly()).isFalse();
        // WRITING
        buffer.beginWrite();
        assertThatThrownBy(buffer::segment).hasMessageContaining("device writes");
        for (WorkRequest refused :
                List.of(WorkRequest.send(buffer.limit(8), false), WorkRequest.read(there.remote(), buffer))) {
            assertThatThrownBy(() -> client.submit(new Counted(refused))).isInstanceOf(IllegalStateException.class);
        }
        buffer.endWrite();
        // Closed while the device reads: the region lives until the device is done.
        buffer.beginRead();
        buffer.close();
        here.close();
        assertThatThrownBy(buffer::segment).hasMessageContaining("closed");
        assertThat(here.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero(); // still mapped
        buffer.endRead();
        assertThatThrownBy(() -> here.segment().get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
        buffer.close(); // a second close does nothing
    }

    @Test
    void anOperationLongerThanTheRemoteMemoryIsRefusedAlsoAfterItsLimitGrew() {
        connect(small());
        MemoryRegion there = everything(server, 64);
        RegisteredBuffer buffer = acquire(client).limit(8);
        WorkRequest write = WorkRequest.write(buffer, there.remote().slice(0, 8));
        assertThat(submit(client, write).ended().error).isNull();
        buffer.limit(9);
        assertThatThrownBy(() -> client.submit(new Counted(write)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit");
        buffer.close();
    }

    @Test
    void aWindowOnARegionThatWasClosedFailsAloneAndTheConnectionGoesOn() {
        connect(small());
        assumeTrue(resources.context().queryDevice().maxMw() > 0, device() + " has no memory windows");
        MemoryRegion region = client.memory().allocate(64, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
        region.close();
        assertThat(client.memory().bind(region, 0, 8, Set.of(AccessFlag.REMOTE_READ)))
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalStateException.class)
                .withMessageContaining("closed");
        RegisteredBuffer message = acquire(client).limit(1);
        assertThat(submit(client, WorkRequest.send(message, true)).ended().error)
                .isNull();
    }

    @Test
    void waitersForBuffersRaceWithAbandonAndCloseAndNoneIsLostOrServedTwice() throws InterruptedException {
        connect(small());
        AtomicInteger served = new AtomicInteger();
        AtomicInteger abandoned = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        int each = 5_000;
        Supplier<BufferWaiter> waiters = () -> new BufferWaiter() {
            @Override
            public void acquired(RegisteredBuffer buffer) {
                served.incrementAndGet();
                if (served.get() % 3 == 0) {
                    Thread.yield();
                }
                buffer.close();
            }

            @Override
            public void failed(RuntimeException error) {
                failed.incrementAndGet();
            }
        };
        // One waiter before and one after the race: during it, the scheduler may let every waiter be abandoned in time.
        client.sendBuffers().acquire(waiters.get());
        assertThat(served).hasValue(1);
        for (int t = 0; t < 4; t++) {
            int lane = t;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < each; i++) {
                    BufferWaiter waiter = waiters.get();
                    client.sendBuffers().acquire(waiter);
                    if (waiter.abandon()) {
                        abandoned.incrementAndGet();
                    }
                    if (lane == 0 && i == each / 2) {
                        client.close();
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        await().atMost(PATIENCE).until(() -> served.get() + abandoned.get() + failed.get() == 4 * each + 1);
        client.closed().join();
        client.sendBuffers().acquire(waiters.get());
        assertThat(served.get() + abandoned.get() + failed.get()).isEqualTo(4 * each + 2);
        assertThat(failed.get()).isPositive();
    }

    @Test
    void aWaiterThatThrowsDoesNotStopTheOthers() {
        connect(small());
        List<RegisteredBuffer> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(acquire(client));
        }
        client.sendBuffers().acquire(new BufferWaiter() {
            @Override
            public void acquired(RegisteredBuffer buffer) {
                buffer.close();
                throw new IllegalStateException("a mistake, thrown on purpose");
            }

            @Override
            public void failed(RuntimeException error) {}
        });
        CompletableFuture<RegisteredBuffer> second = new CompletableFuture<>();
        client.sendBuffers().acquire(new BufferWaiter() {
            @Override
            public void acquired(RegisteredBuffer buffer) {
                second.complete(buffer);
            }

            @Override
            public void failed(RuntimeException error) {
                second.completeExceptionally(error);
            }
        });
        all.forEach(RegisteredBuffer::close);
        assertThat(second).succeedsWithin(PATIENCE);
        second.join().close();
    }

    @Test
    void everyOperationEndsOnceWheneverTheConnectionCloses() {
        for (int round = 0; round < 10; round++) {
            connect(small());
            MemoryRegion there = everything(server, 8);
            RegisteredBuffer source = acquire(client).limit(8);
            ConcurrentLinkedQueue<Counted> operations = new ConcurrentLinkedQueue<>();
            boolean atomics = client.options().abilities().atomics();
            Endpoint closing = round % 2 == 0 ? client : server;
            Thread closer = Thread.ofPlatform().start(closing::close);
            for (int i = 0; i < 500; i++) {
                Counted operation = new Counted(
                        i % 2 == 0 || !atomics
                                ? WorkRequest.write(source, there.remote())
                                : WorkRequest.fetchAndAdd(there.remote(), 1));
                operations.add(operation);
                client.submit(operation);
            }
            source.close();
            operations.forEach(Counted::ended);
            assertThat(operations)
                    .allMatch(o -> o.error == null
                            || o.error instanceof ConnectionClosedException
                            || o.error instanceof WorkCompletionException);
            closer.interrupt();
            client.close();
            server.close();
            client.closed().join();
            server.closed().join();
            assertThat(operations).allMatch(o -> o.ends.get() == 1);
        }
    }
}
