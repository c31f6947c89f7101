package io.rdma.internal.loop;

import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.types.RdmaException;
import io.rdma.verbs.DeviceContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Completion loops of one device, each driven by a thread until it is closed. */
public final class LoopGroup implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final List<CompletionLoop> loops;

    /**
     * Makes the loops and has them driven.
     *
     * @param context of the device
     * @param count of loops, at least 1
     * @param limits of their completion queues
     * @param driver makes a thread drive each loop until it is closed
     */
    public LoopGroup(
            DeviceContext context, int count, CompletionQueueLimits limits, Consumer<? super CompletionLoop> driver) {
        List<CompletionLoop> made = new ArrayList<>();
        try (CleanupStack cleanup = new CleanupStack()) {
            for (int i = 0; i < count; i++) {
                String name = "rdma-loop-" + context.name() + "-" + NUMBER.incrementAndGet();
                CompletionLoop loop = new CompletionLoop(context, limits, name);
                try {
                    driver.accept(loop);
                } catch (Throwable e) {
                    loop.finish(); // nothing drives it, so its close would wait for ever
                    throw e;
                }
                made.add(cleanup.add(loop));
            }
            cleanup.keep();
        }
        loops = List.copyOf(made);
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
        loops.forEach(loop -> steps.run(loop::close));
        steps.report();
    }
}
