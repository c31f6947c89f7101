package io.rdma.engine;

import java.util.concurrent.atomic.AtomicReference;

// Invariants
// - NONE -> DUE when the side closes; DUE -> SENT by the drainer, which then posts it; DUE -> OVER by the loop, after
// which no thread posts it. So a queue pair whose farewell is not due, and whose send queue nobody drains, is quiet.
// - BYE becomes ABORT before SENT, never the reverse.

/** The last frame of one side: BYE after an orderly end, ABORT after any other that it can still tell of. */
final class Farewell {
    private enum State {
        NONE,
        DUE,
        SENT,
        OVER
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.NONE);
    private volatile int frame; // type

    /** Has the drainer send it. Loop, before the send queue is drained for the close. */
    void due(int type) {
        frame = type;
        state.compareAndSet(State.NONE, State.DUE);
    }

    boolean isDue() {
        return state.get() == State.DUE;
    }

    /** The stream of messages is not whole. Drainer, while it is due. */
    void abort() {
        frame = Frame.ABORT;
    }

    /** Takes the right to post it, once. Drainer. */
    boolean send() {
        return state.compareAndSet(State.DUE, State.SENT);
    }

    int frame() {
        return frame;
    }

    boolean isSent() {
        return state.get() == State.SENT;
    }

    /** Gives up what has not been posted. Loop. */
    void over() {
        state.compareAndSet(State.DUE, State.OVER);
    }
}
