package io.rdma.samples.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/** Processor time and compilers of this JVM. */
final class Jvm {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Jvm() {}

    /** Returns the processor time of this process, of all its threads. */
    static long cpuNanos() {
        return SYSTEM.getProcessCpuTime();
    }

    /**
     * Waits until nothing has been compiled for half a second, at most a minute. On a single processor, compilation
     * would distort the measurement.
     */
    static void awaitCompilers() throws InterruptedException {
        CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
        long before = -1;
        for (int i = 0; i < 120 && compilers != null && before != compilers.getTotalCompilationTime(); i++) {
            before = compilers.getTotalCompilationTime();
            Thread.sleep(500);
        }
    }
}
