package io.rdma.samples.bench.engine;

import io.rdma.engine.LoopCounters;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

// Invariants
// - before() and after() of one invocation are called by the same thread.
// - A loop that spins continues to use its processor until after() is called, on a busy machine for milliseconds. So
// ended() reads its processor time at the end of the last operation, and after() takes that.

/**
 * Counters that JMH does not have: the processor time of the threads that did the work, which other programs on the
 * machine hardly affect, and calls of libibverbs. JMH sums each field over an iteration.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class Counted {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    /** Number of measured operations. */
    public long operations;
    /** Processor time of the benchmark's thread and of the loop, in nanoseconds. */
    public long cpuNanos;
    /** Number of work requests posted to send queues. */
    public long requests;
    /** Number of calls of ibv_post_send. */
    public long posts;
    /** Number of calls of ibv_poll_cq that returned a completion. */
    public long polls;

    private long loop = -1;
    private volatile long loopEnd = -1; // the loop's own reading at the end of the last operation

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
     * Returns the number of polls that returned a completion. The loop continues to poll while its two counters are
     * read. They are consistent if one of them has not changed meanwhile.
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
        loopEnd = -1;
        cpuNanos -= loopNanos();
        requests -= counters.posted();
        posts -= counters.doorbells();
        polls -= fruitful(counters);
    }

    void after(LoopCounters counters) {
        after(counters, Seam.BATCH);
    }

    void after(LoopCounters counters, int measured) {
        long end = loopEnd;
        cpuNanos += end < 0 ? loopNanos() : end;
        after(measured);
        requests += counters.posted();
        posts += counters.doorbells();
        polls += fruitful(counters);
    }

    /** Notes that the last operation has ended. Called on the loop. */
    public void ended() {
        loopEnd = THREADS.getCurrentThreadCpuTime();
    }

    private long loopNanos() {
        if (loop < 0) {
            loop = Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
                    .filter(thread -> thread != null && thread.getThreadName().startsWith("rdma-loop-"))
                    .mapToLong(thread -> thread.getThreadId())
                    .max() // the loop of the previous benchmark may still be ending
                    .orElseThrow();
        }
        return THREADS.getThreadCpuTime(loop);
    }
}
