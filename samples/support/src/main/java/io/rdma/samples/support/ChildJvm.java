package io.rdma.samples.support;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Builders of processes that run a program of this class path with the Java of this process. */
public final class ChildJvm {
    /** Options of a JVM that does little, so that several of them fit on a host. */
    public static final List<String> SMALL = List.of("-XX:+UseSerialGC", "-Xmx128m");

    private ChildJvm() {}

    /**
     * Returns the builder of a process. Its standard error is that of this process.
     *
     * @param options of the JVM
     * @param program with a main method
     * @param arguments of the program
     * @return a builder that may be changed before the start
     */
    public static ProcessBuilder of(List<String> options, Class<?> program, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-classpath",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /**
     * Returns the options of this JVM that set its memory, its collector and its JIT compilers.
     *
     * @return those that begin with {@code -X}
     */
    public static List<String> ownOptions() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-X"))
                .toList();
    }
}
