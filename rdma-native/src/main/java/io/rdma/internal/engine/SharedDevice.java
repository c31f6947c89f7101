package io.rdma.internal.engine;

import io.rdma.environment.Environment;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// States: OPEN -> RETIRED (failed, or idle for long) -> CLOSING, or OPEN -> CLOSING.
// - OPEN takes users. Without users it is kept for some time, then it is retired.
// - RETIRED takes no new users. It closes when the last user is gone.
// - CLOSING: one thread closes the resources. Users that leave then have nothing to do.

/** Open device that several users share, and their number. Thread-safe. */
final class SharedDevice {
    private enum State {
        OPEN,
        RETIRED,
        CLOSING
    }

    private final DeviceResources resources;
    private final Duration keep;
    private final Consumer<SharedDevice> forget;
    private final Consumer<SharedDevice> closed;
    private State state = State.OPEN; // guarded by this
    private int users = 1; // guarded by this
    private Environment.@Nullable Timer keeping; // guarded by this; set while there is no user

    /**
     * Counts its first user.
     *
     * @param resources open, closed by this
     * @param keep time for which the device stays open without users
     * @param forget called when no user can join any more, more than once perhaps; must not block
     * @param closed called when the resources have ended, more than once perhaps; must not block
     */
    SharedDevice(
            DeviceResources resources, Duration keep, Consumer<SharedDevice> forget, Consumer<SharedDevice> closed) {
        this.resources = resources;
        this.keep = keep;
        this.forget = forget;
        this.closed = closed;
    }

    DeviceResources resources() {
        return resources;
    }

    /**
     * Adds a user.
     *
     * @return false if the device has failed, or closes, or is closed
     */
    boolean tryJoin() {
        synchronized (this) {
            if (state == State.OPEN && resources.isUsable()) {
                users++;
                stopKeeping();
                return true;
            }
        }
        if (retire(false)) {
            closeElsewhere();
        }
        return false;
    }

    /**
     * Removes a user. Closes the device if this was the last user of one that has failed. Blocks then, unless the close
     * would wait for the calling thread: another thread closes the device then.
     */
    void leave() {
        synchronized (this) {
            users--;
        }
        if (keepsIdle() || !retire(false)) {
            return;
        }
        try {
            resources.requireClosable();
        } catch (IllegalStateException | StackOverflowError refused) { // on a loop, or deep in a recursion
            closeElsewhere();
            return;
        }
        closeResources();
    }

    /** Keeps the device for later users if it has none; returns whether it does. */
    private boolean keepsIdle() {
        if (!resources.isUsable() || !keep.isPositive()) {
            return false;
        }
        synchronized (this) {
            if (users > 0 || state != State.OPEN) {
                return false;
            }
            stopKeeping();
            try {
                keeping = resources.environment().startAfter(keep.toNanos(), "rdma-release", this::expire);
                return true;
            } catch (Throwable e) { // no memory for a timer: without one the device would stay open
                return false;
            }
        }
    }

    private void expire() {
        if (retire(false)) {
            closeLogged();
        }
    }

    /**
     * Refuses further users, unless the device works and has users.
     *
     * @param regardless whether to refuse further users, and to close, in any case
     * @return whether the caller has to close the resources
     */
    private boolean retire(boolean regardless) {
        boolean works = resources.isUsable();
        boolean closes;
        synchronized (this) {
            if (state == State.CLOSING || users > 0 && works && !regardless) {
                return false;
            }
            closes = regardless || users == 0;
            state = closes ? State.CLOSING : State.RETIRED;
            stopKeeping();
        }
        forget.accept(this);
        return closes;
    }

    /**
     * Closes the device, with the connections of its users, or waits for the thread that closes it. Blocks.
     *
     * @throws IllegalStateException if the close would wait for the calling thread; nothing has changed then
     */
    void close() {
        resources.requireClosable();
        retire(true);
        closeResources();
    }

    /** Closes the resources. If that is refused, nothing has changed, and {@link #close} can still do it. */
    private void closeResources() {
        resources.requireClosable();
        try {
            resources.close();
        } finally {
            closed.accept(this);
        }
    }

    private void closeElsewhere() {
        resources.environment().startOrRun("rdma-release", this::closeLogged);
    }

    private void stopKeeping() {
        if (keeping != null) {
            keeping.cancel();
            keeping = null;
        }
    }

    /** Closes the resources. No caller is left to get a failure, so it is logged. */
    private void closeLogged() {
        try {
            closeResources();
        } catch (Throwable e) {
            System.getLogger(SharedDevice.class.getName())
                    .log(
                            Level.ERROR,
                            "the shared resources of " + resources.context().name() + " were not closed",
                            e);
        }
    }
}
