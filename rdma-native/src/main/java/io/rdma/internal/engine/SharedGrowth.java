package io.rdma.internal.engine;

import io.rdma.internal.loop.CompletionLoop;
import io.rdma.types.VerbsException;
import io.rdma.verbs.SharedReceiveQueue;
import java.lang.System.Logger;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

// Invariants
// - The ring begins with a part of its slots. The event of the queue's limit has more registered and posted, and the
// limit set again. So does a connection that joins, if receives are short. One thread at a time does so.
// - A close comes when no connection joins any more. It stops the ring and then reads `wip`, which the thread for the
// event raises before it reads the ring's state.

/** Growth of shared receives: more are registered when the device reports that they run low, up to the maximum. */
final class SharedGrowth {
    private final SharedReceives owner;
    private final CompletionLoop loop;
    private final SharedReceiveQueue queue;
    private final ReceiveRing ring;
    private final ReceiveShares shares;
    private final int count;
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicInteger wip = new AtomicInteger(); // reports of the limit that the grower has not handled

    SharedGrowth(
            SharedReceives owner,
            CompletionLoop loop,
            SharedReceiveQueue queue,
            ReceiveRing ring,
            ReceiveShares shares,
            int count) {
        this.owner = owner;
        this.loop = loop;
        this.queue = queue;
        this.ring = ring;
        this.shares = shares;
        this.count = count;
    }

    /** Returns whether a thread registers or posts more buffers for the event. */
    boolean isUnderWay() {
        return wip.get() != 0;
    }

    /**
     * Has the device report when a sixteenth of the receives are used, in addition to those on their way back. Does
     * nothing if all buffers are there.
     */
    void armLimit() {
        int made = ring.slots().made();
        if (made < count) {
            try {
                queue.armLimit(made - made / 16 - ring.batch());
            } catch (VerbsException e) {
                log().log(Logger.Level.INFO, "the device has no limit of a shared receive queue: all are posted", e);
                ring.grow(count - made);
                shares.grew(count);
            }
        }
    }

    /** Registers and posts more buffers, as many as there are, because receives run low. Any thread; does not wait. */
    void limitReached() {
        if (wip.getAndIncrement() == 0) {
            try {
                loop.environment().start("rdma-grow", this::growAll);
            } catch (Throwable e) {
                growthEnded(e);
                wip.set(0);
            }
        }
    }

    /** Does the same as {@link #limitReached} if a window cannot grow for want of receives. */
    void growForWindows() {
        if (wip.get() == 0 && !ring.slots().isWhole()) {
            limitReached();
        }
    }

    private void growAll() {
        int missed = 1;
        do {
            try {
                growOnce();
                loop.execute(this::offerShares);
            } catch (Throwable e) { // such as no memory
                growthEnded(e);
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    /**
     * Registers and posts as many buffers as there are, unless all are there. Slow, so never on the loop.
     *
     * @throws RuntimeException if there is no memory
     */
    void growOnce() {
        lock.lock();
        try {
            int made = ring.slots().made();
            if (!ring.isStopped() && made < count) {
                int more = Math.min(made, count - made);
                ring.grow(more);
                shares.grew(made + more);
                armLimit();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Grows the windows that wait for it: nothing may arrive at a connection whose peer has used its window. Loop. */
    private void offerShares() {
        Endpoint.on(loop).map(Endpoint::receives).forEach(receives -> receives.sharesGrew(owner));
    }

    private void growthEnded(Throwable cause) {
        log().log(
                        Logger.Level.WARNING,
                        "shared receive buffers cannot grow and stay at "
                                + ring.slots().made(),
                        cause);
    }

    private static Logger log() {
        return System.getLogger(SharedGrowth.class.getName());
    }
}
