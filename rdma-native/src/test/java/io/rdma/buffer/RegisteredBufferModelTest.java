package io.rdma.buffer;

import io.rdma.testing.Stress;
import io.rdma.verbs.ModelVerbs;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Model of a buffer's state word and of the loops' own counts. All threads but one are loops, which borrow
 * in their own way where they may. Every mix of borrows and closes is linearizable. The memory is given back exactly
 * once, when no borrow is left.
 */
@Param(name = "thread", gen = ThreadIdGen.class)
public class RegisteredBufferModelTest {
    private static final int THREADS = 3;
    private static final List<Object> LOOPS = List.of("loop 0", "no loop", "loop 2", "loop 3", "loop 4");

    private final AtomicInteger givenBack = new AtomicInteger();
    private final RegisteredBuffer buffer = new RegisteredBuffer(
            new ModelVerbs().region(), MemorySegment.ofArray(new byte[8]), () -> givenBack.incrementAndGet());
    // Borrows of each thread; only that thread writes them.
    private final int[] loopReads = new int[THREADS + 1];
    private final int[] reads = new int[THREADS + 1];
    private final int[] writes = new int[THREADS + 1];

    private static String outcome(Runnable step) {
        try {
            step.run();
            return "ok";
        } catch (IllegalStateException refused) {
            return refused.getMessage();
        }
    }

    @Operation
    public String beginRead(@Param(name = "thread") int thread) {
        return outcome(() -> {
            if (thread != 1 && buffer.beginLoopRead(LOOPS.get(thread))) {
                loopReads[thread]++;
            } else {
                buffer.beginRead();
                reads[thread]++;
            }
        });
    }

    @Operation
    public String endRead(@Param(name = "thread") int thread) {
        if (loopReads[thread] > 0) {
            loopReads[thread]--;
            return end(buffer::endLoopRead);
        }
        if (reads[thread] == 0) {
            return "nothing borrowed";
        }
        reads[thread]--;
        return end(buffer::endRead);
    }

    @Operation
    public String beginWrite(@Param(name = "thread") int thread) {
        return outcome(() -> {
            buffer.beginWrite();
            writes[thread]++;
        });
    }

    @Operation
    public String endWrite(@Param(name = "thread") int thread) {
        if (writes[thread] == 0) {
            return "nothing borrowed";
        }
        writes[thread]--;
        return end(buffer::endWrite);
    }

    private String end(Runnable step) {
        if (givenBack.get() != 0) {
            return "given back while the device has it";
        }
        step.run();
        return "ok";
    }

    @Operation
    public String segment() {
        try {
            return buffer.segment().isReadOnly() ? "read-only" : "writable";
        } catch (IllegalStateException refused) {
            return refused.getMessage();
        }
    }

    @Operation
    public void close() {
        buffer.close();
    }

    @Validate
    public void givenBackOnce() {
        int borrowed = 0;
        for (int thread = 0; thread < reads.length; thread++) {
            borrowed += loopReads[thread] + reads[thread] + writes[thread];
        }
        int expected = buffer.isClosed() && borrowed == 0 ? 1 : 0;
        if (givenBack.get() != expected) {
            throw new AssertionError("given back " + givenBack + " times, not " + expected);
        }
    }

    private static <O extends Options<O, ?>> O sized(O options) {
        return options.threads(THREADS).actorsPerThread(4).actorsBefore(0).actorsAfter(1);
    }

    /** Not in the run of models: real threads race in the code of the optimising compiler. */
    @Test
    @Tag("stress")
    void underStress() {
        sized(new StressOptions())
                .iterations(Stress.times(6))
                .invocationsPerIteration(500)
                .check(RegisteredBufferModelTest.class);
    }

    @Test
    @Tag("model")
    void byModelChecking() {
        sized(new ModelCheckingOptions())
                .iterations(Stress.times(6))
                .invocationsPerIteration(150)
                .check(RegisteredBufferModelTest.class);
    }
}
