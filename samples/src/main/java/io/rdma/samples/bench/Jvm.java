package io.rdma.samples.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** This JVM, and others like it. */
final class Jvm {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Jvm() {}

    /** Processor time of this process, all threads. */
    static long cpuNanos() {
        return SYSTEM.getProcessCpuTime();
    }

    /**
     * Until nothing has been compiled for half a second, at most a minute: on a single processor it would be measured
     * as well.
     */
    static void awaitCompilers() throws InterruptedException {
        CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
        long before = -1;
        for (int i = 0; i < 120 && compilers != null && before != compilers.getTotalCompilationTime(); i++) {
            before = compilers.getTotalCompilationTime();
            Thread.sleep(500);
        }
    }

    /** A command line for another one, up to the name of its main class. */
    static List<String> command(String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(List.of(options));
        command.add("-classpath");
        command.add(System.getProperty("java.class.path"));
        return command;
    }
}
