package io.rdma.internal.soft.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.AsyncEventEntry;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.soft.SoftSide;
import io.rdma.internal.soft.link.SoftFaults;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Exceptions thrown in a turn of the device. They end queue pairs, with their events, but never the device or the
 * thread that had the turn.
 */
@Tag("link")
class BrokenTurnTest {
    private static final int PATIENCE_MILLIS = 60_000;

    /** Thrown for the next packet that the device sends. */
    private final AtomicReference<Throwable> next = new AtomicReference<>();

    private Arena arena;
    private SoftSide broken;
    private SoftSide neighbour; // on the same device
    private SoftSide peer;
    private SoftSide neighboursPeer; // on the peer's device

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        broken = new SoftSide(arena, new SoftFaults(0, 0, 0, 0, this::broken));
        neighbour = new SoftSide(arena, broken, broken.verbs.createCq(broken.context, 512, 0, 0), 0);
        peer = new SoftSide(arena, SoftFaults.NONE);
        neighboursPeer = new SoftSide(arena, peer, peer.verbs.createCq(peer.context, 512, 0, 0), 0);
        connect(broken, peer);
        connect(neighbour, neighboursPeer);
    }

    private static void connect(SoftSide one, SoftSide other) {
        one.connect(other);
        other.connect(one);
    }

    @AfterEach
    void close() {
        for (SoftSide second : List.of(neighbour, neighboursPeer)) {
            second.closeQueuePair();
            second.verbs.destroyCq(second.cq.handle());
        }
        broken.close();
        peer.close();
        arena.close();
    }

    private boolean broken() {
        Throwable thrown = next.getAndSet(null);
        if (thrown instanceof Error e) {
            throw e;
        } else if (thrown instanceof RuntimeException e) {
            throw e;
        }
        return false;
    }

    private List<Integer> events(int count) {
        List<Integer> types = new ArrayList<>();
        while (types.size() < count) {
            assertThat(broken.verbs.pollAsyncEvents(broken.context, PATIENCE_MILLIS))
                    .as("an event after " + types)
                    .isTrue();
            AsyncEventEntry event = broken.verbs.getAsyncEvent(broken.context);
            types.add(event.eventType());
        }
        assertThat(broken.verbs.getAsyncEvent(broken.context)).isNull();
        return types;
    }

    private static void assertWorks(SoftSide from, SoftSide to) {
        from.send(7, Ibv.WR_RDMA_WRITE, to, 0, 4096);
        from.expect(7);
        to.send(8, Ibv.WR_RDMA_READ, from, 0, 4096);
        to.expect(8);
    }

    @Test
    void anExceptionWhileAQueuePairSendsEndsItAlone() {
        next.set(new IllegalStateException("a bug"));
        broken.send(1, Ibv.WR_RDMA_WRITE, peer, 0, 8);
        broken.expect(1, Ibv.WC_WR_FLUSH_ERR);
        assertThat(events(1)).containsExactly(Ibv.EVENT_QP_FATAL);
        broken.awaitState(Ibv.QPS_ERR);
        assertWorks(neighbour, neighboursPeer);
    }

    /** Memory of a file that has no block for it. */
    @Test
    void aFaultOfMappedMemoryEndsOnlyTheQueuePairThatUsesIt() {
        next.set(new InternalError("a fault occurred in an unsafe memory access operation"));
        broken.send(1, Ibv.WR_RDMA_WRITE, peer, 0, 8);
        broken.expect(1, Ibv.WC_WR_FLUSH_ERR);
        assertThat(events(1)).containsExactly(Ibv.EVENT_QP_FATAL);
        assertWorks(neighbour, neighboursPeer);
    }

    /** A thread that posts runs on a stack of the application, so a full stack says nothing about the device. */
    @Test
    void aFullStackEndsOnlyTheQueuePairThatWasSending() {
        next.set(new StackOverflowError());
        broken.send(1, Ibv.WR_RDMA_WRITE, peer, 0, 8);
        broken.expect(1, Ibv.WC_WR_FLUSH_ERR);
        assertThat(events(1)).containsExactly(Ibv.EVENT_QP_FATAL);
        assertWorks(neighbour, neighboursPeer);
    }

    /** The device's own thread sends the answer to a read. */
    @Test
    void anExceptionOnTheDevicesThreadEndsTheQueuePairAndNotTheThread() {
        next.set(new IllegalArgumentException("a bug"));
        peer.send(1, Ibv.WR_RDMA_READ, broken, 0, 8);
        assertThat(events(1)).containsExactly(Ibv.EVENT_QP_FATAL);
        broken.awaitState(Ibv.QPS_ERR);
        assertWorks(neighboursPeer, neighbour);
        peer.moveToError();
    }

    @Test
    void anErrorEndsAllQueuePairsAndTheDeviceGoesOnForNewOnes() {
        next.set(new AssertionError("whatever"));
        broken.send(1, Ibv.WR_RDMA_WRITE, peer, 0, 8);
        broken.expect(1, Ibv.WC_WR_FLUSH_ERR);
        assertThat(events(3)).containsExactlyInAnyOrder(Ibv.EVENT_QP_FATAL, Ibv.EVENT_QP_FATAL, Ibv.EVENT_DEVICE_FATAL);
        neighbour.awaitState(Ibv.QPS_ERR);
        neighbour.send(2, Ibv.WR_RDMA_WRITE, neighboursPeer, 0, 8);
        neighbour.expect(2, Ibv.WC_WR_FLUSH_ERR);
        for (SoftSide side : List.of(broken, peer)) {
            side.reset();
        }
        connect(broken, peer);
        assertWorks(broken, peer);
    }
}
