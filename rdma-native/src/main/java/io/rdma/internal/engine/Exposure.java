package io.rdma.internal.engine;

import io.rdma.environment.Environment;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// States: QUEUED -> REGISTERING -> REGISTERED -> RELEASED    the peer may read the memory while it is REGISTERED
//                   REGISTERING -> REFUSED -> RELEASED       the poster ends the message with the refusal
//         QUEUED -> RELEASED                               cancelled before, or the connection ended
//                   REGISTERING -> RELEASED                the same; the registering thread frees what there is
// - An exposure of memory that was registered with the message begins as REGISTERED.
// - The operation releases the exposure exactly once, at its end or cancel.
// - The buffer is given back exactly once: by the thread that moves the state to RELEASED, or, if that was REGISTERING,
// by the registering thread when its call has returned. So memory is never freed while it is registered.
// - Freeing is slow: it runs on a thread of its own, or on the registering one. The listener of the operation runs on a
// thread of its own: on the registering one it could wait for another registration, or for a close that waits for it.
// - What runs at the end is made with the exposure, because memory may be short when it is needed.

/**
 * Exposure of the memory of one large message to the peer, which reads the message from there. Belongs to one submit of
 * an operation.
 */
final class Exposure {
    private static final int QUEUED = 0;
    private static final int REGISTERING = 1;
    private static final int REGISTERED = 2;
    private static final int REFUSED = 3;
    private static final int RELEASED = 4;

    private final WorkRequest request;
    private final Environment environment;
    private final Runnable released;
    private final AtomicInteger state;
    private volatile @Nullable RemoteMemory memory; // from REGISTERED on
    private volatile @Nullable RuntimeException refusal; // from REFUSED on
    private volatile Runnable then = () -> {}; // written before RELEASED
    private @Nullable MemoryRegion region; // registered for this exposure; written before the state
    private boolean overtaken; // (registering thread) the release came during the call
    private boolean waited; // (releasing thread) the release came before the call
    private final Runnable end = this::end;

    private Exposure(WorkRequest request, Environment environment, Runnable released, int state) {
        this.request = request;
        this.environment = environment;
        this.released = released;
        this.state = new AtomicInteger(state);
    }

    /**
     * Creates the exposure of memory that is to be registered.
     *
     * @param request message whose buffer is borrowed, by no loop
     * @param released runs after a release has found the exposure QUEUED, so that the messages behind it go on
     */
    static Exposure queued(WorkRequest request, Environment environment, Runnable released) {
        return new Exposure(request, environment, released, QUEUED);
    }

    /**
     * Creates the exposure of memory that was registered for the message alone, and is freed with it.
     *
     * @param memory the message
     */
    static Exposure registered(WorkRequest request, Environment environment, RemoteMemory memory) {
        Exposure exposure = new Exposure(request, environment, () -> {}, REGISTERED);
        exposure.memory = memory;
        return exposure;
    }

    /** Returns whether no registration is awaited any more. Any thread. */
    boolean isReady() {
        return state.get() > REGISTERING;
    }

    /** Returns the memory for the peer; null unless the memory is registered. */
    @Nullable
    RemoteMemory memory() {
        return memory;
    }

    /** Returns the reason for which the memory was not registered; null if there is none. */
    @Nullable
    RuntimeException refusal() {
        return refusal;
    }

    /**
     * Begins the registration. {@link #registered} or {@link #refused} follows on the same thread.
     *
     * @return false if the message has ended, and nothing is to be registered
     */
    boolean begin() {
        return state.compareAndSet(QUEUED, REGISTERING);
    }

    /**
     * Ends the registration by a region, which belongs to the exposure from now on. {@link #goOn} follows.
     *
     * @param exposed all of the region
     */
    void registered(MemoryRegion fresh, RemoteMemory exposed) {
        region = fresh;
        memory = exposed;
        end(REGISTERED);
    }

    /**
     * Ends the registration by a failure. {@link #goOn} follows.
     *
     * @param fresh region that the peer cannot use; null if there is none
     */
    void refused(RuntimeException reason, @Nullable MemoryRegion fresh) {
        region = fresh;
        refusal = reason;
        end(REFUSED);
    }

    private void end(int registration) {
        if (!state.compareAndSet(REGISTERING, registration)) {
            overtaken = true;
            free();
        }
    }

    /** Goes on after the registration has ended, on a thread that may call the application. */
    void goOn() {
        if (overtaken) {
            then.run();
        }
    }

    /**
     * Ends the exposure with its operation. Called once.
     *
     * @param after runs when the region is deregistered and the buffer is given back
     */
    void release(Runnable after) {
        then = after;
        int before = state.getAndSet(RELEASED);
        if (before != REGISTERING) {
            waited = before == QUEUED;
            environment.startOrRun("rdma-unexpose", end);
        }
    }

    /** Ends a released exposure for which no thread registers. The messages behind it go on first. */
    private void end() {
        try {
            if (waited) {
                released.run();
            }
        } finally {
            freeAndGoOn();
        }
    }

    private void freeAndGoOn() {
        try {
            free();
        } finally {
            then.run();
        }
    }

    /**
     * Deregisters the region, and then gives the buffer back, so that the peer cannot read the data of its next owner.
     */
    private void free() {
        MemoryRegion mine = region;
        try {
            if (mine != null) {
                mine.close();
            }
        } catch (Throwable e) { // the domain tries again
            System.getLogger(Exposure.class.getName())
                    .log(Level.ERROR, "the memory of a large message was not deregistered", e);
        } finally {
            request.giveBack(false); // borrowed by no loop
        }
    }
}
