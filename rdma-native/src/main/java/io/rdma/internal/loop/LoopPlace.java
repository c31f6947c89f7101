package io.rdma.internal.loop;

import io.rdma.internal.os.Processors;
import io.rdma.internal.os.ThreadPlace;
import java.lang.System.Logger.Level;
import java.util.BitSet;

/**
 * Place of a loop: the interrupt that wakes it, and the processors that its own thread runs on.
 *
 * @param vector completion vector of its completion queues
 * @param processors not changed; empty for all
 * @param chosen whether the application has chosen the processors. If false, the thread is restricted to those of them
 *     that it may already use
 */
public record LoopPlace(int vector, BitSet processors, boolean chosen) {
    /** First completion vector, all processors. */
    static final LoopPlace ANY = new LoopPlace(0, new BitSet(), false);

    /** Moves the calling thread there. A failure is logged: the loop works on any processor. */
    void enter() {
        try {
            moveThisThread();
        } catch (Throwable e) {
            System.getLogger(LoopPlace.class.getName())
                    .log(Level.WARNING, "the loop runs on any processor, not on " + processors, e);
        }
    }

    private void moveThisThread() {
        if (processors.isEmpty()) {
            return;
        }
        BitSet wanted = processors;
        if (!chosen) {
            BitSet allowed = Processors.ofThisThread();
            wanted = (BitSet) allowed.clone();
            wanted.and(processors);
            if (wanted.isEmpty() || wanted.equals(allowed)) {
                return; // The JVM was started on other processors, or on exactly these.
            }
        }
        int result = ThreadPlace.enter(wanted);
        if (result < 0) {
            System.getLogger(LoopPlace.class.getName())
                    .log(
                            Level.WARNING,
                            "the loop does not run on the processors " + wanted + ": sched_setaffinity(2) failed with"
                                    + " errno " + -result);
        }
    }
}
