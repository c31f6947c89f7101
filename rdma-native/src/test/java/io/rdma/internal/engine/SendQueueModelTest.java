package io.rdma.internal.engine;

import io.rdma.buffer.RegistrationCache;
import io.rdma.engine.IdleStrategy;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.loop.CompletionQueueLimits;
import io.rdma.internal.loop.CompletionReservation;
import io.rdma.internal.loop.LoopThread;
import io.rdma.testing.Interleavings;
import io.rdma.testing.Stress;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ModelVerbs;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Model of a send queue of one request. Two threads submit while the loop retires. Each operation ends exactly once,
 * nothing is posted too late, and nothing is left.
 */
@Tag("model")
class SendQueueModelTest {
    private static final QueuePairCapacity ONE = new QueuePairCapacity(1, 1, 1, 1, 0);
    private static final EndpointOptions OPTIONS = new EndpointOptions(
            ONE,
            1,
            64,
            1,
            64,
            1,
            1,
            64,
            64,
            64,
            false,
            1,
            false,
            false,
            Duration.ofDays(1),
            Duration.ZERO,
            1,
            1,
            1,
            false,
            EndpointOptions.Start.TOGETHER,
            Abilities.ALL);

    /** Event during the submits. */
    enum Beside {
        NOTHING,
        ABANDON,
        CLOSE
    }

    private static final class Counting extends Operation {
        private final CountDownLatch ended;
        final AtomicInteger ends = new AtomicInteger();

        Counting(CountDownLatch ended) {
            super(WorkRequest.fetchAndAdd(new RemoteMemory(8, 8, 1), 1));
            this.ended = ended;
        }

        void end() {
            ends.incrementAndGet();
            ended.countDown();
        }

        @Override
        protected void completed(long value) {
            end();
        }

        @Override
        protected void failed(RuntimeException error) {
            end();
        }
    }

    /**
     * Loads the classes that all cases use. The model checker rewrites loaded classes before it explores. Classes that
     * are loaded during an interleaving are rewritten within the 30 s of real time that each interleaving has.
     */
    @BeforeAll
    static void loadClasses() {
        for (Beside beside : Beside.values()) {
            submit(beside);
        }
        Interleavings.explore(1, () -> loop(new ModelVerbs().context()).close());
    }

    @ParameterizedTest
    @EnumSource(Beside.class)
    void eachOperationEndsOnce(Beside beside) {
        Interleavings.explore(Stress.times(20), () -> submit(beside));
    }

    private static CompletionLoop loop(DeviceContext context) {
        CompletionLoop loop = new CompletionLoop(context, CompletionQueueLimits.fixed(2), "loop");
        LoopThread.start(loop, IdleStrategy.SLEEP);
        return loop;
    }

    private static Endpoint endpoint(DeviceContext context, CompletionLoop loop) {
        ProtectionDomain domain = context.allocateProtectionDomain();
        CompletionReservation completions = loop.reserve(2);
        QueuePair queuePair = domain.createQueuePair(completions.queue(), completions.queue(), ONE);
        Endpoint endpoint = new Endpoint(completions, new RegistrationCache(domain, 0), queuePair, null, OPTIONS);
        endpoint.start();
        return endpoint;
    }

    private static void submit(Beside beside) {
        ModelVerbs device = new ModelVerbs();
        DeviceContext context = device.context();
        CompletionLoop loop = loop(context);
        Endpoint endpoint = endpoint(context, loop);
        CountDownLatch ended = new CountDownLatch(2);
        Counting byOther = new Counting(ended);
        Counting byCaller = new Counting(ended);
        Thread other = new Thread(() -> endpoint.submit(byOther));
        other.start();
        endpoint.submit(byCaller);
        if (beside == Beside.CLOSE) {
            endpoint.close();
        }
        if (beside == Beside.ABANDON && byCaller.abandon()) {
            byCaller.end();
        }
        try {
            ended.await();
            other.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        endpoint.close();
        endpoint.closed().join();
        loop.close();
        check(byOther.ends.get() == 1 && byCaller.ends.get() == 1, "each ended once");
        check(endpoint.inFlight() == 0 && endpoint.receives().outstanding() == 0, "nothing is in flight");
        check(loop.freeEntries() == 2, "all slots are free");
        check(device.regions() == 0, "no region is left");
        check(loop.counters().listenerErrors() == 0, "nothing was thrown on the loop");
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("not true: " + what);
        }
    }
}
