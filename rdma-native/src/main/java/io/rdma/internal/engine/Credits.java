package io.rdma.internal.engine;

import io.rdma.internal.engine.EndpointOptions.Start;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

// Invariants
// - All counts are cumulative and wrap around at 2^32. So each announcement includes all earlier ones, and a late one
// does no harm.
// - Receives for messages and receives for control frames are counted separately, although the device does not
// distinguish them. A frame is posted only if its count allows it, so the sum never exceeds the receives that the peer
// has posted.
// - A control frame causes no reply, so there is no endless exchange. The receive that it used is announced with the
// next frame. If none is sent, a control frame announces it once half of the control receives have been used. Only that
// control frame may use the last control credit. So two peers that have both run out of credits always have one frame
// left that gives the other new ones.
// - The receive for the farewell is in no count. Nothing else uses it, so an ending side can always send its farewell.
// - Receives that are posted at the start count from the start; later ones for messages count from their post. Where
// one side starts, its receives count from its first frame.
// - Fields marked (poster) are written by the poster of the send queue, those marked (loop) by the loop. Any thread
// reads them.
// - Stores of these two are releases (lazySet), which cost no atomic instruction. All reads are volatile: on ARM that
// orders them behind an atomic instruction of the same thread. Each store relies on an order:
//   - consumed, consumedControl, announced, announcedControl: the loop compares them with what the peer says, and the
//   peer says it after a request that was posted later. A device's doorbell is behind all earlier stores, and the poll
//   of a completion is before all later reads. The software device hands requests over by atomic instructions.
//   - the same and announcedFetched, in isDue: an old value only makes a frame seem due that is not. The poster, which
//   reads its own stores, decides. From one poster to the next `wip` of the send queue orders them.
//   - granted, grantedControl: the loop reads afterwards whether anything waits. So a full fence follows the stores.
//   The poster counts what waits, and others what they post again, by a volatile store or an atomic instruction, before
//   they read these fields.
//   - received: released before the message itself, so a thread that has taken the message reads a count that includes
//   it. A consumer that takes it on the loop does so behind the full fence of ReceiveQueue.dispatched.

/**
 * Flow control of one connection in both directions: the messages that the peer can take, and the receives of this side
 * that the peer knows of. See docs/internals/protocol.md.
 */
final class Credits {
    /** Number of receives for control frames, in addition to those for messages of the application. */
    static final int CONTROL_RECEIVES = 8;
    /** Number of send slots for control frames, in addition to those of the application. */
    static final int CONTROL_SENDS = 1;

    private static final AtomicIntegerFieldUpdater<Credits> GRANTED =
            AtomicIntegerFieldUpdater.newUpdater(Credits.class, "granted");
    private static final AtomicIntegerFieldUpdater<Credits> GRANTED_CONTROL =
            AtomicIntegerFieldUpdater.newUpdater(Credits.class, "grantedControl");
    private static final AtomicIntegerFieldUpdater<Credits> CONSUMED =
            AtomicIntegerFieldUpdater.newUpdater(Credits.class, "consumed");
    private static final AtomicIntegerFieldUpdater<Credits> CONSUMED_CONTROL =
            AtomicIntegerFieldUpdater.newUpdater(Credits.class, "consumedControl");
    private static final AtomicIntegerFieldUpdater<Credits> POSTED =
            AtomicIntegerFieldUpdater.newUpdater(Credits.class, "posted");
    private static final AtomicIntegerFieldUpdater<Credits> RECEIVED =
            AtomicIntegerFieldUpdater.newUpdater(Credits.class, "received");
    private static final AtomicIntegerFieldUpdater<Credits> ANNOUNCED =
            AtomicIntegerFieldUpdater.newUpdater(Credits.class, "announced");
    private static final AtomicIntegerFieldUpdater<Credits> ANNOUNCED_CONTROL =
            AtomicIntegerFieldUpdater.newUpdater(Credits.class, "announcedControl");
    private static final AtomicIntegerFieldUpdater<Credits> ANNOUNCED_FETCHED =
            AtomicIntegerFieldUpdater.newUpdater(Credits.class, "announcedFetched");

    private final boolean framed;
    private final boolean farewells;
    private final int controlWindow; // control frames that a side may have in flight, farewell excluded
    private final int receiveBuffers; // of this side, at most
    private volatile int most; // (grower) receiveBuffers, or less if memory ran out
    // (grower; any thread shrinks it) the window: receives posted, held by the application, or on their way back
    private volatile int posted;
    private final int window; // receive buffers of the peer
    private volatile int granted; // (loop) messages that the peer has allowed
    private volatile int grantedControl; // (loop)
    private volatile int consumed; // (poster) by messages of this side
    private volatile int consumedControl; // (poster)
    private volatile int received; // (loop) messages of the peer
    private int receivedControl; // (loop)
    private final AtomicInteger reposted = new AtomicInteger(); // any thread
    private final AtomicInteger repostedControl = new AtomicInteger();
    private volatile int announced; // (poster)
    private volatile int announcedControl; // (poster)
    private final AtomicInteger fetched = new AtomicInteger(); // large messages of the peer that this side has read
    private volatile int announcedFetched; // (poster)

    /** Creates the state at the start of a connection where all receives of both sides are posted. */
    Credits(boolean framed, int ours, int theirs, boolean farewells) {
        this(framed, ours, ours, theirs, theirs, farewells, Start.TOGETHER);
    }

    /**
     * Creates the state at the start of a connection. The numbers exclude receives for control frames.
     *
     * @param framed whether both sides count credits
     * @param first receive buffers that this side has posted
     * @param ours maximum of receive buffers of this side
     * @param theirFirst receive buffers that the peer has posted
     * @param theirs maximum of receive buffers of the peer
     * @param farewells whether a side sends BYE or ABORT at its end; one control receive is reserved for it
     * @param start which side sends first
     */
    Credits(boolean framed, int first, int ours, int theirFirst, int theirs, boolean farewells, Start start) {
        this.framed = framed;
        this.farewells = farewells;
        controlWindow = farewells ? CONTROL_RECEIVES - 1 : CONTROL_RECEIVES;
        receiveBuffers = ours;
        window = theirs;
        most = ours;
        posted = first;
        reposted.set(first);
        repostedControl.set(controlWindow);
        if (!framed || start != Start.PEER) {
            granted = theirFirst;
            grantedControl = controlWindow;
        }
        if (!framed || start != Start.THIS_SIDE) {
            announced = first;
            announcedControl = controlWindow;
        }
    }

    /** Returns the number of new receives that are worth a control frame. */
    private int batch() {
        return Math.max(1, (posted + 3) / 4);
    }

    /** Returns whether messages carry a {@link Frame}. */
    boolean framed() {
        return framed;
    }

    /** Returns whether each side ends with BYE or ABORT. */
    boolean farewells() {
        return farewells;
    }

    /** Returns the number of receives to be posted, those for control frames included. */
    int receives() {
        return framed ? receiveBuffers + CONTROL_RECEIVES : receiveBuffers;
    }

    /** Returns whether the peer has a receive for a message. */
    boolean mayMessage() {
        return !framed || granted - consumed > 0;
    }

    /** Counts a message, or a write with immediate, that takes a receive of the peer. Poster. */
    void consume() {
        CONSUMED.lazySet(this, consumed + 1);
    }

    /** Counts a control frame that takes a receive of the peer. Poster. */
    void consumeControl() {
        CONSUMED_CONTROL.lazySet(this, consumedControl + 1);
    }

    /**
     * Records the receives that the peer announced. Loop.
     *
     * @return false if the numbers are impossible: fewer than before, or more than the peer has
     */
    boolean granted(int messages, int control) {
        if (isImpossible(messages, granted, consumed, window)
                || isImpossible(control, grantedControl, consumedControl, controlWindow)) {
            return false;
        }
        if (granted != messages || grantedControl != control) { // most frames announce nothing new
            GRANTED.lazySet(this, messages);
            GRANTED_CONTROL.lazySet(this, control);
            VarHandle.fullFence(); // the loop sees what waits for them, or the thread that lets it wait sees them
        }
        return true;
    }

    private static boolean isImpossible(int total, int before, int used, int most) {
        return total - before < 0 || total - used < 0 || total - used > most;
    }

    /** Counts a message that arrived. Loop. */
    void receive() {
        RECEIVED.lazySet(this, received + 1);
    }

    /** Returns whether the peer had a credit for a message that arrives now. Loop. */
    boolean mayReceive() {
        return announced - received > 0;
    }

    /**
     * Counts a control frame that arrived. Loop.
     *
     * @return whether the peer had a credit for it
     */
    boolean receiveControl() {
        return announcedControl - ++receivedControl >= 0;
    }

    /** Returns whether the peer has used half of its credits or more, and the ring can still grow. Loop. */
    boolean isGrowthDue() {
        int now = posted;
        return now < most && announced - received <= now / 2;
    }

    /** Returns the number of receives for messages to be added, which doubles them up to the maximum. Grower. */
    int growth() {
        return Math.min(most - posted, posted);
    }

    /** Counts added receives. They are announced in the same way as reposted ones. Grower. */
    void grew(int more) {
        POSTED.addAndGet(this, more);
    }

    /** Returns the receives for messages that the peer may use, or has used and this side has not given back. */
    int window() {
        return posted;
    }

    /**
     * Takes one receive out of the window, in place of its announcement. Any thread.
     *
     * @param least smallest window
     * @return false if the window is not larger than that
     */
    boolean shrink(int least) {
        int now = posted;
        while (now > least && !POSTED.compareAndSet(this, now, now - 1)) {
            now = posted;
        }
        return now > least;
    }

    /** Ends the growth, because there is no memory for more receives. Grower. */
    void stopGrowth() {
        most = posted;
    }

    /** Returns the number of messages that arrived. */
    int received() {
        return received;
    }

    /** Counts receives that were posted again, or given back to a shared queue. Any thread. */
    void reposted(int messages, int control) {
        if (messages != 0) {
            reposted.addAndGet(messages);
        }
        if (control != 0) {
            repostedControl.addAndGet(control);
        }
    }

    /**
     * Returns whether a control frame that announces receives to the peer is due now, and allowed.
     *
     * @param idle whether the application on this side has taken all messages that arrived
     */
    boolean isDue(boolean idle) {
        if (!framed) {
            return false;
        }
        int left = grantedControl - consumedControl;
        if (left > 0 && repostedControl.get() - announcedControl >= CONTROL_RECEIVES / 2) {
            return true;
        }
        int news = reposted.get() - announced;
        boolean starved = announced - received <= 0;
        boolean fetches = fetched.get() != announcedFetched;
        return left > 1 && (fetches || news >= batch() || news > 0 && idle && starved);
    }

    /** Returns the count of receives for messages that a frame announces now. Poster. */
    int announce() {
        int now = reposted.get();
        ANNOUNCED.lazySet(this, now);
        return now;
    }

    /** Returns the count of receives for control frames that a frame announces now. Poster. */
    int announceControl() {
        int now = repostedControl.get();
        ANNOUNCED_CONTROL.lazySet(this, now);
        return now;
    }

    /** Counts a large message of the peer that was fetched, so the peer may release its memory. Any thread. */
    void fetched() {
        fetched.incrementAndGet();
    }

    /** Returns the count of fetched large messages that a frame announces now. Poster. */
    int announceFetched() {
        int now = fetched.get();
        ANNOUNCED_FETCHED.lazySet(this, now);
        return now;
    }
}
