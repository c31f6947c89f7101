package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.loop.BlockingTasks;
import io.rdma.internal.loop.RunOnly;
import java.lang.foreign.Arena;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;

/** Two connected endpoints, and the threads for the memory of large messages, which a test can hold. */
abstract class HeldRegistrations extends ConnectedContract {
    static final int LARGE = 1 << 20;
    static final long BUDGET = 64L << 20;

    final CountDownLatch registrationsGoOn = new CountDownLatch(1);
    final Arena arena = Arena.ofShared();

    final void connectWithBudget() {
        reopen(resourceOptions().withMaxRegisteredBytes(BUDGET));
        ConnectionOptions options = small().withRnrRetry(rnrRetry()).withMaxMessageSize(LARGE);
        connect(options);
        awaitFirstFrame();
    }

    /** Occupies the thread that registers memory, so that a message whose memory is not registered waits. */
    final void holdRegistrations() throws InterruptedException {
        hold(client.loop().slowTasks().exposures());
    }

    final void hold(BlockingTasks tasks) throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        tasks.execute("rdma-test", new RunOnly(() -> {
            held.countDown();
            join(registrationsGoOn);
        }));
        held.await();
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void letGo() {
        registrationsGoOn.countDown();
    }

    final long registered() {
        return resources.registrationBudget().registered();
    }

    /** Returns memory of the application that the cache has registered, and no peer may read. */
    final RegisteredBuffer leased(int bytes) {
        return client.memory().register(arena.allocate(bytes, 4096));
    }

    @AfterEach
    void freeMemory() {
        if (resources != null) {
            resources.close(); // the cache has it
        }
        arena.close();
    }
}
