package io.rdma.internal.engine;

import io.rdma.internal.loop.BlockingTasks;

/** Task of a test in the place of a registration. */
record RegistrationTask(Runnable work) implements BlockingTasks.Task {
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
