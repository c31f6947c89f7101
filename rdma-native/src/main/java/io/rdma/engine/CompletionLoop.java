package io.rdma.engine;

import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionChannel;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.RdmaException;
import io.rdma.verbs.VerbsException;
import java.lang.System.Logger;
import java.util.ArrayList;
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
// - One thread polls the completion queues, and processes every completion of a batch.
// - Deciding (doWork) is apart from waiting (idle): arm, poll once more, only then sleep; a task or a close wakes the
// channel.
// - What a batch's completions make room for, and what their listeners submit, is posted when the batch is dispatched,
// with one doorbell per connection.
// - Events are acknowledged before their queue is destroyed, always by this thread.
// - Every queue is armed before the loop sleeps; a queue that is added wakes the loop.
// - States: LIVE -> DEAD, by `failure`, when a queue cannot be polled or armed, or an Error comes out of a step. A
// dead loop polls no more: its connections fail, others are refused, tasks and closes still run. The thread ends by
// close() alone.
// - `failure` is set before the endpoints are looked through; an endpoint joins before it looks at `failure`: so each
// hears of it.
// - A task is added by one atomic step: a StackOverflowError of the thread that adds leaves it added or not, never
// half.

/**
 * The thread of some completion queues, one unless its connections need more: polls, dispatches through {@code wr_id},
 * runs tasks, and drains queue pairs that close.
 */
public final class CompletionLoop implements AutoCloseable {
    private static final int BATCH = 64;
    private static final int CLOSING_TICK_MILLIS = 5;
    private static final long DEAD_TICK_NANOS = 5_000_000;

    private final CompletionChannel channel;
    private final CompletionQueues queues;
    private final InFlightTable table = new InFlightTable();
    private final CompletionBatch batch = new CompletionBatch(BATCH);
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final List<RdmaEndpoint> draining = new ArrayList<>(); // (loop)
    private final Set<RdmaEndpoint> endpoints = ConcurrentHashMap.newKeySet();
    private final LoopCounters counters = new LoopCounters();
    private final CompletableFuture<CloseSteps> stopped = new CompletableFuture<>();
    private final Idling idling;
    private final IdleProbes probes = new IdleProbes(endpoints);
    private final Thread thread;
    private final List<SendQueue> due = new ArrayList<>(); // (loop) to be drained when the batch is dispatched
    private final List<ReceiveQueue> news = new ArrayList<>(); // (loop) whose listeners are told then, before that
    private boolean dispatching; // (loop)
    private volatile @Nullable Throwable failure; // (loop) writes: why nothing completes here any more
    private volatile boolean running = true;

    /**
     * Starts a loop with one completion queue, which is full when the depths of its queue pairs amount to its own.
     *
     * @param context device
     * @param entries depth of the completion queue
     * @param idleStrategy what to do when nothing completes
     * @param name of the thread
     */
    public CompletionLoop(DeviceContext context, int entries, IdleStrategy idleStrategy, String name) {
        this(context, CompletionQueueLimits.fixed(entries), idleStrategy, name);
    }

    /**
     * Starts a loop with one completion queue; others are added when its queue pairs need them.
     *
     * @param context device
     * @param limits of the completion queues
     * @param idleStrategy what to do when nothing completes
     * @param name of the thread
     */
    public CompletionLoop(DeviceContext context, CompletionQueueLimits limits, IdleStrategy idleStrategy, String name) {
        idling = new Idling(idleStrategy, Runtime.getRuntime().availableProcessors());
        channel = context.createCompletionChannel();
        try {
            queues = new CompletionQueues(context, channel, limits);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
        thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        thread.start();
    }

    /**
     * What it did so far.
     *
     * @return live counters
     */
    public LoopCounters counters() {
        return counters;
    }

    /**
     * Whether the caller is this loop's thread, where blocking would stall every connection.
     *
     * @return true if so
     */
    public boolean isLoopThread() {
        return Thread.currentThread() == thread;
    }

    /**
     * Entries of its completion queues that no queue pair has reserved. A connection that needs more may get a queue
     * more.
     *
     * @return 0 to {@link #entries}
     */
    public int freeEntries() {
        return queues.free();
    }

    /** Entries that queue pairs have reserved. */
    int reservedEntries() {
        return queues.reserved();
    }

    /**
     * Entries of its completion queues.
     *
     * @return the sum of all that it has by now
     */
    public int entries() {
        return queues.entries();
    }

    /**
     * Reserves room in a completion queue, for a queue pair that is to be made. May make a completion queue, which
     * takes a system call: not on the loop.
     *
     * @param entries depth of the queue pair: sends, and receives unless those are of a shared queue
     * @return to be closed when the queue pair is destroyed
     * @throws IllegalStateException if there is no room, with the limit that was met
     */
    public CompletionReservation reserve(int entries) {
        requireLive();
        int before = queues.all().length;
        CompletionReservation reserved = new CompletionReservation(this, queues.reserve(entries), entries);
        if (queues.all().length != before && !isLoopThread()) {
            wake(); // it may sleep, with all armed that it knew of
        }
        return reserved;
    }

    CompletionQueues queues() {
        return queues;
    }

    /** Whether an event of the device is about one of its completion queues. */
    boolean isConcernedBy(AsyncEvent event) {
        return queues.isConcernedBy(event);
    }

    InFlightTable table() {
        return table;
    }

    /** Runs a task on the loop, soon; never if the loop has ended, when no endpoint is left. */
    void execute(Runnable task) {
        tasks.add(task);
        if (!isLoopThread()) {
            wake();
        }
    }

    private void wake() {
        if (failure != null) { // the loop sleeps beside its channel, which may be what failed
            LockSupport.unpark(thread);
            return;
        }
        synchronized (channel) { // rare, and the channel must not be closed under it
            if (!channel.isClosed()) {
                channel.wake();
            }
        }
    }

    /** Runs a task on the loop after everything that is completed now was dispatched. */
    void executeAfterPoll(Runnable task) {
        execute(() -> {
            pollAll();
            task.run();
        });
    }

    /** Dispatches everything that is completed now. Loop thread, not from a completion. */
    void pollAll() {
        for (CompletionQueues.Polled one : queues.all()) {
            for (int left = one.queue().entries(); left > 0; ) { // bounded: new completions may come for ever
                int polled = poll(one);
                if (polled < BATCH) {
                    break;
                }
                left -= polled;
            }
        }
    }

    /** Adds an endpoint, which fails at once if the loop died meanwhile. */
    void join(RdmaEndpoint endpoint) {
        endpoints.add(endpoint);
        Throwable dead = failure;
        if (dead != null) {
            endpoint.fail(dead);
        } else if (probes.joined(endpoint.probeNanos()) && !isLoopThread()) {
            wake();
        }
    }

    /**
     * Says why nothing completes here any more.
     *
     * @return null as long as the loop is live
     */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Refuses what would complete here if the loop is dead. */
    void requireLive() {
        Throwable dead = failure;
        if (dead != null) {
            throw new RdmaException(
                    "completion loop " + thread.getName() + " has failed, no connection can complete there (" + dead
                            + "): close the RdmaResources and open new ones",
                    dead);
        }
    }

    /** Ends the loop because its completion queue, or the device, is lost. Any thread. */
    void fail(Throwable cause) {
        execute(() -> die(cause));
    }

    void leave(RdmaEndpoint endpoint) {
        endpoints.remove(endpoint);
    }

    /**
     * The endpoints that complete here.
     *
     * @return live, concurrent view
     */
    public Set<RdmaEndpoint> endpoints() {
        return Collections.unmodifiableSet(endpoints);
    }

    /** Watches an endpoint, whose queue pair is in ERR, until it is drained. Loop thread. */
    void drain(RdmaEndpoint endpoint) {
        draining.add(endpoint);
    }

    void listenerThrew(Throwable t) {
        counters.listenerError();
        log().log(Logger.Level.ERROR, "a listener threw on the completion loop; the loop goes on", t);
    }

    private void run() {
        while (running || !draining.isEmpty() || !tasks.isEmpty()) {
            try {
                if (doWork() > 0) {
                    idling.worked();
                } else if (failure != null) {
                    rest();
                } else if (idling.shouldSleep()) {
                    sleep();
                }
            } catch (Throwable t) {
                die(t);
                LockSupport.parkNanos(this, DEAD_TICK_NANOS); // an error that comes back must not fill the processor
            }
        }
        stopped.complete(destroy());
    }

    /** Ends polling for good, with all connections. Loop thread, outside of a dispatch. */
    private void die(Throwable cause) {
        boolean first = failure == null;
        if (first) {
            failure = cause;
        }
        try {
            log().log(
                            Logger.Level.ERROR,
                            first
                                    ? "completion loop " + thread.getName()
                                            + " has failed: its connections are lost, new ones are refused"
                                    : "completion loop " + thread.getName() + ", which has failed, met another error",
                            cause);
        } catch (Throwable unlogged) { // a logger must not keep the connections from their end
            cause = unlogged;
        }
        failAll();
    }

    /** Fails every connection of the dead loop; what cannot be failed now is failed by the next {@link #rest}. */
    private void failAll() {
        Throwable cause = failure;
        if (cause == null) {
            return;
        }
        for (RdmaEndpoint endpoint : endpoints) {
            try {
                endpoint.fail(cause);
            } catch (Throwable again) {
                counters.listenerError();
            }
        }
    }

    /** Waits, dead, for tasks and for endpoints that end. */
    private void rest() {
        failAll();
        if (running && tasks.isEmpty() && draining.isEmpty()) {
            LockSupport.park(this);
        } else if (tasks.isEmpty()) {
            LockSupport.parkNanos(this, DEAD_TICK_NANOS);
        }
    }

    private int doWork() {
        int work = poll();
        Runnable task;
        while ((task = tasks.poll()) != null) {
            runTask(task);
            work++;
        }
        if (!draining.isEmpty()) {
            draining.removeIf(RdmaEndpoint::finishIfDrained);
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
        int polled = one.queue().poll(batch);
        if (polled < 0) {
            die(new VerbsException(
                    "ibv_poll_cq", -polled, "The completion queue cannot be polled, all its queue pairs are lost"));
            return 1;
        }
        dispatching = true;
        try {
            for (int i = 0; i < polled; i++) {
                dispatch(i);
            }
            tellReceivers();
        } finally { // else the drains that the loop holds would be held for ever
            dispatching = false;
            drainSends();
        }
        counters.polled(polled);
        return polled;
    }

    private void dispatch(int index) {
        try {
            if (!table.dispatch(batch, index)) {
                counters.staleCompletion();
            }
        } catch (RuntimeException e) {
            listenerThrew(e);
        }
    }

    /**
     * Puts a drain off until the batch is dispatched, so that what its listeners submit goes out as one chain.
     *
     * @return false if the caller is not dispatching and has to drain itself
     */
    boolean drainAfterDispatch(SendQueue sends) {
        if (!isLoopThread() || !dispatching) {
            return false;
        }
        if (!sends.isDrainDue()) {
            due.add(sends); // first: what holds its drain without being here would hold it for ever
            sends.dispatching();
        }
        return true;
    }

    /**
     * Puts the news that messages arrived off until the batch is dispatched: one for all of them. Loop, dispatching;
     * once until it is told.
     */
    void tellAfterDispatch(ReceiveQueue receives) {
        news.add(receives);
    }

    private void tellReceivers() {
        try {
            for (int i = 0; i < news.size(); i++) {
                news.get(i).dispatched();
            }
        } finally {
            news.clear();
        }
    }

    /** A drain may end operations whose listeners submit; outside of a dispatch those are posted at once. */
    private void drainSends() {
        for (int i = 0; i < due.size(); i++) { // by index: an iterator would be an allocation for each batch
            SendQueue sends = due.get(i);
            try {
                sends.dispatched();
            } catch (RuntimeException e) {
                listenerThrew(e);
            }
        }
        due.clear();
    }

    private void runTask(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            listenerThrew(e);
        }
    }

    private void sleep() {
        probes.walkIfDue();
        queues.requestNotify();
        if (poll() > 0 || !tasks.isEmpty() || !running) {
            idling.worked();
            return; // armed for nothing; the event it may cause is taken at the next sleep
        }
        counters.slept();
        long since = System.nanoTime();
        boolean woken = channel.await(draining.isEmpty() ? probes.mayAwait() : CLOSING_TICK_MILLIS);
        idling.slept(System.nanoTime() - since);
        if (woken) {
            queues.takeEvent();
        }
    }

    private CloseSteps destroy() {
        CloseSteps steps = new CloseSteps();
        queues.destroy(steps);
        synchronized (channel) {
            steps.run(channel::close);
        }
        return steps;
    }

    /**
     * Stops the loop after the endpoints that still drain; waits for the thread unless called on it, a second time as
     * well.
     *
     * @throws VerbsException if the device did not destroy its completion queue or channel
     */
    @Override
    public void close() {
        boolean first = running;
        running = false;
        wake();
        if (isLoopThread()) {
            return;
        }
        CloseSteps steps = stopped.join(); // whatever interrupts
        if (first) {
            steps.report();
        }
    }

    private static Logger log() {
        return System.getLogger(CompletionLoop.class.getName());
    }
}
