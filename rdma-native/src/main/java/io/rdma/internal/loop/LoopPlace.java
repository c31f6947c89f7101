package io.rdma.internal.loop;

import io.rdma.internal.os.Processors;
import java.util.BitSet;

/**
 * Place of a loop: the interrupt that wakes it, and the processors that its own thread runs on.
 *
 * @param vector completion vector of its completion queues
 * @param processors not changed; empty for all
 * @param chosen whether the application has chosen the processors; if not, only those of them that the thread may use
 *     anyway are meant
 */
public record LoopPlace(int vector, BitSet processors, boolean chosen) {
    /** First completion vector, all processors. */
    static final LoopPlace ANY = new LoopPlace(0, new BitSet(), false);

    /** Moves the calling thread there. A failure is logged: the loop works on any processor. */
    void enter() {
        if (processors.isEmpty()) {
            return;
        }
        BitSet wanted = processors;
        if (!chosen) {
            BitSet allowed = Processors.ofThisThread();
            wanted = (BitSet) allowed.clone();
            wanted.and(processors);
            if (wanted.isEmpty() || wanted.equals(allowed)) { // the start of the JVM has decided otherwise, or the same
                return;
            }
        }
        int result = Processors.restrictThisThread(wanted);
        if (result < 0) {
            System.getLogger(LoopPlace.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "the loop does not run on the processors " + wanted + ": sched_setaffinity(2) failed with"
                                    + " errno " + -result);
        }
    }
}
