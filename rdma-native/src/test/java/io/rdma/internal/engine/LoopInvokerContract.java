package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.IdleStrategy;
import io.rdma.internal.loop.LoopInvoker;
import io.rdma.testing.TestDevice;
import io.rdma.verbs.MemoryRegion;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Contract of a completion loop that another thread drives between its own work: here both ends and the caller. */
abstract class LoopInvokerContract extends ConnectedContract {
    private final CompletableFuture<LoopInvoker> driver = new CompletableFuture<>();

    /** Reopens the device with one loop, which nothing drives yet. */
    private LoopInvoker reopen() {
        resources.close();
        resources = new DeviceResources(
                TestDevice.assumed(device()),
                resourceOptions(),
                loop -> driver.complete(new LoopInvoker(loop, IdleStrategy.SLEEP)));
        return driver.join();
    }

    /** Reopens the device with one loop, which a thread of the test drives until it is closed. */
    private void driveAll() {
        LoopInvoker invoker = reopen();
        Thread.ofPlatform().daemon().name("driver").start(() -> {
            while (!invoker.isFinished()) {
                if (invoker.invoke() == 0) {
                    Thread.onSpinWait();
                }
            }
        });
    }

    @Test
    void operationsCompleteOnTheDrivingThread() {
        driveAll();
        connect(small());
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer buffer = acquire(client).limit(8);
        CompletableFuture<String> thread = new CompletableFuture<>();
        client.submit(new Counted(WorkRequest.write(buffer, there.remote())) {
            @Override
            protected void completed(long result) {
                super.completed(result);
                thread.complete(Thread.currentThread().getName());
            }
        });
        assertThat(thread).succeedsWithin(PATIENCE).isEqualTo("driver");
        buffer.close();
    }

    @Test
    void aLoopNeitherSleepsNorArmsItsQueues() {
        driveAll();
        connect(small());
        exchange(client, server);
        assertThat(resources.loops().getFirst().counters().sleeps()).isZero();
    }

    /** Drives the loop as an event loop with other work does: it sleeps when it has none. */
    private void driveAndSleep(Queue<Runnable> work) {
        LoopInvoker invoker = reopen();
        Thread.ofPlatform().daemon().name("driver").start(() -> {
            while (!invoker.isFinished()) {
                Runnable next = work.poll();
                if (next != null) {
                    next.run();
                } else if (invoker.invoke() == 0 && !invoker.mayPoll()) {
                    invoker.sleep(work::isEmpty, -1);
                }
            }
        });
    }

    @Test
    void aSleepingDriverWakesForCompletionsAndForItsOtherWork() {
        Queue<Runnable> work = new ConcurrentLinkedQueue<>();
        driveAndSleep(work);
        connect(small());
        exchange(client, server);
        await().atMost(PATIENCE)
                .until(() -> resources.loops().getFirst().counters().sleeps() > 0);
        for (int i = 0; i < 1_000; i++) {
            CompletableFuture<Void> ran = new CompletableFuture<>();
            work.add(() -> ran.complete(null));
            driver.join().wakeUp();
            assertThat(ran).succeedsWithin(PATIENCE);
        }
    }

    @Test
    void aSleepEndsWithItsTime() throws Exception {
        LoopInvoker invoker = reopen();
        invoker.invoke();
        long since = System.nanoTime();
        invoker.sleep(() -> true, 2_000_000);
        assertThat(System.nanoTime() - since).isGreaterThanOrEqualTo(2_000_000);
        Thread closing = Thread.ofPlatform().start(resources::close);
        while (!invoker.isFinished()) {
            invoker.invoke();
        }
        closing.join();
    }

    @Test
    void aFailedLoopEndsItsConnectionsAndItsResourcesClose() throws Exception {
        driveAll();
        connect(small());
        IllegalStateException cause = new IllegalStateException("lost");
        resources.loops().getFirst().fail(cause);
        for (Endpoint endpoint : new Endpoint[] {client, server}) {
            endpoint.closed().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(endpoint.failure()).isSameAs(cause);
        }
    }

    @Test
    void theCloseOfTheResourcesFinishesTheLoop() {
        driveAll();
        resources.close();
        await().atMost(PATIENCE).until(() -> driver.join().isFinished());
    }
}
