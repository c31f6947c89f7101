package io.rdma.internal.engine;

import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.loop.CompletionReservation;
import io.rdma.internal.loop.LoopMember;
import io.rdma.types.RdmaException;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.types.VerbsException;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.SharedReceiveQueue;
import io.rdma.verbs.XrcDomain;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

// States: OPEN -> CLOSING (posts no more receives) -> CLOSED (the shared receive queue is destroyed).
// The end is decided once, by the thread that sets `end`. The steps behind it run on the loop, once no thread posts.
// A sender may use a receive until the shared receive queue is destroyed. A driver such as that of mlx5 then fails the
// poll that finds the completion. So the receiver has a completion queue of its own, which is not polled after that.

/**
 * Receiver of extended reliable connections (XRC): a shared receive queue of an XRC domain with its receives. It has no
 * queue pair: the receiving queue pairs of the domain take its receives for the senders that name its number.
 * Thread-safe.
 */
public final class XrcReceiver implements LoopMember, MessageSource {
    /** Reason for the end. {@code cause} is null after an orderly close. */
    private record End(@Nullable Throwable cause) {}

    private final CompletionLoop loop;
    private final CompletionReservation completions;
    private final SharedReceiveQueue queue;
    private final int number;
    private final int size;
    private final XrcReceiveQueue receives;
    private final AtomicReference<@Nullable End> end = new AtomicReference<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile boolean draining; // (loop) writes

    /**
     * Creates the queue and posts its receives. Must run within a {@link DeviceResources#begin pending setup}.
     *
     * @param resources of the device
     * @param xrc domain of the queue, open until the resources close
     * @param count of receive buffers
     * @param size bytes of each: the longest message
     * @throws VerbsException if the device has no shared receive queue of that depth
     * @throws RdmaException if it refuses its receives, or the loop fails
     * @throws IllegalStateException if the loop has no room for a completion queue of that many
     */
    public XrcReceiver(DeviceResources resources, XrcDomain xrc, int count, int size) {
        this.loop = resources.roomiestLoop();
        this.size = size;
        try (CleanupStack cleanup = new CleanupStack()) {
            completions = cleanup.add(CompletionReservation.ofOwnQueue(loop, count));
            queue = cleanup.add(resources
                    .domain()
                    .createSharedReceiveQueue(xrc, completions.queue(), SharedReceiveQueueAttributes.of(count, 1)));
            number = queue.number();
            receives = new XrcReceiveQueue(this, resources.domain(), queue, count, size);
            cleanup.keep();
        }
        try {
            loop.join(this);
            receives.ring.postAll();
        } catch (Throwable e) {
            fail(e); // the loop has it: nothing of it stays
            dropUnclaimed();
            throw e;
        }
        Throwable refused = failure();
        if (refused != null) {
            dropUnclaimed();
            throw new RdmaException("an XRC receiver ended while it was being made: " + refused, refused);
        }
    }

    /** Drops the messages of a receiver that no application gets: some of its receives may have been posted. */
    private void dropUnclaimed() {
        closed.thenRun(receives::discardUnclaimed);
    }

    /** Returns the receivers whose receives complete on a loop. */
    static Stream<XrcReceiver> on(CompletionLoop loop) {
        return loop.members().stream().filter(XrcReceiver.class::isInstance).map(XrcReceiver.class::cast);
    }

    /**
     * Returns the number by which senders name the receiver.
     *
     * @return 24 bits
     */
    public int number() {
        return number;
    }

    /**
     * Returns the length of the longest message.
     *
     * @return bytes of a receive buffer
     */
    public int maxMessageSize() {
        return size;
    }

    @Override
    public CompletionLoop loop() {
        return loop;
    }

    @Override
    public MessageQueue receives() {
        return receives;
    }

    /** Returns whether an event of the device concerns this receiver. */
    boolean isConcernedBy(AsyncEvent event) {
        return event.concerns(queue);
    }

    /**
     * Returns whether the end has begun.
     *
     * @return true forever, once it was true
     */
    public boolean isClosing() {
        return end.get() != null;
    }

    @Override
    public @Nullable Throwable failure() {
        End now = end.get();
        return now == null ? null : now.cause();
    }

    @Override
    public void fail(Throwable cause) {
        begin(new End(cause));
    }

    @Override
    public void close() {
        if (!handsOver(this::close)) {
            begin(new End(null));
        }
    }

    private void begin(End reason) {
        if (end.compareAndSet(null, reason) || !draining) {
            receives.ring.stop();
            loop.execute(this::drain); // again if it did not run yet: the call before may have had no memory for it
        }
    }

    private void drain() {
        if (!draining) {
            loop.drain(this);
            draining = true; // behind it, which may have no memory: then the next failure or close tries again
        }
    }

    @Override
    public boolean finishIfDrained() {
        if (closed.isDone()) {
            return true;
        }
        if (!receives.ring.isQuiet()) {
            return false; // a thread is posting
        }
        // All steps are made before the first one runs, and none ends the others: a second run would give back twice.
        List<Runnable> steps = List.of(
                loop::pollAll, // messages that have arrived can still be received after a failure
                queue::close,
                completions::close,
                receives.ring::destroyed,
                receives::terminate);
        steps.forEach(this::attempt);
        loop.leave(this);
        closed.complete(null);
        return true;
    }

    @Override
    public CompletableFuture<Void> closed() {
        return closed;
    }

    @Override
    public long probeNanos() {
        return 0;
    }

    @Override
    public void probeIfQuiet(long now) {
        // it has no peer
    }

    @Override
    public String toString() {
        return "XRC receiver " + number;
    }
}
