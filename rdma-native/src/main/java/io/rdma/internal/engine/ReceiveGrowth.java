package io.rdma.internal.engine;

import java.lang.System.Logger;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

// Invariants
// - A ring may begin with a part of its slots. One thread at a time, the grower, registers memory for more slots and
// posts them. It raises `growing` and then reads whether the ring was stopped; a close stops the ring and then reads
// `growing`.
// - A ring whose slots all exist from the start has no grower: more slots are only announced. Nor has a shared one: its
// connections get shares of it.
// - New slots are announced to the peer after they are posted.

/** Growth of the receives that a connection announces to its peer. It doubles them up to the maximum. */
final class ReceiveGrowth {
    private final Endpoint endpoint;
    private final ReceiveRing ring;
    private final Credits credits;
    private final @Nullable SharedReceives shared;
    private final boolean wholeRing; // whether all slots exist from the start, announced to the peer or not
    private final AtomicBoolean growing = new AtomicBoolean();

    ReceiveGrowth(Endpoint endpoint, ReceiveRing ring, Credits credits, @Nullable SharedReceives shared) {
        this.endpoint = endpoint;
        this.ring = ring;
        this.credits = credits;
        this.shared = shared;
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
        if (shared != null) {
            int more = shared.shares().grow(credits.window(), credits.growth());
            announce(more);
            if (more == 0) {
                shared.growth().growForWindows();
            }
        } else if (wholeRing) {
            announce(credits.growth());
        } else if (begin()) {
            try {
                endpoint.loop().environment().start("rdma-grow", this::growOnce);
            } catch (Throwable e) {
                growing.set(false);
                throw e;
            }
        }
    }

    private void announce(int more) {
        if (more > 0) {
            credits.grew(more);
            credits.reposted(more, 0);
            endpoint.creditsChanged();
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
