package io.rdma.samples.bench.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.samples.support.ChildJvm;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BusyThreadsTest {
    private static final long WORK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(1);

    @Test
    void theProgramUsesProcessorTime() throws Exception {
        try (OtherJvm program = OtherJvm.start(ChildJvm.of(ChildJvm.SMALL, BusyThreads.class, List.of("1")))) {
            long start = System.nanoTime();
            long atFirst = program.cpuNanos();
            while (program.cpuNanos() - atFirst < WORK && System.nanoTime() - start < PATIENCE) {
                Thread.yield();
            }
            assertThat(program.cpuNanos() - atFirst).isGreaterThanOrEqualTo(WORK);
        }
    }
}
