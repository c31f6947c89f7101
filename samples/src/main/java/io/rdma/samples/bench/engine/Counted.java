package io.rdma.samples.bench.engine;

import io.rdma.engine.LoopCounters;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

// Invariant: before() and after() of one invocation are called by the same thread.

/**
 * What JMH does not count: processor time of the threads that did the work, which other programs on the machine hardly
 * change, and calls of libibverbs. JMH adds each field up over an iteration.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class Counted {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    /** Operations that were measured. */
    public long operations;
    /** Processor time of the benchmark's thread and of the loop. */
    public long cpuNanos;
    /** Work requests posted to send queues. */
    public long requests;
    /** Calls of ibv_post_send. */
    public long posts;
    /** Calls of ibv_poll_cq that found something. */
    public long polls;

    private long loop = -1;

    void before() {
        cpuNanos -= THREADS.getCurrentThreadCpuTime();
    }

    void after() {
        after(Seam.BATCH);
    }

    private void after(int measured) {
        cpuNanos += THREADS.getCurrentThreadCpuTime();
        operations += measured;
    }

    /**
     * The loop goes on polling while its two counters are read: they belong together if one has not moved meanwhile.
     */
    private static long fruitful(LoopCounters counters) {
        while (true) {
            long empty = counters.emptyPolls();
            long all = counters.polls();
            if (counters.emptyPolls() == empty) {
                return all - empty;
            }
        }
    }

    void before(LoopCounters counters) {
        before();
        cpuNanos -= loopNanos();
        requests -= counters.posted();
        posts -= counters.doorbells();
        polls -= fruitful(counters);
    }

    void after(LoopCounters counters) {
        after(counters, Seam.BATCH);
    }

    void after(LoopCounters counters, int measured) {
        cpuNanos += loopNanos();
        after(measured);
        requests += counters.posted();
        posts += counters.doorbells();
        polls += fruitful(counters);
    }

    private long loopNanos() {
        if (loop < 0) {
            loop = Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
                    .filter(thread -> thread != null && thread.getThreadName().startsWith("rdma-loop-"))
                    .mapToLong(thread -> thread.getThreadId())
                    .max() // the loop of the benchmark before may still end
                    .orElseThrow();
        }
        return THREADS.getThreadCpuTime(loop);
    }
}
