package io.rdma.samples.simulation.world;

import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Reactor's schedulers for simulations: each task has a virtual thread of its own. A virtual thread that a simulated
 * thread starts is simulated, too.
 */
final class SimulatedReactor implements Scheduler {
    private static final SimulatedReactor ALL = new SimulatedReactor();

    private SimulatedReactor() {}

    /** Replaces the schedulers of this JVM. */
    static void install() {
        Schedulers.setFactory(new Schedulers.Factory() {
            @Override
            public Scheduler newBoundedElastic(int threads, int queued, ThreadFactory factory, int seconds) {
                return ALL;
            }

            @Override
            public Scheduler newParallel(int parallelism, ThreadFactory factory) {
                return ALL;
            }

            @Override
            public Scheduler newSingle(ThreadFactory factory) {
                return ALL;
            }
        });
    }

    @Override
    public Disposable schedule(Runnable task) {
        return schedule(task, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        Disposable.Swap cancel = Disposables.swap();
        Thread thread = Thread.ofVirtual().name("reactor").start(() -> {
            try {
                unit.sleep(delay);
            } catch (InterruptedException e) {
                return;
            }
            if (!cancel.isDisposed()) {
                task.run();
            }
        });
        cancel.update(thread::interrupt);
        return cancel;
    }

    @Override
    public Worker createWorker() {
        return new SequentialWorker();
    }

    /** Worker that runs its tasks one after the other, as each worker does. Only simulated threads call it. */
    private static final class SequentialWorker implements Worker {
        private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
        private final Disposable.Composite all = Disposables.composite();
        private boolean running;

        @Override
        public Disposable schedule(Runnable task) {
            Disposable one = Disposables.single();
            waiting.add(() -> {
                if (!one.isDisposed() && !all.isDisposed()) {
                    task.run();
                }
            });
            if (!running) {
                running = true;
                ALL.schedule(this::drain);
            }
            return one;
        }

        private void drain() {
            try {
                for (Runnable next; (next = waiting.poll()) != null; ) {
                    next.run();
                }
            } finally {
                running = false;
            }
        }

        @Override
        public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
            Disposable one = ALL.schedule(() -> schedule(task), delay, unit);
            all.add(one);
            return one;
        }

        @Override
        public void dispose() {
            all.dispose();
        }

        @Override
        public boolean isDisposed() {
            return all.isDisposed();
        }
    }
}
