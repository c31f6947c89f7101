package io.rdma.samples.simulation.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

// Invariants
// - One platform thread calls run(). Everything else is called by the tasks that it runs, or before it. So nothing here
// is synchronized.
// - A step is in exactly one place: ready, a timer, a queue that it was set aside into, or running.
// - Nothing here depends on an identity hash code, an address or the time of the machine: two runs with one seed choose
// the same steps.

/**
 * Scheduler of the virtual threads of a simulation. It runs one step after the other on the calling thread: a virtual
 * thread from where it waited to where it waits again. The seed determines which of the threads that are ready goes on.
 * Time is virtual. It passes a little with each step, and jumps to the next timer when no thread is ready.
 */
public final class Scheduler implements Executor {
    /** Most nanoseconds that a step takes. */
    private static final int STEP_NANOS = 400;

    /** Most nanoseconds from one look of a spinning thread to the next, besides its steps. */
    private static final int SPIN_NANOS = 5_000;

    private static final int NONE = -1;
    private static final long NEVER = Long.MAX_VALUE / 2;

    private final Choices choices;
    private final ArrayList<Runnable> ready = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Tasks tasks = new Tasks();
    private final LatestSteps latest = new LatestSteps();
    private final Trace trace;
    private Owner current = new Owner("simulation");
    private long now;
    private long steps;
    private long timersMade;
    private @Nullable Aside aside;
    private long end;
    private long mostSteps;
    private int chosen = NONE; // index of the next step, if a thread that paused has chosen it
    private volatile @Nullable Thread carrier;
    private volatile @Nullable Task running; // or the last one that ran
    private boolean submitted; // whether the next step of the running thread has been placed
    private final Blocked blocked = new Blocked();
    private final StepTasks stepTasks = new StepTasks();

    /** Place where the calling thread's next step goes, in place of the ready ones. */
    private sealed interface Aside {
        record Until(long due) implements Aside {}

        record Into(Queue<Runnable> queue) implements Aside {}
    }

    public Scheduler(Choices choices, Trace trace) {
        this.choices = choices;
        this.trace = trace;
        now = 1 + choices.below(1_000_000_000L); // a clock that begins at 0 would hide what takes 0 for "none"
        trace.begin(now);
    }

    /** Returns the virtual time in nanoseconds. */
    public long now() {
        return now;
    }

    /** Returns the time after some nanoseconds, or one that never comes. */
    public long after(long nanos) {
        return nanos < NEVER ? now + nanos : NEVER;
    }

    /** Returns the number of steps so far. */
    public long steps() {
        return steps;
    }

    /** Returns which threads took most of the latest steps, and where they are. */
    public String busiest() {
        return latest.busiest(now);
    }

    /** Returns the threads that have not ended. */
    public List<Task> alive() {
        return tasks.alive();
    }

    /** Returns whether a thread belonged to an owner that was killed. */
    boolean isDead(Thread thread) {
        return tasks.isDead(thread);
    }

    /** Runs something whose threads and timers get an owner. */
    public void as(Owner owner, Runnable task) {
        Owner before = current;
        current = owner;
        try {
            task.run();
        } finally {
            current = before;
        }
    }

    /** Makes a virtual thread ready. The JDK calls this. */
    @Override
    public void execute(Runnable step) {
        if (carrier != null && !Thread.currentThread().isVirtual() && Thread.currentThread() != carrier) {
            Task waiting = running;
            if (waiting != null && waiting.thread() == Tasks.thread(step)) {
                blocked.add(step);
                return;
            }
            throw new RejectedExecutionException(
                    "A thread that is not simulated, " + Thread.currentThread() + ", wakes one that is");
        }
        submitted |= tasks.of(step, current) == running;
        Aside place = aside;
        aside = null;
        switch (place) {
            case null -> ready.add(step);
            case Aside.Until until -> at(until.due, () -> ready.add(step));
            case Aside.Into into -> into.queue.add(step);
        }
    }

    /**
     * Runs a task at a time, on the scheduler's own thread.
     *
     * @param due virtual time
     * @param task must not block
     * @return to cancel it
     */
    public Timer at(long due, Runnable task) {
        Timer timer = new Timer(due, timersMade++, current, task);
        if (due < NEVER) {
            timers.add(timer);
        }
        return timer;
    }

    /**
     * Runs a task on the scheduler's own thread before a step. All earlier steps are those of a run without
     * it. A thread that the task makes ready takes that step.
     */
    public void beforeStep(long number, Runnable task) {
        stepTasks.add(number, task);
    }

    /** Lets other threads go on before the calling virtual thread. */
    public void pause() {
        if (!goesOn()) {
            Thread.yield();
            chosen = NONE; // of a thread that could not yield
        }
    }

    /** Pauses the calling virtual thread, which waits for something without blocking. Some time passes. */
    public void spin() {
        now += choices.below(SPIN_NANOS);
        pause();
    }

    /**
     * Chooses the next step. If it is the calling thread's, the thread goes on without a switch to another one, which
     * takes ten times as long as an average step.
     */
    private boolean goesOn() {
        Timer next = next();
        Task caller = running;
        if (caller == null
                || !mayRun(caller.owner())
                || isOver()
                || stepTasks.isDue(steps + 1)
                || next != null && next.due() <= now) {
            return false;
        }
        int choice = choices.below(ready.size() + 1);
        if (choice < ready.size()) {
            chosen = choice;
            return false;
        }
        begin(caller);
        return true;
    }

    private boolean isOver() {
        return now >= end || steps >= mostSteps;
    }

    private boolean mayRun(Owner owner) {
        return owner.isAlive() && owner.standsUntil() <= now;
    }

    /** Lets other threads go on, for some time, before the calling virtual thread. Not in a class initializer. */
    public void hold(long nanos) {
        setAside(new Aside.Until(after(nanos)));
    }

    /** Makes the calling virtual thread wait, until its step is taken from the queue and {@link #resume}d. */
    void suspend(Queue<Runnable> into) {
        if (!setAside(new Aside.Into(into))) {
            throw new IllegalStateException("A thread cannot wait in a class initializer, nor below a native frame");
        }
    }

    private boolean setAside(Aside place) {
        aside = place;
        Thread.yield();
        boolean was = aside != place;
        aside = null;
        return was;
    }

    /** Makes a thread ready again that was suspended. */
    void resume(Runnable step) {
        ready.add(step);
    }

    /**
     * Runs steps until no thread is ready and no timer is left, or until a time has come or a number of
     * steps were taken.
     *
     * @param until virtual time
     * @param most number of steps
     * @return whether no thread is ready and no timer is left
     */
    public boolean run(long until, long most) {
        carrier = Thread.currentThread();
        end = until;
        mostSteps = most;
        while (!isOver()) {
            fire();
            chosen = stepTasks.run(steps + 1, ready, chosen);
            if (!ready.isEmpty()) {
                step(take(chosen == NONE ? choices.below(ready.size()) : chosen));
                continue;
            }
            Timer next = next();
            if (next == null) {
                return true;
            }
            now = next.due();
        }
        return false;
    }

    private void step(Runnable step) {
        chosen = NONE;
        Task task = tasks.of(step, current);
        if (!task.owner().isAlive()) {
            return;
        }
        if (task.owner().standsUntil() > now) {
            at(task.owner().standsUntil(), () -> ready.add(step));
            return;
        }
        begin(task);
        running = task;
        submitted = false;
        as(task.owner(), step);
        while (!submitted && Blocked.is(task)) {
            as(task.owner(), blocked.next(task));
        }
    }

    private void begin(Task task) {
        steps++;
        now += 1 + choices.below(STEP_NANOS);
        trace.step(now, task);
        latest.add(now, task);
    }

    private void fire() {
        for (Timer next; (next = next()) != null && next.due() <= now; ) {
            timers.poll();
            trace.actor(now, next.owner());
            as(next.owner(), next::fire);
        }
    }

    private @Nullable Timer next() {
        Timer next;
        while ((next = timers.peek()) != null && !next.isPending()) {
            timers.poll();
        }
        return next;
    }

    private Runnable take(int i) {
        Runnable last = ready.removeLast();
        return i == ready.size() ? last : ready.set(i, last);
    }
}
