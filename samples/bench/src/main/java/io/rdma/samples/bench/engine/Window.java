package io.rdma.samples.bench.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariant: all methods except begin and await are called by one thread at a time. Once the first operations are
// submitted, it is the loop's thread.

/** A number of operations, of which a fixed number is in flight: each operation that completes starts the next one. */
abstract class Window {
    private static final long PATIENCE_SECONDS = 60;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Counted counted;
    private final int size;
    private int left;
    private int inFlight;
    private @Nullable Throwable failure;

    /**
     * Creates a window.
     *
     * @param operations total number, at least {@code size}
     * @param counted gets the end of the last one
     */
    Window(int size, int operations, Counted counted) {
        this.size = size;
        this.counted = counted;
        this.inFlight = size;
        this.left = operations - size;
    }

    /** Starts one operation. Its end calls {@link #completed} or {@link #failed}. */
    abstract void start(int place);

    final void begin() {
        for (int place = 0; place < size; place++) {
            start(place);
        }
    }

    final void completed(int place) {
        if (left > 0) {
            left--;
            start(place);
        } else if (--inFlight == 0) {
            counted.ended();
            done.countDown();
        }
    }

    final void failed(Throwable error) {
        failure = error;
        done.countDown();
    }

    /** Waits until each operation has completed exactly once; otherwise the count is never reached. */
    final void await() throws InterruptedException {
        if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    "not all operations completed: " + inFlight + " in flight, " + left + " left");
        }
        if (failure != null) {
            throw new IllegalStateException("an operation failed", failure);
        }
    }
}
