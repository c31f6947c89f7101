package io.rdma.engine;

import java.util.concurrent.atomic.AtomicInteger;

// Invariants
// - All counts are cumulative and wrap around at 2^32: what a late announcement said, the next one says again.
// - Receives for messages and for control frames are counted apart, though the device does not tell them apart: a frame
// is posted only if its count allows it, so the sum never exceeds what the peer has posted.
// - A control frame asks for no answer: its own receive is announced with the next frame, or once half of the reserve
// is used up; so there is no endless exchange. Only such an announcement may use the last control credit, so two peers
// that have both run out always have one frame left that helps the other.
// - The receive for the farewell is in no count: nothing else uses it, so a side that ends can always say so.
// - Of the receives for messages, those that are posted at the start count from then on; others when they are posted.
// - Fields marked (drainer), (loop) are written by the thread that drains the send queue, by the loop; all are read by
// anybody.

/**
 * Flow control of one connection, both ways: how many messages the peer can take, and what it knows of ours. See
 * docs/internals/protocol.md.
 */
final class Credits {
    /** Receives beyond those of the application, for control frames. */
    static final int CONTROL_RECEIVES = 8;
    /** Send slots beyond those of the application. */
    static final int CONTROL_SENDS = 1;

    private final boolean framed;
    private final boolean farewells;
    private final int controlWindow; // control frames that a side may have under way, but for its last
    private final int receiveBuffers; // here, at most
    private volatile int most; // (grower) of them, less if there is no memory
    private volatile int posted; // (grower) of them, with those that are on their way back
    private volatile int batch; // (grower) receives for messages that are worth a control frame
    private final int window; // receive buffers of the peer
    private volatile int granted; // (loop) messages, by the peer
    private volatile int grantedControl; // (loop)
    private volatile int consumed; // (drainer) by our messages
    private volatile int consumedControl; // (drainer)
    private volatile int received; // (loop) messages of the peer
    private int receivedControl; // (loop)
    private final AtomicInteger reposted = new AtomicInteger(); // any thread
    private final AtomicInteger repostedControl = new AtomicInteger();
    private volatile int announced; // (drainer)
    private volatile int announcedControl; // (drainer)
    private final AtomicInteger fetched = new AtomicInteger(); // large messages of the peer that are here
    private volatile int announcedFetched; // (drainer)

    /** At the start of a connection, when all receives of both sides are posted. */
    Credits(boolean framed, int ours, int theirs, boolean farewells) {
        this(framed, ours, ours, theirs, theirs, farewells);
    }

    /**
     * At the start of a connection; the numbers are without receives for control frames.
     *
     * @param framed whether both sides count
     * @param first receive buffers that are posted here
     * @param ours most receive buffers here
     * @param theirFirst receive buffers that are posted there
     * @param theirs most receive buffers there
     * @param farewells whether a side says BYE or ABORT at its end: one control receive is kept for that
     */
    Credits(boolean framed, int first, int ours, int theirFirst, int theirs, boolean farewells) {
        this.framed = framed;
        this.farewells = farewells;
        controlWindow = farewells ? CONTROL_RECEIVES - 1 : CONTROL_RECEIVES;
        receiveBuffers = ours;
        window = theirs;
        most = ours;
        posted = first;
        batch = batch(first);
        granted = theirFirst;
        grantedControl = controlWindow;
        announced = first;
        reposted.set(first);
        announcedControl = controlWindow;
        repostedControl.set(controlWindow);
    }

    private static int batch(int posted) {
        return Math.max(1, (posted + 3) / 4);
    }

    /** Whether messages carry a {@link Frame}. */
    boolean framed() {
        return framed;
    }

    /** Whether each side ends with a frame that says how. */
    boolean farewells() {
        return farewells;
    }

    /** Receives to be posted. */
    int receives() {
        return framed ? receiveBuffers + CONTROL_RECEIVES : receiveBuffers;
    }

    /** Whether the peer has a receive for a message. */
    boolean mayMessage() {
        return !framed || granted - consumed > 0;
    }

    /** A message, or a write with immediate, takes a receive of the peer. Drainer. */
    void consume() {
        consumed = consumed + 1;
    }

    /** A control frame takes one. Drainer. */
    void consumeControl() {
        consumedControl = consumedControl + 1;
    }

    /**
     * The peer announced its receives. Loop.
     *
     * @return false if that cannot be true: fewer than before, or more than it has
     */
    boolean granted(int messages, int control) {
        if (isImpossible(messages, granted, consumed, window)
                || isImpossible(control, grantedControl, consumedControl, controlWindow)) {
            return false;
        }
        if (granted != messages) { // most frames bring no news, and a volatile write costs
            granted = messages;
        }
        if (grantedControl != control) {
            grantedControl = control;
        }
        return true;
    }

    private static boolean isImpossible(int total, int before, int used, int most) {
        return total - before < 0 || total - used < 0 || total - used > most;
    }

    /** A message came. Loop. */
    void receive() {
        received = received + 1;
    }

    /** Whether a message that comes now is one that the peer was told to send. Loop. */
    boolean mayReceive() {
        return announced - received > 0;
    }

    /**
     * A control frame came. Loop.
     *
     * @return whether the peer was told that it may
     */
    boolean receiveControl() {
        return announcedControl - ++receivedControl >= 0;
    }

    /** Whether the peer uses its credits so that more of them would let it send more, and there are more. Loop. */
    boolean isGrowthDue() {
        int now = posted;
        return now < most && announced - received <= now / 2;
    }

    /** Receives for messages that are to be posted more, so that there are twice as many. Grower. */
    int growth() {
        return Math.min(most - posted, posted);
    }

    /** So many more are posted: they are announced as those that were posted again. Grower. */
    void grew(int more) {
        int now = posted + more;
        posted = now;
        batch = batch(now);
    }

    /** There is no memory for more. Grower. */
    void stopGrowth() {
        most = posted;
    }

    /** Messages that came. */
    int received() {
        return received;
    }

    /** Receives were posted again, or given back to a shared queue. Any thread. */
    void reposted(int messages, int control) {
        if (messages != 0) {
            reposted.addAndGet(messages);
        }
        if (control != 0) {
            repostedControl.addAndGet(control);
        }
    }

    /**
     * Whether a control frame should, and may, tell the peer of our receives now.
     *
     * @param idle whether our application has taken all that arrived
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
        return left > 1 && (fetches || news >= batch || news > 0 && idle && starved);
    }

    /** What a frame that is posted now announces of receives for messages. Drainer. */
    int announce() {
        announced = reposted.get();
        return announced;
    }

    /** The same for control frames. */
    int announceControl() {
        announcedControl = repostedControl.get();
        return announcedControl;
    }

    /** A large message of the peer is here: the peer may have its memory back. Any thread. */
    void fetched() {
        fetched.incrementAndGet();
    }

    /** The same for large messages that were fetched. */
    int announceFetched() {
        announcedFetched = fetched.get();
        return announcedFetched;
    }
}
