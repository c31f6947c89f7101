package io.rdma.internal.loop;

import io.rdma.environment.Environment;
import io.rdma.internal.close.CloseSteps;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.CompletionChannel;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

// Invariants
// - The loop is a step function and has no thread. One thread, its driver, runs the steps: doWork(), and if there was
// nothing to do, prepareSleep() and await(). So any thread can drive it: one of its own (LoopThread), or another event
// loop between its other work.
// - The driver polls the completion queues, and processes every completion of a batch.
// - prepareSleep() arms the queues and polls once more; only then may the driver wait. A task or a close wakes the
// channel.
// - Events are acknowledged before their queue is destroyed, always by the driver.
// - Every queue is armed before the loop sleeps. Adding a queue wakes the loop.
// - States: LIVE -> DEAD, by `failure`, when a queue cannot be polled or armed, or an Error escapes from a step. A dead
// loop polls no more: its connections fail, new ones are refused, tasks and closes still run. Only close() ends it.
// - The loop sets `failure` before it reads the set of endpoints; an endpoint joins the set before it reads `failure`.
// So every endpoint is failed.
// - A task is added in one atomic step: after a StackOverflowError in the adding thread it is either added or not.

/**
 * Step function that serves completion queues: one queue, or more if its connections need them. It polls, dispatches by
 * {@code wr_id}, runs tasks, and drains queue pairs that close. "The loop" as the actor of a comment is the thread that
 * drives it.
 */
public final class CompletionLoop implements AutoCloseable {
    private static final int WAKES = 3; // attempts to wake the loop for its end
    private static final int CLOSING_TICK_MILLIS = 5;

    private final CompletionChannel channel;
    private final CompletionQueues queues;
    private final InFlightTable table = new InFlightTable();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final List<LoopMember> draining = new ArrayList<>(); // (loop)
    private final Set<LoopMember> members = ConcurrentHashMap.newKeySet();
    private final LoopCounts counters = new LoopCounts();
    private final CompletableFuture<CloseSteps> stopped = new CompletableFuture<>();
    private final DeviceContext context;
    private final SlowTasks slowTasks;
    private final IdleProbes probes;
    private final String name;
    private final LoopPlace place;
    private volatile @Nullable Thread driver;
    private final BatchDispatch dispatch = new BatchDispatch(table, counters::staleCompletion);
    private volatile @Nullable Throwable failure; // (loop) writes: the cause of death
    private volatile boolean running = true;
    private int mayAwait; // (loop) milliseconds until the next walk of the probes, since prepareSleep()
    private boolean ended; // under the monitor of `channel`

    /** Creates a loop anywhere, see the other constructor. */
    public CompletionLoop(DeviceContext context, CompletionQueueLimits limits, String name) {
        this(context, limits, name, LoopPlace.ANY);
    }

    /**
     * Creates a loop with one completion queue. Others are added when its queue pairs need them.
     *
     * @param context device
     * @param limits bounds of the completion queues
     * @param name name for its driver and for messages
     * @param place completion vector, and processors of a thread of its own
     */
    CompletionLoop(DeviceContext context, CompletionQueueLimits limits, String name, LoopPlace place) {
        this.place = place;
        this.name = name;
        this.context = context;
        slowTasks = new SlowTasks(context.environment());
        probes = new IdleProbes(members, context.environment());
        channel = context.createCompletionChannel();
        try {
            queues = new CompletionQueues(context, channel, limits, place.vector());
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** Returns the device, which is open as long as the loop. */
    public DeviceContext context() {
        return context;
    }

    /** Returns the place of its thread. */
    LoopPlace place() {
        return place;
    }

    /** Returns the name for its driver and for messages. */
    String name() {
        return name;
    }

    /**
     * Returns the clock, threads and randomness of the device. For this project's modules.
     *
     * @return the environment
     */
    public Environment environment() {
        return context.environment();
    }

    /**
     * Returns the counters of this loop.
     *
     * @return the counters, live
     */
    public LoopCounts counters() {
        return counters;
    }

    /**
     * Returns whether the caller is the thread that drives this loop, where blocking would stall every connection.
     *
     * @return true if so
     */
    public boolean isLoopThread() {
        return Thread.currentThread() == driver;
    }

    /**
     * Returns the number of entries of its completion queues that no queue pair has reserved. For a connection that
     * needs more entries, the loop may add a queue.
     *
     * @return 0 to {@link #entries}
     */
    public int freeEntries() {
        return queues.free();
    }

    /** Returns the number of entries that queue pairs have reserved. */
    public int reservedEntries() {
        return queues.reserved();
    }

    /**
     * Returns the number of entries of its completion queues.
     *
     * @return the sum of its present queues
     */
    public int entries() {
        return queues.entries();
    }

    /**
     * Reserves room in a completion queue for a queue pair that is to be created. May create a completion queue, which
     * takes a system call; must not be called on the loop.
     *
     * @param entries depth of the queue pair: its sends, and its receives unless they are from a shared queue
     * @return the reservation, to be closed when the queue pair is destroyed
     * @throws IllegalStateException if there is no room; its message names the limit
     */
    public CompletionReservation reserve(int entries) {
        requireLive();
        int before = queues.all().length;
        CompletionReservation reserved = new CompletionReservation(this, queues.reserve(entries), entries);
        if (queues.all().length != before && !isLoopThread()) {
            try {
                wake(); // the loop may sleep without having armed the new queue
            } catch (Throwable e) {
                reserved.close();
                throw e;
            }
        }
        return reserved;
    }

    CompletionQueues queues() {
        return queues;
    }

    /** Returns its present completion queues. */
    public List<CompletionQueue> completionQueues() {
        return Arrays.stream(queues.all()).map(CompletionQueues.Polled::queue).toList();
    }

    /**
     * Reserves entries of every completion queue, future ones included: for receives that may complete on any of them.
     *
     * @throws IllegalStateException if one of the queues has fewer entries left
     */
    public void reserveInEach(int entries) {
        queues.reserveInEach(entries);
    }

    /** Gives entries of {@link #reserveInEach} back. */
    public void releaseInEach(int entries) {
        queues.releaseInEach(entries);
    }

    /** Returns whether an event of the device concerns one of its completion queues. */
    public boolean isConcernedBy(AsyncEvent event) {
        return queues.isConcernedBy(event);
    }

    public InFlightTable table() {
        return table;
    }

    public SlowTasks slowTasks() {
        return slowTasks;
    }

    /** Runs a task on the loop, soon. A loop that has ended, which has no endpoints, never runs it. */
    public void execute(Runnable task) {
        tasks.add(task);
        if (!isLoopThread()) {
            wake();
        }
    }

    /** Ends the present or the next wait of the driver. Any thread. */
    void wakeUp() {
        wake();
    }

    private void wake() {
        if (failure != null) { // the driver of a dead loop parks, because its channel may have failed
            LockSupport.unpark(driver);
            return;
        }
        synchronized (channel) { // rare; and the channel must not be closed meanwhile
            if (!ended) {
                channel.wake();
            }
        }
    }

    /** Runs a task on the loop, after the loop has dispatched all completions that are present then. */
    public void executeAfterPoll(Runnable task) {
        execute(() -> {
            pollAll();
            task.run();
        });
    }

    /**
     * Dispatches all completions that are present now. If that throws, the loop is dead, since completions may be lost;
     * the caller goes on. Loop thread, not from a completion.
     */
    public void pollAll() {
        try {
            for (CompletionQueues.Polled one : queues.all()) {
                pollAll(one);
            }
        } catch (Throwable e) {
            die(e);
        }
    }

    private void pollAll(CompletionQueues.Polled one) {
        for (int left = one.queue().entries(); left > 0; ) { // bounded, as new completions may keep coming
            int polled = poll(one);
            if (polled < BatchDispatch.MOST) {
                break;
            }
            left -= polled;
        }
    }

    /** Adds an endpoint, and fails it at once if the loop is dead. */
    public void join(LoopMember endpoint) {
        members.add(endpoint);
        Throwable dead = failure;
        if (dead != null) {
            endpoint.fail(dead);
        } else if (probes.joined(endpoint.probeNanos()) && !isLoopThread()) {
            wake();
        }
    }

    /**
     * Returns the cause of death of the loop.
     *
     * @return the cause; null as long as the loop is live
     */
    @Nullable
    public Throwable failure() {
        return failure;
    }

    /** Throws if the loop is dead, because nothing can complete on it. */
    public void requireLive() {
        Throwable dead = failure;
        if (dead != null) {
            throw new RdmaException(
                    "completion loop " + name + " has failed, its operations cannot complete (" + dead
                            + "): close the RdmaResources and open new ones",
                    dead);
        }
    }

    /** Moves the loop to DEAD because its completion queue, or the device, is lost. Any thread. */
    public void fail(Throwable cause) {
        execute(() -> die(cause));
    }

    public void leave(LoopMember endpoint) {
        members.remove(endpoint);
    }

    /** Returns the endpoints whose operations complete on this loop: a live, concurrent view. */
    public Set<LoopMember> members() {
        return Collections.unmodifiableSet(members);
    }

    /** Watches an endpoint that is ending until it is drained. Loop thread. */
    public void drain(LoopMember endpoint) {
        draining.add(endpoint);
    }

    public void listenerThrew(Throwable t) {
        counters.listenerError();
        try {
            log().log(Logger.Level.ERROR, "a listener threw on the completion loop; the loop goes on", t);
        } catch (Throwable unlogged) {
            // no memory, or no stack: the callers go on, which counts for more
        }
    }

    /** Makes the calling thread the driver. All steps are its calls from now on. */
    void drive() {
        Thread caller = Thread.currentThread();
        counters.drivenBy(caller);
        driver = caller;
    }

    /** Returns whether it was closed and nothing is left to do but {@link #finish}. Driver. */
    boolean isFinished() {
        return !running && draining.isEmpty() && tasks.isEmpty();
    }

    /** Destroys the queues and the channel, which lets {@link #close} return. Driver, once, after its last step. */
    public void finish() {
        stopped.complete(destroy());
    }

    /** Moves the loop to DEAD: ends polling for ever, and fails all connections. Driver, outside of a dispatch. */
    void die(Throwable cause) {
        boolean first = failure == null;
        if (first) {
            failure = cause;
        }
        try {
            log().log(
                            Logger.Level.ERROR,
                            first
                                    ? "completion loop " + name
                                            + " has failed: its connections are lost, new ones are refused"
                                    : "completion loop " + name + ", which has failed, met another error",
                            cause);
        } catch (Throwable unlogged) { // a failing logger must not prevent the connections from ending
            cause = unlogged;
        }
        failAll();
    }

    /** Fails every connection of a dead loop. Its driver repeats that, for those where it throws. Driver. */
    void failAll() {
        Throwable cause = failure;
        if (cause == null) {
            return;
        }
        for (LoopMember endpoint : members) {
            try {
                endpoint.fail(cause);
            } catch (Throwable again) {
                counters.listenerError();
            }
        }
    }

    /** Returns whether no task waits to be run. Driver. */
    boolean hasNoTask() {
        return tasks.isEmpty();
    }

    /** Returns whether only a task or a close, which wake the driver, brings work. Driver of a dead loop. */
    boolean mayPark() {
        return running && tasks.isEmpty() && draining.isEmpty();
    }

    /**
     * Runs one step: dispatches the completions that are present, runs tasks, and finishes endpoints that are drained.
     * What it throws is to be given to {@link #die}. Driver.
     *
     * @return 0 if there was nothing to do
     */
    int doWork() {
        int work = poll();
        Runnable task;
        while ((task = tasks.poll()) != null) {
            runTask(task);
            work++;
        }
        if (!draining.isEmpty()) {
            draining.removeIf(LoopMember::finishIfDrained);
        }
        probes.turn();
        return work;
    }

    private int poll() {
        int polled = 0;
        for (CompletionQueues.Polled one : queues.all()) {
            polled += poll(one);
        }
        return polled;
    }

    private int poll(CompletionQueues.Polled one) {
        if (failure != null) {
            return 0;
        }
        int polled = dispatch.poll(one.queue());
        if (polled < 0) {
            die(new VerbsException(
                    "ibv_poll_cq", -polled, "The completion queue cannot be polled, all its queue pairs are lost"));
            return 1;
        }
        counters.polled(polled);
        return polled;
    }

    /**
     * Defers posting until the batch is dispatched, so that all that its listeners submit goes out as one chain.
     *
     * @return false if no dispatch runs on this thread, so that the caller has to post itself
     */
    public boolean postAfterDispatch(BatchSender sends) {
        return isLoopThread() && dispatch.postAfter(sends);
    }

    /**
     * Defers the notification that messages arrived until the batch is dispatched: one for all of them. Loop,
     * dispatching; once per notification.
     */
    public void tellAfterDispatch(BatchReceiver receives) {
        dispatch.notifyAfter(receives);
    }

    private void runTask(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            listenerThrew(e);
        }
    }

    /**
     * Arms the completion queues. Driver, after a step without work.
     *
     * @return whether the driver may wait; false if there is work to do first
     */
    boolean prepareSleep() {
        mayAwait = probes.walkIfDue();
        queues.requestNotify();
        return poll() == 0
                && tasks.isEmpty()
                && running; // an event that the arming causes is taken after the next wait
    }

    /**
     * Waits until the device, a task or a close wakes the loop, or a deadline passes. Driver, after prepareSleep.
     *
     * @param atMostNanos longest wait, rounded up to milliseconds; negative for no bound
     */
    void await(long atMostNanos) {
        counters.slept();
        int own = draining.isEmpty() ? mayAwait : CLOSING_TICK_MILLIS;
        if (channel.await(atMostNanos < 0 ? own : shorter(own, atMostNanos))) {
            queues.takeEvent();
        }
    }

    private static int shorter(int millis, long nanos) {
        int other = Math.clamp((nanos + 999_999) / 1_000_000, 0, Integer.MAX_VALUE);
        return millis < 0 ? other : Math.min(millis, other);
    }

    private CloseSteps destroy() {
        CloseSteps steps = new CloseSteps();
        queues.destroy(steps);
        synchronized (channel) {
            ended = true; // also if the device refuses to destroy the channel: nobody waits on it
            steps.run(channel::close);
        }
        return steps;
    }

    /**
     * Stops the loop once the draining endpoints are closed. Waits until its driver has finished, also in a second
     * call; does not wait when the driver calls it.
     *
     * @throws VerbsException if the device did not destroy its completion queue or channel
     */
    @Override
    public void close() {
        boolean first = running;
        running = false;
        wakeToEnd();
        if (isLoopThread()) {
            return;
        }
        CloseSteps steps = stopped.join(); // an interrupt does not end the wait
        if (first) {
            steps.report();
        }
    }

    /** Wakes the loop. A failure is tried again, because a loop that sleeps on would keep its device open. */
    private void wakeToEnd() {
        for (int tries = 1; ; tries++) {
            try {
                wake();
                return;
            } catch (Throwable e) {
                if (tries == WAKES) {
                    throw e;
                }
            }
        }
    }

    private static Logger log() {
        return System.getLogger(CompletionLoop.class.getName());
    }
}
