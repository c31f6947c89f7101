package io.rdma.internal.loop;

import io.rdma.engine.IdleStrategy;
import io.rdma.environment.Environment;
import java.util.concurrent.locks.LockSupport;

// Invariant: the thread ends when the loop is closed, for no other reason.

/** Thread of its own for a completion loop: it runs the steps, and waits between them as the idle strategy has it. */
public final class LoopThread {
    /** Pause between two steps of a dead loop that is closing, or whose steps throw. */
    private static final long DEAD_TICK_NANOS = 5_000_000;

    private final CompletionLoop loop;
    private final Idling idling;
    private final Environment environment;

    private LoopThread(CompletionLoop loop, IdleStrategy strategy) {
        this.loop = loop;
        environment = loop.environment();
        idling = new Idling(strategy, Runtime.getRuntime().availableProcessors(), environment);
    }

    /** Starts the thread of a loop. It ends after the loop's {@link CompletionLoop#close}. */
    public static void start(CompletionLoop loop, IdleStrategy strategy) {
        loop.environment()
                .newThread(loop.name(), new LoopThread(loop, strategy)::run)
                .start();
    }

    private void run() {
        loop.drive();
        while (!loop.isFinished()) {
            try {
                step();
            } catch (Throwable t) {
                fail(t);
            }
        }
        loop.finish();
    }

    /** Makes the loop dead. Throws nothing, as the thread must go on: tasks and closes of a dead loop run. */
    private void fail(Throwable cause) {
        try {
            loop.die(cause);
        } catch (Throwable again) { // such as out of memory: each step of a dead loop fails its connections again
        }
        try {
            pause();
        } catch (Throwable again) { // the next step comes without a pause
        }
    }

    /** Keeps a repeating error from occupying the processor. */
    private void pause() {
        LockSupport.parkNanos(loop, DEAD_TICK_NANOS);
    }

    private void step() {
        if (loop.doWork() > 0) {
            idling.worked();
        } else if (loop.failure() != null) {
            rest();
        } else if (idling.shouldSleep()) {
            sleep();
        }
    }

    private void sleep() {
        if (!loop.prepareSleep()) {
            idling.worked();
            return;
        }
        long since = environment.nanoTime();
        loop.await();
        idling.slept(environment.nanoTime() - since);
    }

    /** Waits for tasks and for ending endpoints of a dead loop. */
    private void rest() {
        loop.failAll();
        if (loop.mayPark()) {
            LockSupport.park(loop);
        } else if (loop.hasNoTask()) {
            LockSupport.parkNanos(loop, DEAD_TICK_NANOS);
        }
    }
}
