package io.rdma.samples.bench.startup;

import java.time.Duration;

/** The last thing a timed program does. */
final class Started {
    private Started() {}

    /** Says what the process has used so far, in milliseconds of processor time. */
    static void say() {
        System.out.println(ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toMillis());
    }
}
