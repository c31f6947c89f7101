package io.rdma.samples.bench.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariant: everything but begin and await belongs to one thread at a time, the loop's once the first operations are
// submitted.

/** So many operations, a fixed number of which is in flight: each that completes starts the next. */
abstract class Window {
    private static final long PATIENCE_SECONDS = 60;

    private final CountDownLatch done = new CountDownLatch(1);
    private final int size;
    private int left;
    private int inFlight;
    private @Nullable Throwable failure;

    /** @param operations in all, at least {@code size} */
    Window(int size, int operations) {
        this.size = size;
        this.inFlight = size;
        this.left = operations - size;
    }

    /** Starts one operation, whose end calls {@link #completed} or {@link #failed}. */
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
            done.countDown();
        }
    }

    final void failed(Throwable error) {
        failure = error;
        done.countDown();
    }

    /** Every operation has completed exactly once, or the count would never be reached. */
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
