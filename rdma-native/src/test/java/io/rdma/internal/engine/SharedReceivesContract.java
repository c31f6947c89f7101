package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.testing.TestDevice;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that share receive buffers, the same on every device. */
@Tag("lent")
abstract class SharedReceivesContract extends ConnectedContract {
    private static final int SHARED = 64;
    private static final int SIZE = 256;

    private final List<Endpoint> endpoints = new ArrayList<>();
    private boolean lends;

    @Override
    ResourceOptions resourceOptions() {
        return super.resourceOptions().withSharedReceiveBuffers(SHARED, SIZE);
    }

    private static ConnectionOptions window(int buffers) {
        return small().withReceiveBuffers(buffers, SIZE);
    }

    /** Connects one more pair, both ends of which share the buffers. */
    private void another(ConnectionOptions options) {
        connect(options);
        endpoints.add(client);
        endpoints.add(server);
    }

    private SharedReceives shared() {
        return resources.sharedReceives(resources.loops().getFirst());
    }

    @AfterEach
    @Override
    void nothingIsLeft() {
        for (Endpoint endpoint : endpoints) {
            endpoint.close();
        }
        for (Endpoint endpoint : endpoints) {
            endpoint.closed().join();
            endpoint.receives().discard();
            assertThat(endpoint.inFlight()).isZero();
            assertThat(endpoint.sendBuffers().leased()).isZero();
            assertThat(endpoint.receives().outstanding()).isZero();
        }
        assertThat(shared().outstanding()).as("every slot has come back").isZero();
        for (CompletionLoop loop : resources.loops()) {
            assertThat(loop.freeEntries()).isEqualTo(loop.entries() - SHARED);
            assertThat(loop.counters().listenerErrors()).isZero();
        }
        resources.close();
        TestDevice.awaitClosed(resources.context());
    }

    private static Counted send(Endpoint by, int number) {
        RegisteredBuffer buffer = acquire(by).limit(Integer.BYTES);
        buffer.segment().set(ValueLayout.JAVA_INT, 0, number);
        Counted sent = submit(by, WorkRequest.send(buffer, true));
        return sent;
    }

    @Test
    void aSecondCloseOfALentMessageDoesNotCloseTheNextOneInItsBuffer() {
        assumeReceiverNotReady();
        another(window(8));
        Endpoint one = client;
        Endpoint oneServer = server;
        another(window(8));
        List<ReceivedMessage> closed = new ArrayList<>();
        for (int i = 0; i < 3 * SHARED; i++) {
            send(one, i).ended();
            ReceivedMessage early = next(oneServer.receives()::lend);
            early.close();
            closed.add(early);
            send(client, -i).ended();
            try (ReceivedMessage lent = next(server.receives()::lend)) {
                closed.forEach(ReceivedMessage::close);
                assertThat(lent.isClosed()).isFalse();
                assertThat(lent.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(-i);
            }
        }
    }

    /** The buffers are many, so a handle for each of them at each connection would take more memory than they do. */
    @Test
    void lentMessagesUseFewHandlesWhereverTheyArrive() {
        another(window(8));
        assumeImmediate();
        Set<Integer> places = new HashSet<>();
        Set<ReceivedMessage> handles = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 3 * SHARED; i++) {
            RegisteredBuffer buffer = acquire(client).limit(Integer.BYTES);
            buffer.segment().set(ValueLayout.JAVA_INT, 0, i);
            boolean immediate = i % 3 == 0;
            submit(client, immediate ? WorkRequest.sendWithImmediate(buffer, i) : WorkRequest.send(buffer, false))
                    .ended();
            buffer.close();
            ReceivedMessage lent = next(server.receives()::lend);
            assertThat(lent.segment().byteSize()).isEqualTo(Integer.BYTES);
            assertThat(lent.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(i);
            assertThat(lent.hasImmediate()).isEqualTo(immediate);
            places.add(lent.place());
            handles.add(lent);
            if (i % 16 == 7) { // its handle stays with it
                send(client, -i).ended();
                try (ReceivedMessage next = next(server.receives()::lend)) {
                    assertThat(next).isNotSameAs(lent);
                    assertThat(next.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(-i);
                    assertThat(lent.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(i);
                }
            }
            lent.close();
        }
        assertThat(places).as("buffers").hasSizeGreaterThan(SHARED / 2);
        if (!"paranoid".equals(System.getProperty("io.rdma.leakDetection"))) {
            assertThat(handles).as("handles").hasSizeLessThan(SHARED / 2);
        }
    }

    /** Takes messages alternately as owned and as lent. */
    private @Nullable ReceivedMessage take(Endpoint at) {
        lends = !lends;
        return lends ? at.receives().lend() : at.receives().poll();
    }

    private int receive(Endpoint at) {
        try (ReceivedMessage here = next(() -> take(at))) {
            assertThat(here.length()).isEqualTo(Integer.BYTES);
            return here.segment().get(ValueLayout.JAVA_INT, 0);
        }
    }

    @ParameterizedTest
    @EnumSource(FlowControl.class)
    void eachConnectionGetsItsOwnMessagesInOrder(FlowControl flowControl) {
        assumeReceiverNotReady();
        for (int c = 0; c < 4; c++) {
            another(window(8).withFlowControl(flowControl));
        }
        for (int i = 0; i < 100; i++) {
            for (int c = 0; c < endpoints.size(); c++) {
                send(endpoints.get(c ^ 1), c << 16 | i);
            }
            for (int c = 0; c < endpoints.size(); c++) {
                assertThat(receive(endpoints.get(c))).isEqualTo(c << 16 | i);
            }
        }
    }

    @Test
    void aLargeMessageIsFetchedAndAWriteWithImmediateArrives() {
        another(window(8));
        RegisteredBuffer large = RegisteredBuffer.of(
                client.memory().allocate(100_000, java.util.Set.of(io.rdma.types.AccessFlag.LOCAL_WRITE)), 0, 100_000);
        large.segment().setAtIndex(ValueLayout.JAVA_INT, 20_000, 4711);
        Counted sent = submit(client, WorkRequest.send(large, true));
        try (ReceivedMessage fetched = next(server.receives()::poll)) {
            assertThat(fetched.segment().getAtIndex(ValueLayout.JAVA_INT, 20_000))
                    .isEqualTo(4711);
        }
        assertThat(sent.ended().error).isNull();
        assumeImmediate();
        RegisteredBuffer source = acquire(client).limit(4);
        submit(
                client,
                WorkRequest.writeWithImmediate(source, everything(server, 64).remote(), 5));
        source.close();
        try (ReceivedMessage written = next(server.receives()::poll)) {
            assertThat(written.immediate()).isEqualTo(5);
            assertThat(written.length()).isZero();
        }
    }

    /** Lets one receiver take nothing. It holds its window and no more, and the others go on. */
    @Test
    void aStalledReceiverHoldsOnlyItsWindow() {
        assumeReceiverNotReady();
        another(window(8));
        Endpoint flood = client;
        Endpoint still = server;
        another(window(8));
        List<Counted> flooding = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            flooding.add(send(flood, i));
        }
        RegisteredBuffer buffer = RegisteredBuffer.of(
                flood.memory().allocate(4, java.util.Set.of(io.rdma.types.AccessFlag.LOCAL_WRITE)), 0, 4);
        for (int i = 4; i < 200; i++) {
            flooding.add(submit(flood, WorkRequest.send(buffer, false)));
        }
        await().atMost(PATIENCE).until(() -> still.receives().outstanding() == 8);
        for (int i = 0; i < 300; i++) {
            send(client, i);
            assertThat(receive(server)).isEqualTo(i);
        }
        assertThat(still.receives().outstanding()).isEqualTo(8);
        for (int i = 0; i < 200; i++) {
            receive(still);
        }
        flooding.forEach(Counted::ended);
        assertThat(flooding).allMatch(o -> o.error == null);
        buffer.close();
    }

    /** Where a message cannot wait for a receive, connections get promises, see {@link #assumeReceiverNotReady}. */
    @Test
    void noMoreReceivesArePromisedThanThereAre() {
        another(window(8));
        SharedReceives shared = resources.sharedReceives(client.loop());
        int most = SHARED - 16; // as many may be on their way back
        int free = most - 2 * (8 + EndpointOptions.CONTROL_RECEIVES);
        shared.promise(free - 1);
        assertThatThrownBy(() -> shared.promise(2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining((most - 1) + " of " + most)
                .hasMessageContaining("withSharedReceiveBuffers");
        shared.promise(1);
        shared.release(free);
    }

    /** Sends more messages than there are buffers. A message without a buffer waits, and none is lost. */
    @Test
    void messagesWaitForBuffersWhenTheWindowsExceedThem() {
        assumeReceiverNotReady();
        for (int c = 0; c < 6; c++) {
            another(window(16)); // 6 windows of 16 share 64 buffers
        }
        List<Counted> sent = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int c = 0; c < endpoints.size(); c += 2) {
            Endpoint from = endpoints.get(c);
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 100; i++) {
                    Counted one = send(from, i);
                    synchronized (sent) {
                        sent.add(one);
                    }
                }
            }));
        }
        // Takes from any connection that has a message. A reader of one connection only could wait forever, with all
        // buffers held by the others.
        int[] next = new int[endpoints.size()];
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofNanos(100_000))
                .atMost(PATIENCE)
                .until(() -> {
                    for (int c = 1; c < next.length; c += 2) {
                        ReceivedMessage message;
                        while ((message = endpoints.get(c).receives().poll()) != null) {
                            assertThat(message.segment().get(ValueLayout.JAVA_INT, 0))
                                    .isEqualTo(next[c]++);
                            message.close();
                        }
                    }
                    return java.util.Arrays.stream(next).sum() == 600;
                });
        threads.forEach(thread -> {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        sent.forEach(Counted::ended);
        assertThat(sent).hasSize(600).allMatch(o -> o.error == null);
    }

    @Test
    void aConnectionThatEndsTakesNoBufferWithItAndLeavesTheOthersAlone() {
        assumeReceiverNotReady();
        another(window(8));
        Endpoint staying = client;
        Endpoint stayingPeer = server;
        for (int i = 0; i < 20; i++) { // would use up far more receives than there are, if any were lost
            another(window(8));
            for (int m = 0; m < 6; m++) {
                send(client, m);
            }
            if (i % 2 == 0) {
                receive(server);
            }
            if (i % 3 == 0) {
                server.fail(new IllegalStateException("lost"));
            } else {
                client.close();
            }
            send(staying, i);
            assertThat(receive(stayingPeer)).isEqualTo(i);
            client.close();
            server.close();
            client.closed().join();
            server.closed().join();
            client.receives().discard();
            server.receives().discard();
        }
        await().atMost(PATIENCE).until(() -> shared().outstanding() == 0);
    }
}
