package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.loop.CompletionReservation;
import io.rdma.types.GidTableEntry;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DatagramAddress;
import io.rdma.verbs.FaultyDevice;
import io.rdma.verbs.GlobalRoute;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.SenderAddresses;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Datagrams that only a broken device, or a hostile packet through a device, delivers. The endpoint goes on, or ends in
 * order.
 */
class FaultyDatagramTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int QKEY = 0x1111_1111;

    private static final class Sent extends Operation {
        private final AtomicInteger ends = new AtomicInteger();
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile @Nullable RuntimeException error;

        Sent(WorkRequest request) {
            super(request);
        }

        @Override
        protected void completed(long value) {
            ends.incrementAndGet();
            ended.countDown();
        }

        @Override
        protected void failed(RuntimeException failure) {
            error = failure;
            completed(0);
        }
    }

    private final FaultyDevice faults = new FaultyDevice();
    private DeviceResources resources;
    private DatagramEndpoint one;
    private DatagramEndpoint other;
    private DatagramAddress there;

    @BeforeEach
    void open() {
        resources = new DeviceResources(faults.device());
        GidTableEntry gid = resources.context().queryGidTable().getFirst();
        one = endpoint(gid);
        other = endpoint(gid);
        there = new DatagramAddress(
                AddressHandleAttributes.of(GlobalRoute.to(gid.gid(), gid.index()), 1),
                other.endpoint().qpNumber(),
                QKEY);
    }

    private DatagramEndpoint endpoint(GidTableEntry gid) {
        CompletionLoop loop = resources.roomiestLoop();
        QueuePairCapacity capacity = new QueuePairCapacity(8, 4, 1, 1, 0);
        CompletionReservation completions = loop.reserve(8 + 4);
        CompletionQueue queue = completions.queue();
        QueuePair pair = resources.domain().createQueuePair(QueuePairType.UD, queue, queue, capacity);
        pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .qkey(QKEY));
        DatagramEndpoint made = new DatagramEndpoint(
                resources,
                completions,
                pair,
                resources.context().queryPort(1),
                new SenderAddresses(resources.context(), 1, gid.index(), QKEY),
                new DatagramEndpoint.Options(capacity, 4, 4, 4, Duration.ofSeconds(2)));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(7));
        return made;
    }

    @AfterEach
    void nothingIsLeft() {
        resources.close();
        for (DatagramEndpoint each : List.of(one, other)) {
            Endpoint endpoint = each.endpoint();
            assertThat(endpoint.closed()).isCompleted();
            endpoint.receives().discard();
            assertThat(endpoint.inFlight()).isZero();
            assertThat(endpoint.receives().outstanding()).isZero();
            assertThat(endpoint.sendBuffers().leased()).isZero();
            assertThat(each.pathsInUse()).isZero();
            assertThat(each.paths()).isZero();
        }
    }

    private Sent send(String text) {
        RegisteredBuffer buffer =
                Objects.requireNonNull(one.endpoint().sendBuffers().tryAcquire());
        buffer.segment().setString(0, text);
        Sent operation = new Sent(WorkRequest.sendTo(buffer.limit(text.length()), there, true));
        one.submit(operation);
        await().atMost(PATIENCE).until(() -> operation.ended.getCount() == 0);
        return operation;
    }

    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(ints = {0, 39, 100_000, Integer.MAX_VALUE})
    void aDatagramOfImpossibleLengthIsDroppedAndCounted(int length) {
        faults.nextReceiveLength.set(length);
        for (int i = 0; i < 5; i++) { // more than there are buffers, so the buffer of the dropped datagram came back
            assertThat(send("hello").error).isNull();
            if (i == 0) {
                await().atMost(PATIENCE).until(() -> other.endpoint().counters().malformed() == 1);
            } else {
                ReceiveQueue receives = other.endpoint().receives();
                await().atMost(PATIENCE).until(() -> !receives.isEmpty());
                try (ReceivedMessage message = Objects.requireNonNull(receives.poll())) {
                    assertThat(message.length()).isEqualTo(5);
                }
            }
        }
        assertThat(other.endpoint().isClosing()).isFalse();
    }

    @Test
    void aFailedSendEndsTheEndpoint() {
        faults.nextSendStatus.set(WorkCompletionStatus.LOC_PROT_ERR.code());
        Sent failed = send("hello");
        assertThat(failed.error).isInstanceOf(WorkCompletionException.class);
        assertThat(failed.ends).hasValue(1);
        await().atMost(PATIENCE).until(() -> one.endpoint().closed().isDone());
        assertThat(one.endpoint().failure()).isSameAs(failed.error);
    }

    @Test
    void misuseIsRefusedAndHoldsNothing() {
        RegisteredBuffer buffer =
                Objects.requireNonNull(one.endpoint().sendBuffers().tryAcquire());
        assertThatThrownBy(() -> one.submit(new Sent(WorkRequest.send(buffer, false))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("destination");
        buffer.close();
        assertThatThrownBy(() -> one.submit(new Sent(WorkRequest.sendTo(buffer, there, false))))
                .isInstanceOf(IllegalStateException.class);
        assertThat(one.pathsInUse()).isZero();
    }
}
