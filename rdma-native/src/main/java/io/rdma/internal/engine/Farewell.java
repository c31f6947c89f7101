package io.rdma.internal.engine;

import java.util.concurrent.atomic.AtomicReference;

// Invariants
// - NONE -> DUE when the side closes; DUE -> SENT by the poster, which then posts the frame; DUE -> OVER by the loop,
// after which no thread posts it. So a queue pair is quiet if its farewell is not due and its send queue has no
// poster.
// - BYE may become ABORT before SENT, never the reverse.

/** Last frame of one side: BYE after an orderly end, ABORT after any other end that can still be sent to the peer. */
final class Farewell {
    private enum State {
        NONE,
        DUE,
        SENT,
        OVER
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.NONE);
    private volatile int frame; // type

    /** Asks the poster to send the farewell. Loop, before the poster runs for the close. */
    void due(int type) {
        frame = type;
        state.compareAndSet(State.NONE, State.DUE);
    }

    boolean isDue() {
        return state.get() == State.DUE;
    }

    /**
     * Turns the farewell into ABORT, because not all messages are delivered. Poster, while the farewell is due; or any
     * thread that posts or closes, if there is no farewell.
     */
    void abort() {
        frame = Frame.ABORT;
    }

    boolean isAbort() {
        return frame == Frame.ABORT;
    }

    /** Takes the right to post the farewell, once. Poster. */
    boolean send() {
        return state.compareAndSet(State.DUE, State.SENT);
    }

    int frame() {
        return frame;
    }

    /** Gives the farewell up if it was not sent. Loop. */
    void over() {
        state.compareAndSet(State.DUE, State.OVER);
    }
}
