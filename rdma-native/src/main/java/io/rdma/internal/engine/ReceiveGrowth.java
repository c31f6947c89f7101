package io.rdma.internal.engine;

import java.lang.System.Logger;
import java.util.concurrent.atomic.AtomicBoolean;

// Invariants
// - A ring may begin with a part of its slots. One thread at a time, the grower, registers memory for more slots and
// posts them. It raises `growing` and then reads whether the ring was stopped; a close stops the ring and then reads
// `growing`.
// - A ring whose slots all exist from the start, a shared one among them, has no grower: more slots are only announced.
// - New slots are announced to the peer after they are posted.

/** Growth of the receives that a connection announces to its peer. It doubles them up to the maximum. */
final class ReceiveGrowth {
    private final Endpoint endpoint;
    private final ReceiveRing ring;
    private final Credits credits;
    private final boolean wholeRing; // whether all slots exist from the start, announced to the peer or not
    private final AtomicBoolean growing = new AtomicBoolean();

    ReceiveGrowth(Endpoint endpoint, ReceiveRing ring, Credits credits) {
        this.endpoint = endpoint;
        this.ring = ring;
        this.credits = credits;
        this.wholeRing = ring.slots().isWhole();
    }

    /**
     * Announces more receives if the peer has used half of them. If their buffers do not exist yet, a separate thread
     * registers and posts them. Loop.
     */
    void growIfDue() {
        if (!credits.isGrowthDue()) {
            return;
        }
        if (wholeRing) {
            int more = credits.growth();
            credits.grew(more);
            credits.reposted(more, 0);
            endpoint.creditsChanged();
        } else if (begin()) {
            try {
                endpoint.loop().environment().start("rdma-grow", this::growOnce);
            } catch (Throwable e) {
                growing.set(false);
                throw e;
            }
        }
    }

    /** Makes the caller the grower and returns true, unless there is one or the ring was stopped. */
    private boolean begin() {
        if (!growing.compareAndSet(false, true)) {
            return false;
        }
        if (ring.isStopped()) {
            growing.set(false);
            return false;
        }
        return true;
    }

    private void growOnce() {
        try {
            int more = credits.growth();
            if (more > 0) { // else the last growth has been noticed by now
                ring.grow(more);
                credits.grew(more);
            }
        } catch (Throwable e) { // such as no memory
            credits.stopGrowth();
            System.getLogger(ReceiveGrowth.class.getName())
                    .log(
                            Logger.Level.WARNING,
                            "a receive ring cannot grow and stays at "
                                    + ring.slots().made() + " buffers",
                            e);
        } finally {
            growing.set(false);
        }
        endpoint.creditsChanged();
    }

    /** Returns whether a thread registers or posts more slots. */
    boolean isUnderWay() {
        return growing.get();
    }
}
