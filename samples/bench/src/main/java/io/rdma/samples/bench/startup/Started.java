package io.rdma.samples.bench.startup;

import java.time.Duration;

/** The last step of a timed program. */
final class Started {
    private Started() {}

    /** Prints the processor time that the process has used so far, in milliseconds. */
    static void say() {
        System.out.println(ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toMillis());
    }
}
