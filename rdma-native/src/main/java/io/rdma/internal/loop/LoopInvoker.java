package io.rdma.internal.loop;

// Invariant: one thread calls invoke(), the first one that did.

/**
 * Driver of a completion loop on somebody else's thread, which does other work between the steps. The loop never waits;
 * its caller decides when to call again.
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
