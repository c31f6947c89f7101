package io.rdma.samples;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The samples' command line in a process of its own, with the same memory and JIT compilers as this process. */
public final class ChildJvm {
    private ChildJvm() {}

    /**
     * Starts the process. Its standard error is that of this process.
     *
     * @param arguments of the command line
     * @return the running process
     * @throws IOException if it cannot be started
     */
    public static Process start(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-X"))
                .forEach(command::add);
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
