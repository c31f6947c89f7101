package io.rdma.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Phaser;

// Invariant: who begins before the end is told to break off and waited for; who begins later is refused.

/** The endpoints that are on their way on a device. Thread-safe. */
final class PendingEndpoints {
    private final Set<PendingEndpoint> pending = ConcurrentHashMap.newKeySet();
    private final Phaser parties = new Phaser(1); // those, and this, which leaves at the end
    private volatile boolean ended;

    PendingEndpoint begin(Runnable breakOff) {
        PendingEndpoint one = new PendingEndpoint(this, breakOff);
        parties.register();
        pending.add(one);
        if (ended) {
            one.close();
            throw new IllegalStateException("the resources are closed: open new ones");
        }
        return one;
    }

    void end(PendingEndpoint one) {
        if (pending.remove(one)) {
            parties.arriveAndDeregister();
        }
    }

    /** Refuses all from now on, breaks off those that are on their way, and returns when none is left. */
    void endAll() {
        ended = true;
        pending.forEach(PendingEndpoint::breakOff);
        parties.awaitAdvance(parties.arriveAndDeregister());
    }
}
