package io.rdma.internal.loop;

import io.rdma.engine.IdleStrategy;

/** Thread of its own for a completion loop: it runs the steps, and waits between them as the idle strategy has it. */
public final class LoopThread {
    private LoopThread() {}

    /** Starts the thread of a loop. It ends after the loop's {@link CompletionLoop#close}, for no other reason. */
    public static void start(CompletionLoop loop, IdleStrategy strategy) {
        LoopInvoker driver = new LoopInvoker(loop, strategy);
        loop.environment()
                .newThread(loop.name(), () -> {
                    loop.place().enter();
                    run(driver);
                })
                .start();
    }

    private static void run(LoopInvoker driver) {
        while (!driver.isFinished()) {
            if (driver.invoke() == 0 && !driver.mayPoll()) {
                driver.sleep(() -> true, -1);
            }
        }
    }
}
