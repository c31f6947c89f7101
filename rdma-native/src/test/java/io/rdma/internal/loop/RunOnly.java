package io.rdma.internal.loop;

/** Task of a test that only runs. */
public record RunOnly(Runnable work) implements BlockingTasks.Task {
    @Override
    public void run() {
        work.run();
    }

    @Override
    public void goOn() {}

    @Override
    public void refused(Throwable reason) {
        throw new AssertionError(reason);
    }
}
