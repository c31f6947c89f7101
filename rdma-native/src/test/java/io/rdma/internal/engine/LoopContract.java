package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.IdleStrategy;
import io.rdma.engine.LoopCounters;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.MemoryRegion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Guarantees of completion loops: no lost wake-up, many connections on one loop, several loops side by side, and
 * counters and events that show their work.
 */
abstract class LoopContract extends ConnectedContract {
    /** Returns the number of connections that one loop carries in the test. */
    abstract int manyConnections();

    /**
     * Makes each operation wait for the one before, so that the loop falls asleep in between whenever it may. A lost
     * wake-up makes the test hang.
     */
    @ParameterizedTest
    @EnumSource(IdleStrategy.class)
    void noStrategyLosesAWakeUp(IdleStrategy strategy) {
        reopen(ResourceOptions.DEFAULT.withIdleStrategy(strategy));
        connect(small());
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer buffer = acquire(client).limit(8);
        for (int i = 0; i < 1_000; i++) {
            assertThat(submit(client, WorkRequest.write(buffer, there.remote())).ended().error)
                    .isNull();
        }
        buffer.close();
        CompletionLoop loop = resources.loops().getFirst();
        if (strategy == IdleStrategy.BUSY_SPIN || strategy == IdleStrategy.BACK_OFF) {
            assertThat(loop.counters().sleeps()).isZero();
        } else { // with a fast device it may not have slept yet; it does once it is idle
            await().atMost(PATIENCE).until(() -> loop.counters().sleeps() > 0);
        }
    }

    @Test
    void connectionsSpreadOverTheLoops() {
        reopen(ResourceOptions.DEFAULT.withLoops(3));
        List<Endpoint> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            connect(small());
            all.addAll(List.of(client, server));
        }
        assertThat(resources.loops()).hasSize(3).allMatch(loop -> loop.members().size() == 4);
        for (Endpoint endpoint : all) {
            endpoint.close();
            endpoint.closed().join();
        }
    }

    @Test
    void aConnectionThatFindsNoRoomIsRefusedAndTheOthersLive() {
        reopen(ResourceOptions.DEFAULT.withCompletionQueueEntries(256).withMaxCompletionQueueEntries(256));
        List<Endpoint> all = new ArrayList<>();
        // A device may grant more entries than requested, but never as many as these connections need.
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 1000; i++) {
                        connect(small());
                        all.addAll(List.of(client, server));
                    }
                })
                .hasMessageMatching("(?s).*(completion queue has no room|its log says why).*"); // of either side
        assertThat(all).isNotEmpty().noneMatch(Endpoint::isClosing);
        assertThat(submit(client, WorkRequest.send(acquire(client).limit(8), true))
                        .ended()
                        .error)
                .isNull();
        for (Endpoint endpoint : all) {
            endpoint.close();
            endpoint.closed().join();
            endpoint.receives().discard();
        }
        CompletionLoop loop = resources.loops().getFirst();
        await().atMost(PATIENCE).until(() -> loop.freeEntries() == loop.entries()); // also those of the refused one
    }

    /**
     * Makes each operation wait for the one before, so that the loop sleeps between them with all its completion queues
     * armed.
     */
    @Test
    void aLoopAddsCompletionQueuesAndMissesNoEventOfAny() {
        reopen(ResourceOptions.DEFAULT.withCompletionQueueEntries(40).withIdleStrategy(IdleStrategy.SLEEP));
        CompletionLoop loop = resources.loops().getFirst();
        int first = loop.entries();
        List<Endpoint> all = new ArrayList<>();
        while (loop.completionQueues().size() < 4) {
            connect(small());
            all.addAll(List.of(client, server));
        }
        assertThat(loop.entries()).isGreaterThan(first);
        for (int round = 0; round < 20; round++) { // more events of each queue than are acknowledged at a time
            for (int i = 0; i < all.size(); i++) {
                exchange(all.get(i), all.get(i ^ 1));
            }
        }
        assertThat(loop.counters().stale()).isZero();
        for (Endpoint endpoint : all) {
            endpoint.close();
            endpoint.closed().join();
        }
    }

    @Test
    void entriesThatClosedConnectionsFreeServeALargerConnection() {
        reopen(ResourceOptions.DEFAULT.withCompletionQueueEntries(600).withMaxCompletionQueueEntries(600));
        CompletionLoop loop = resources.loops().getFirst();
        connect(small());
        int ofOne = loop.reservedEntries();
        List<Endpoint> all = new ArrayList<>(List.of(client, server));
        while (loop.freeEntries() >= ofOne) {
            connect(small());
            all.addAll(List.of(client, server));
        }
        for (int i = 0; i < 16; i += 4) { // closes every other pair
            for (Endpoint end : all.subList(i, i + 2)) {
                end.close();
                end.closed().join();
            }
        }
        await().atMost(PATIENCE).until(() -> loop.freeEntries() >= 4 * ofOne);
        // The entries of two pairs that were closed, for each end: more than are free in one piece.
        connect(small().withQueuePair(small().queuePair().withMaxSendWr(16 + ofOne)));
        exchange(client, server);
        all.addAll(List.of(client, server));
        for (Endpoint endpoint : all) {
            endpoint.close();
            endpoint.closed().join();
            endpoint.receives().discard();
        }
    }

    @Test
    void oneLoopCarriesManyConnections() throws InterruptedException {
        reopen(ResourceOptions.DEFAULT.withCompletionQueueEntries(32_000));
        ConnectionOptions tiny = ConnectionOptions.DEFAULT
                .withQueuePair(
                        ConnectionOptions.DEFAULT.queuePair().withMaxSendWr(2).withMaxReceiveWr(2))
                .withReceiveBuffers(2, 64)
                .withSendBuffers(2, 64);
        List<Endpoint> clients = new ArrayList<>();
        List<Endpoint> servers = new ArrayList<>();
        for (int i = 0; i < manyConnections(); i++) {
            connect(tiny);
            clients.add(client);
            servers.add(server);
        }
        assertThat(resources.endpoints()).hasSize(2 * manyConnections());
        CountDownLatch arrived = new CountDownLatch(manyConnections());
        ConcurrentHashMap<Integer, Integer> got = new ConcurrentHashMap<>();
        for (int i = 0; i < servers.size(); i++) {
            Endpoint endpoint = servers.get(i);
            int number = i;
            endpoint.receives().listener(() -> {
                ReceivedMessage message;
                while ((message = endpoint.receives().poll()) != null) {
                    got.merge(number, message.length(), Integer::sum);
                    message.close();
                    arrived.countDown();
                }
            });
        }
        for (int i = 0; i < clients.size(); i++) {
            submit(clients.get(i), WorkRequest.send(acquire(clients.get(i)).limit(1 + i % 60), true));
        }
        assertThat(arrived.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < servers.size(); i++) {
            assertThat(got).containsEntry(i, 1 + i % 60);
        }
        clients.forEach(Endpoint::close);
        for (int i = 0; i < servers.size(); i++) { // the servers notice the close by themselves
            clients.get(i).closed().join();
            servers.get(i).closed().join();
        }
    }

    /**
     * Makes a loop fail. Its connections end with the error, and the others live. New connections go to a working loop,
     * or are refused if there is none.
     */
    @Test
    void anErrorEndsItsLoopAndNoOther() {
        reopen(ResourceOptions.DEFAULT.withLoops(4)); // one loop for each end of two pairs
        connect(small());
        Endpoint first = client;
        Endpoint firstPeer = server;
        connect(small());
        Endpoint bystander = client;
        Endpoint peer = server;
        assertThat(List.of(bystander.loop(), peer.loop())).doesNotContain(first.loop());
        List<Counted> operations = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            operations.add(submit(first, WorkRequest.send(acquire(first).limit(8), true)));
        }
        kill(first);
        operations.forEach(Counted::ended);
        assertThat(operations).allMatch(o -> o.ends.get() == 1);
        assertThat(firstPeer.closed()).succeedsWithin(PATIENCE);
        firstPeer.receives().discard();
        assertThat(submit(bystander, WorkRequest.send(acquire(bystander).limit(8), true))
                        .ended()
                        .error)
                .isNull();
        for (int i = 0; i < 3; i++) {
            connect(small());
            assertThat(List.of(client.loop(), server.loop())).doesNotContain(first.loop());
            assertThat(submit(client, WorkRequest.send(acquire(client).limit(8), true))
                            .ended()
                            .error)
                    .isNull();
            close(client, server);
        }
        kill(bystander);
        assertThat(peer.closed()).succeedsWithin(PATIENCE);
        peer.receives().discard();
        kill(resources.loops());
        assertThatThrownBy(() -> connect(small()))
                .hasMessageContaining("has failed")
                .hasMessageContaining("broken on purpose");
        assertThat(CompletableFuture.runAsync(resources::close)).succeedsWithin(PATIENCE);
    }

    private static void kill(List<CompletionLoop> loops) {
        for (CompletionLoop loop : loops) {
            loop.execute(() -> {
                throw new AssertionError("broken on purpose");
            });
        }
        await().atMost(PATIENCE).until(() -> loops.stream().allMatch(loop -> loop.failure() != null));
    }

    private static void kill(Endpoint endpoint) {
        Error error = new AssertionError("broken on purpose");
        endpoint.loop().execute(() -> {
            throw error;
        });
        assertThat(endpoint.closed()).succeedsWithin(PATIENCE);
        assertThat(endpoint.failure()).isSameAs(error);
    }

    private static void close(Endpoint... endpoints) {
        for (Endpoint endpoint : endpoints) {
            endpoint.close();
            endpoint.closed().join();
            endpoint.receives().discard();
        }
    }

    /** Checks that both closes return only when everything is closed. */
    @Test
    void aSecondCloseWaitsForTheFirst() {
        connect(small());
        CountDownLatch held = new CountDownLatch(1);
        client.loop().execute(() -> {
            try {
                held.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        CompletableFuture<Void> first = CompletableFuture.runAsync(resources::close);
        await().atMost(PATIENCE).until(client::isClosing);
        CompletableFuture<Boolean> second = new CompletableFuture<>();
        Thread closer = Thread.ofPlatform().start(() -> {
            resources.close();
            second.complete(first.isDone() || client.closed().isDone());
        });
        await().atMost(PATIENCE)
                .until(() -> closer.getState() == Thread.State.WAITING || closer.getState() == Thread.State.TERMINATED);
        held.countDown();
        assertThat(second).succeedsWithin(PATIENCE).isEqualTo(true);
        assertThat(first).succeedsWithin(PATIENCE);
    }

    @Test
    void countersAddUp() {
        connect(small().withSignalEvery(4));
        awaitFirstFrame();
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer buffer = acquire(client).limit(8);
        LoopCounters counters = resources.loops().getFirst().counters();
        long posted = counters.posted();
        long doorbells = counters.doorbells();
        long signaled = counters.signaled();
        List<Counted> operations = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            operations.add(submit(client, WorkRequest.write(buffer, there.remote())));
        }
        operations.forEach(Counted::ended);
        assertThat(counters.posted() - posted).isEqualTo(200);
        doorbells = counters.doorbells() - doorbells;
        assertThat(doorbells).isBetween(200L / 16, 200L);
        assertThat(counters.signaled() - signaled)
                .as("every fourth, and the last of each chain")
                .isBetween(200L / 4, 200L / 4 + doorbells);
        // A batch is counted after it was dispatched.
        await().atMost(PATIENCE).until(() -> counters.completions() == counters.signaled() + counters.reposted());
        long empty = counters.emptyPolls(); // read first, because the loop may go on polling
        assertThat(counters.polls()).isGreaterThan(empty);
        assertThat(counters.stale()).isZero();
        buffer.close();
        client.close();
        client.closed().join();
        server.closed().join();
        assertThat(counters.flushed())
                .as("the receives of both sides, but that of the farewell")
                .isEqualTo(2L * (8 + Credits.CONTROL_RECEIVES) - 1);
        assertThat(counters.starved()).as("flushed receives are no starvation").isZero();
    }

    /**
     * Submits from a listener. The requests are posted when the batch was dispatched, with one doorbell and one
     * completion for every fourth.
     */
    @Test
    void aBatchOfSubmissionsCostsOneDoorbellAndAQuarterOfTheCompletions() {
        connect(small().withSignalEvery(4));
        awaitFirstFrame();
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer buffer = acquire(client).limit(8);
        WorkRequest write = WorkRequest.write(buffer, there.remote());
        LoopCounters counters = resources.loops().getFirst().counters();
        long posted = counters.posted();
        long doorbells = counters.doorbells();
        long signaled = counters.signaled();
        List<Counted> operations = new ArrayList<>();
        CompletableFuture<Void> submitted = new CompletableFuture<>();
        Counted first = new Counted(write) {
            @Override
            protected void completed(long result) {
                for (int i = 0; i < 16; i++) {
                    operations.add(submit(client, write));
                }
                submitted.complete(null);
                super.completed(result);
            }
        };
        client.loop().execute(() -> client.submit(first)); // on the loop, so that no other thread posts a part of them
        assertThat(submitted).succeedsWithin(PATIENCE);
        operations.forEach(Counted::ended);
        await().atMost(PATIENCE).until(() -> counters.completions() == counters.signaled() + counters.reposted());
        assertThat(counters.posted() - posted).isEqualTo(17);
        assertThat(counters.doorbells() - doorbells).as("doorbells").isEqualTo(2);
        assertThat(counters.signaled() - signaled).as("signaled").isEqualTo(1 + 16 / 4);
        buffer.close();
    }

    @Test
    void aRecordingShowsConnectionsAndSlowOperations() throws Exception {
        CompletableFuture<String> connection = new CompletableFuture<>();
        CompletableFuture<String> operation = new CompletableFuture<>();
        try (RecordingStream stream = new RecordingStream()) {
            stream.enable("io.rdma.Connection");
            stream.enable("io.rdma.SlowOperation").withThreshold(Duration.ZERO);
            stream.onEvent("io.rdma.Connection", event -> connection.complete(event.getString("end")));
            stream.onEvent("io.rdma.SlowOperation", event -> operation.complete(event.getString("opcode")));
            stream.startAsync();
            connect(small());
            assumeAtomics();
            MemoryRegion there = everything(server, 8);
            submit(client, WorkRequest.fetchAndAdd(there.remote(), 1)).ended();
            client.close();
            client.closed().join();
            server.closed().join();
            stream.stop();
        }
        assertThat(connection).succeedsWithin(PATIENCE).asString().contains("closed");
        assertThat(operation).succeedsWithin(PATIENCE).isEqualTo(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD.name());
    }
}
