package io.rdma.internal.loop;

// Invariant: one thread calls invoke(), the first one that did.

/**
 * Driver of a completion loop for a thread that has other work, such as another event loop. Each call of {@link
 * #invoke} runs one step of the completion loop and returns. It never waits, so the caller decides when the next step
 * runs. {@link LoopThread} is the driver with a thread of its own.
 */
public final class LoopInvoker {
    private final CompletionLoop loop;
    private boolean driving;
    private volatile boolean finished;

    public LoopInvoker(CompletionLoop loop) {
        this.loop = loop;
    }

    /**
     * Runs one step. Throws nothing.
     *
     * @return 0 if there was nothing to do
     */
    public int invoke() {
        if (!driving) {
            loop.drive();
            driving = true;
        }
        if (finished) {
            return 0;
        }
        int work = 0;
        try {
            work = loop.doWork();
            if (loop.failure() != null) {
                loop.failAll();
            }
        } catch (Throwable t) {
            fail(t);
        }
        if (loop.isFinished()) {
            finished = true;
            loop.finish();
        }
        return work;
    }

    private void fail(Throwable cause) {
        try {
            loop.die(cause);
        } catch (Throwable again) { // such as out of memory: each step of a dead loop fails its connections again
        }
    }

    /** Returns whether the loop was closed and its last step has run. Any thread. */
    public boolean isFinished() {
        return finished;
    }
}
