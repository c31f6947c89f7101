package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.JavaProcess;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Test that a program does not load certain classes before its first message: each would cost tens of milliseconds. */
class StartTest {
    private static final String LOADED = "[class,load] ";
    private static final Pattern NEEDED =
            Pattern.compile("rdma-native|rdma-reactive|reactor-core|reactive-streams|jctools");

    @Test
    void noLoggerRecorderTlsOrLibibverbsIsLoadedUntilTheFirstMessage() throws Exception {
        List<String> output = run();
        int completed = output.indexOf(FirstMessage.COMPLETED);
        assertThat(completed).as("%s", output).isPositive();
        List<String> loaded = output.subList(0, completed).stream()
                .filter(line -> line.contains(LOADED))
                .map(line ->
                        line.substring(line.indexOf(LOADED) + LOADED.length()).split(" ")[0])
                .toList();
        assertThat(loaded)
                .contains("io.rdma.engine.RdmaEndpoint")
                .doesNotContainAnyElementsOf(Set.of(
                        "java.lang.System$LoggerFinder",
                        "java.util.logging.LogManager",
                        "jdk.jfr.Event",
                        "javax.net.ssl.SSLContext",
                        "io.rdma.internal.ffi.lib.IbverbsCalls"));
    }

    private static List<String> run() throws IOException, InterruptedException {
        List<String> arguments = List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-Xlog:class+load:stdout:tags",
                "-classpath",
                classPath(),
                FirstMessage.class.getName());
        try (JavaProcess process = new JavaProcess(arguments)) {
            return process.ended(0).output().lines().toList();
        }
    }

    /**
     * Returns the class path of an application. It lacks the loggers and instruments of the tests, which would be
     * loaded.
     */
    private static String classPath() {
        return Arrays.stream(JavaProcess.classPath().split(File.pathSeparator))
                .filter(NEEDED.asPredicate())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
