package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.soft.SoftDevices;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.NextMessage;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two connected endpoints on the device of the subclass. Each test ends with all pools whole and nothing in flight. */
abstract class ConnectedContract {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    DeviceResources resources;
    Endpoint client;
    Endpoint server;
    private int sharedReceives; // entries of each loop

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        TestDevice.assumed(device());
        resources = new DeviceResources(TestDevice.assumed(device()), resourceOptions());
    }

    ResourceOptions resourceOptions() {
        return ResourceOptions.DEFAULT.withCompletionQueueEntries(2048);
    }

    final void shareReceives(int count, int size) {
        reopen(resourceOptions().withSharedReceiveBuffers(count, size));
        sharedReceives = count;
    }

    final void reopen(ResourceOptions options) {
        resources.close();
        resources = new DeviceResources(TestDevice.assumed(device()), options);
    }

    final void connect(ConnectionOptions options) {
        connect(options, options);
    }

    final void connect(ConnectionOptions clients, ConnectionOptions servers) {
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        try (RdmaListener listener = RdmaListener.bind(
                resources,
                servers,
                AdmissionLimits.DEFAULT,
                new InetSocketAddress(TestDevice.host(device()), 0),
                accepted::complete)) {
            client = connected(resources, clients, listener).endpoint();
            server = accepted.join().endpoint();
        }
    }

    /** Connects to a listener of this process, and waits for the connection. */
    static EstablishedConnection connected(DeviceResources clients, ConnectionOptions options, RdmaListener listener) {
        ConnectOutcome connected = ConnectOutcome.of(clients, options, listener.address());
        return connected.join();
    }

    /**
     * Returns the retries of a contract that sends within its credits: none, so that a message without a receive ends
     * the connection. A device that answers page faults by "receiver not ready" needs some.
     */
    int rnrRetry() {
        return 0;
    }

    static ConnectionOptions small() {
        return ConnectionOptions.DEFAULT
                .withQueuePair(ConnectionOptions.DEFAULT.queuePair().withMaxSendWr(16))
                .withReceiveBuffers(8, 256)
                .withSendBuffers(4, 256)
                .withSignalEvery(4)
                .withMaxRdAtomic(2);
    }

    /** Skips the test if the connection's device has no atomics. */
    final void assumeAtomics() {
        assumeTrue(client.options().abilities().atomics(), device() + " has no atomics");
    }

    /** Skips the test if the connection's device has no immediate data. */
    final void assumeImmediate() {
        assumeTrue(client.options().abilities().immediate(), device() + " has no immediate data");
    }

    /** Skips the test if a message without a receive ends the connection, instead of waiting for one. */
    final void assumeReceiverNotReady() {
        assumeFalse(resources.context().isIwarp(), device() + " has no receiver-not-ready, as it speaks iWARP");
    }

    /** Skips the test if the device has no connections by that method. */
    final void assumeMethod(ConnectMethod method) {
        TestDevice.assumeMethod(device(), method);
    }

    /** Waits for the first frame of a client that starts, so that it is not counted with those of the test. */
    final void awaitFirstFrame() {
        if (client.options().credits() && client.options().start() != EndpointOptions.Start.TOGETHER) {
            await().atMost(PATIENCE).until(() -> server.counters().reposted() > 0 && client.inFlight() == 0);
        }
    }

    /** Skips the test if the device completes a write before the peer has accepted it. */
    final void assumeWritesAreAcknowledged() {
        assumeFalse(
                resources.context().isIwarp(),
                device()
                        + " completes a write when its TCP has the bytes: a later request fails for it, RFC 5040, 5.4");
    }

    @AfterEach
    void nothingIsLeft() {
        if (resources == null) {
            return;
        }
        if (client != null) {
            assertEachMessageHadAReceive();
            for (Endpoint endpoint : List.of(client, server)) {
                endpoint.close();
                endpoint.closed().join();
                endpoint.receives().discard();
                assertThat(endpoint.inFlight()).isZero();
                assertThat(endpoint.sendBuffers().leased()).isZero();
                assertThat(endpoint.receives().outstanding()).isZero();
            }
        }
        for (CompletionLoop loop : resources.loops()) {
            assertThat(loop.freeEntries()).isEqualTo(loop.entries() - sharedReceives);
            assertThat(loop.counters().listenerErrors()).isZero();
        }
        resources.close();
        TestDevice.awaitClosed(resources.context());
    }

    /** Checks what the device does not with retries: that no message was sent without a credit. */
    private void assertEachMessageHadAReceive() {
        if (rnrRetry() > 0 && client.options().credits()) {
            assertThat(SoftDevices.named(device()).orElseThrow().counters()).containsEntry("send_rnr_err", 0L);
        }
    }

    /** Operation that counts its ends, and keeps its result or its error. */
    static class Counted extends Operation {
        final AtomicInteger ends = new AtomicInteger();
        private final CompletableFuture<Void> end = new CompletableFuture<>();
        volatile RuntimeException error;
        volatile long value;

        Counted(WorkRequest request) {
            super(request);
        }

        @Override
        protected void completed(long result) {
            value = result;
            ends.incrementAndGet();
            end.complete(null);
        }

        @Override
        protected void failed(RuntimeException reason) {
            error = reason;
            ends.incrementAndGet();
            end.complete(null);
        }

        Counted ended() {
            assertThat(end).as(request().opcode().name()).succeedsWithin(PATIENCE);
            return this;
        }
    }

    static Counted submit(Endpoint to, WorkRequest request) {
        Counted operation = new Counted(request);
        to.submit(operation);
        return operation;
    }

    /** Waits for the next message. */
    static ReceivedMessage next(Supplier<@Nullable ReceivedMessage> take) {
        return NextMessage.of(take);
    }

    /** Sends a message of eight bytes and receives it. */
    static void exchange(Endpoint from, Endpoint to) {
        assertThat(sendSmall(from, 8).ended().error).isNull();
        assertNext(to, 8);
    }

    /** Sends a message in a buffer of the pool. */
    static Counted sendSmall(Endpoint from, int bytes) {
        return submit(from, WorkRequest.send(acquire(from).limit(bytes), true));
    }

    static void assertNext(Endpoint at, int bytes) {
        try (ReceivedMessage message = next(at.receives()::poll)) {
            assertThat(message.length()).isEqualTo(bytes);
        }
    }

    static RegisteredBuffer acquire(Endpoint of) {
        return acquire(of, false);
    }

    static RegisteredBuffer acquireExclusive(Endpoint of) {
        return acquire(of, true);
    }

    private static RegisteredBuffer acquire(Endpoint of, boolean exclusive) {
        CompletableFuture<RegisteredBuffer> buffer = new CompletableFuture<>();
        of.sendBuffers().acquire(new BufferWaiter(exclusive) {
            @Override
            public void acquired(RegisteredBuffer acquired) {
                buffer.complete(acquired);
            }

            @Override
            public void failed(RuntimeException error) {
                buffer.completeExceptionally(error);
            }
        });
        return buffer.join();
    }

    static MemoryRegion everything(Endpoint of, long bytes) {
        return of.memory()
                .allocate(bytes, Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC));
    }
}
