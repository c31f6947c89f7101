package io.rdma.internal.loop;

import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.types.RdmaException;
import io.rdma.verbs.DeviceContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

// Invariant: the first `driven` loops are driven, the others are not. A loop that nothing drives is ended at once: its
// close would wait for its driver for ever.

/** Completion loops of one device, each driven by a thread until it is closed. */
public final class LoopGroup implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final List<CompletionLoop> loops;
    private int driven; // written before the group is shared

    /**
     * Makes the loops, which nothing drives yet.
     *
     * @param context of the device
     * @param count of loops, at least 1
     * @param limits of their completion queues
     * @param placement of the loops
     */
    public LoopGroup(DeviceContext context, int count, CompletionQueueLimits limits, LoopPlacement placement) {
        List<CompletionLoop> made = new ArrayList<>();
        try (CleanupStack cleanup = new CleanupStack()) {
            for (int i = 0; i < count; i++) {
                int number = NUMBER.incrementAndGet();
                String name = "rdma-loop-" + context.name() + "-" + number;
                CompletionLoop loop = new CompletionLoop(context, limits, name, placement.place(i, number - 1));
                cleanup.add(loop::finish);
                made.add(loop);
            }
            cleanup.keep();
        }
        loops = List.copyOf(made);
    }

    /**
     * Has the loops driven. Once, as the last step of what may fail: from then on a close waits for the drivers.
     *
     * @param driver makes a thread drive each loop until it is closed
     */
    public void drive(Consumer<? super CompletionLoop> driver) {
        for (CompletionLoop loop : loops) {
            driver.accept(loop);
            driven++;
        }
    }

    /**
     * Returns the loops.
     *
     * @return as many as were asked for
     */
    public List<CompletionLoop> all() {
        return loops;
    }

    /**
     * Returns the loop for one more connection.
     *
     * @return of the live loops, the one whose connections have reserved the fewest entries of its completion queues
     * @throws RdmaException if every loop has failed, with the reason
     */
    public CompletionLoop roomiest() {
        CompletionLoop roomiest = null;
        for (CompletionLoop loop : loops) {
            if (loop.failure() == null && (roomiest == null || loop.reservedEntries() < roomiest.reservedEntries())) {
                roomiest = loop;
            }
        }
        if (roomiest == null) {
            roomiest = loops.getFirst();
            roomiest.requireLive();
        }
        return roomiest;
    }

    /**
     * Returns whether the caller runs on one of the loops.
     *
     * @return true on the thread that drives it
     */
    public boolean isLoopThread() {
        return loops.stream().anyMatch(CompletionLoop::isLoopThread);
    }

    /** Closes all loops. The close of each is tried. */
    @Override
    public void close() {
        CloseSteps steps = new CloseSteps();
        loops.subList(0, driven).forEach(loop -> steps.run(loop::close));
        loops.subList(driven, loops.size()).forEach(loop -> steps.run(loop::finish));
        steps.report();
    }
}
