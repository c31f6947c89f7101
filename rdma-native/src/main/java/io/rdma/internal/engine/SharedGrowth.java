package io.rdma.internal.engine;

import io.rdma.environment.Environment;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.types.VerbsException;
import io.rdma.verbs.SharedReceiveQueue;
import java.lang.System.Logger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

// Invariants
// - The ring begins with a part of its slots. The event of the queue's limit has more registered and posted, and the
// limit set again. So does a connection that joins, if receives are short. One thread at a time does so.
// - A close comes when no connection joins any more. It stops the ring and then reads `wip`, which the thread for the
// event raises before it reads the ring's state. Every raise has one thread that lowers it: the one that was started,
// or the caller that could not start it.
// - After a failure there is a pause in which nothing grows, and then an attempt. Pauses double up to a minute. A pause
// begins only if its timer is set.

/** Growth of shared receives: more are registered when the device reports that they run low, up to the maximum. */
final class SharedGrowth {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final SharedReceives owner;
    private final CompletionLoop loop;
    private final SharedReceiveQueue queue;
    private final ReceiveRing ring;
    private final ReceiveShares shares;
    private final int count;
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicInteger wip = new AtomicInteger(); // reports of the limit that the grower has not handled
    private volatile boolean paused; // (synchronized) since a failure
    private long nextPause = FIRST_PAUSE_NANOS; // (synchronized)
    private Environment.@Nullable Timer timer; // (synchronized) ends the pause

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
        if (paused) {
            return; // the end of the pause does it
        }
        AtomicBoolean counted = new AtomicBoolean(true);
        if (wip.getAndIncrement() == 0) {
            try {
                loop.environment().start("rdma-grow", () -> {
                    if (counted.compareAndSet(true, false)) {
                        growAll();
                    }
                });
            } catch (Throwable e) { // no memory for a thread; it may run all the same
                if (counted.compareAndSet(true, false)) {
                    failed(e); // before the next attempt can begin
                    wip.set(0);
                }
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
                if (grow()) {
                    loop.execute(this::offerShares);
                }
            } catch (Throwable e) {
                failed(e);
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    /**
     * Registers and posts as many buffers as there are, unless all are there or there was no memory a moment ago. Slow,
     * so never on the loop.
     *
     * @return whether there are more now
     */
    boolean grow() {
        lock.lock();
        try {
            int made = ring.slots().made();
            if (paused || ring.isStopped() || made == count) {
                return false;
            }
            int more = Math.min(made, count - made);
            ring.grow(more);
            shares.grew(made + more);
            armLimit();
            resetPause();
            return true;
        } catch (Throwable e) { // such as no memory
            failed(e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Grows the windows that wait for it: nothing may arrive at a connection whose peer has used its window. Loop. */
    private void offerShares() {
        Endpoint.on(loop).map(Endpoint::receives).forEach(receives -> receives.sharesGrew(owner));
    }

    /** Waits before the next attempt, and logs the first failure of several. Any thread; does not throw. */
    private void failed(Throwable cause) {
        try {
            if (pause()) {
                log().log(
                                Logger.Level.WARNING,
                                "shared receive buffers cannot grow and stay at "
                                        + ring.slots().made() + " of " + count + ". This is tried again later, at least"
                                        + " once a minute",
                                cause);
            }
        } catch (Throwable again) { // no memory: the thread must give `wip` back
            // without a pause, the next want of receives is the next attempt
        }
    }

    /** Begins a pause, unless there is one. Returns whether it follows a success. */
    private synchronized boolean pause() {
        if (paused || ring.isStopped()) {
            return false;
        }
        long nanos = nextPause;
        timer = loop.environment().startAfter(nanos, "rdma-grow", this::tryAgain);
        paused = true;
        nextPause = Math.min(2 * nanos, LONGEST_PAUSE_NANOS);
        return nanos == FIRST_PAUSE_NANOS;
    }

    private synchronized void resetPause() {
        nextPause = FIRST_PAUSE_NANOS;
    }

    private synchronized void endPause() {
        paused = false;
        timer = null;
    }

    /** Ends the pause. Grows also if the device reported nothing, because its limit is set again only then. */
    private void tryAgain() {
        endPause();
        if (wip.getAndIncrement() == 0) {
            growAll();
        }
    }

    /** Ends all attempts but the one that is under way. The ring has been stopped. */
    synchronized void stop() {
        if (timer != null) {
            timer.cancel();
        }
    }

    private static Logger log() {
        return System.getLogger(SharedGrowth.class.getName());
    }
}
