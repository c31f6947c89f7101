package io.rdma.samples.bench.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariant: all methods except begin and await are called by one thread at a time. Once the first operations are
// submitted, it is the loop's thread.

/** A number of operations, of which a fixed number is in flight: each operation that completes starts the next one. */
public abstract class Window {
    private static final long PATIENCE_SECONDS = 60;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Runnable ended;
    private final int size;
    private int left;
    private int inFlight;
    private @Nullable Throwable failure;

    /**
     * Creates a window.
     *
     * @param size number of operations in flight
     * @param operations total number, at least {@code size}
     * @param ended runs on the loop when the last one has completed
     */
    protected Window(int size, int operations, Runnable ended) {
        this.size = size;
        this.ended = ended;
        this.inFlight = size;
        this.left = operations - size;
    }

    /**
     * Starts one operation. Its end calls {@link #completed} or {@link #failed}.
     *
     * @param place of the operation in the window, from 0
     */
    protected abstract void start(int place);

    /** Starts the first operations. */
    public final void begin() {
        for (int place = 0; place < size; place++) {
            start(place);
        }
    }

    /**
     * Notes that an operation has completed, and starts the next one in its place.
     *
     * @param place of the operation
     */
    public final void completed(int place) {
        if (left > 0) {
            left--;
            start(place);
        } else if (--inFlight == 0) {
            ended.run();
            done.countDown();
        }
    }

    /**
     * Notes that an operation has failed, which ends the wait.
     *
     * @param error of the operation
     */
    public final void failed(Throwable error) {
        failure = error;
        done.countDown();
    }

    /**
     * Waits until each operation has completed exactly once; otherwise the count is never reached.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    public final void await() throws InterruptedException {
        if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    "not all operations completed: " + inFlight + " in flight, " + left + " left");
        }
        if (failure != null) {
            throw new IllegalStateException("an operation failed", failure);
        }
    }
}
