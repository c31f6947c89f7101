package io.rdma.verbs;

import io.rdma.testing.Stress;
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
 * Users of a region. It is deregistered exactly once, when it is closed and no thread holds it. After that no thread
 * can hold it.
 */
@Param(name = "thread", gen = ThreadIdGen.class)
public class MemoryRegionModelTest {
    private static final int THREADS = 3;

    private final ModelVerbs device = new ModelVerbs();
    private final MemoryRegion region = device.region();
    private final int[] held = new int[THREADS + 1]; // each thread uses its own element only

    @Operation
    public String retain(@Param(name = "thread") int thread) {
        try {
            region.retain();
        } catch (IllegalStateException closed) {
            return "closed";
        }
        held[thread]++;
        return device.deregistered() == 0 ? "held" : "held after it was deregistered";
    }

    @Operation
    public String release(@Param(name = "thread") int thread) {
        if (held[thread] == 0) {
            return "nothing held";
        }
        held[thread]--;
        if (device.deregistered() != 0) {
            return "deregistered while it was held";
        }
        region.release();
        return "released";
    }

    @Operation
    public void close() {
        region.close();
    }

    @Operation
    public boolean isClosed() {
        return region.isClosed();
    }

    @Validate
    public void deregisteredOnce() {
        int holders = 0;
        for (int count : held) {
            holders += count;
        }
        int expected = region.isClosed() && holders == 0 ? 1 : 0;
        if (device.deregistered() != expected) {
            throw new AssertionError("deregistered " + device.deregistered() + " times, not " + expected);
        }
    }

    private static <O extends Options<O, ?>> O sized(O options) {
        return options.threads(THREADS).actorsPerThread(3).actorsBefore(0).actorsAfter(1);
    }

    /** Not in the run of models: real threads race in the code of the optimising compiler. */
    @Test
    @Tag("stress")
    void underStress() {
        sized(new StressOptions())
                .iterations(Stress.times(6))
                .invocationsPerIteration(500)
                .check(MemoryRegionModelTest.class);
    }

    @Test
    @Tag("model")
    void byModelChecking() {
        sized(new ModelCheckingOptions())
                .iterations(Stress.times(6))
                .invocationsPerIteration(150)
                .check(MemoryRegionModelTest.class);
    }
}
