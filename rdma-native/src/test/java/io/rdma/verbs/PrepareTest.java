package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma.internal.os.SixLongs;
import io.rdma.testing.JavaProcess;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link RdmaDevices#prepare} in processes of its own, since a linked library stays linked. */
@Timeout(900)
class PrepareTest {
    @Test
    void opens() throws Exception {
        assertThat(run("--enable-native-access=ALL-UNNAMED")).containsExactly("opened soft0", "opened soft0");
    }

    @Test
    void aLinkingFailureInTheBackgroundIsReportedAtTheFirstUse() throws Exception {
        assumeThat(Runtime.version().feature()).as("--illegal-native-access").isGreaterThanOrEqualTo(24);
        assumeThat(SixLongs.supported()).as("native sockets").isTrue();
        List<String> lines = run("--illegal-native-access=deny");
        // The failure is the same as without preparation: the first use of a class reports the cause, the second one
        // only that the class could not be initialized.
        assertThat(lines.getFirst())
                .startsWith("java.lang.ExceptionInInitializerError because of java.lang.IllegalCallerException");
        assertThat(lines.getLast()).startsWith("java.lang.NoClassDefFoundError");
    }

    private static List<String> run(String option) throws IOException, InterruptedException {
        List<String> arguments = List.of(
                "-XX:TieredStopAtLevel=1",
                option,
                "-classpath",
                JavaProcess.classPath(),
                PreparedStart.class.getName());
        try (JavaProcess process = new JavaProcess(arguments)) {
            return process.ended(0)
                    .output()
                    .lines()
                    .filter(line -> line.startsWith(PreparedStart.SAID))
                    .map(line -> line.substring(PreparedStart.SAID.length()))
                    .toList();
        }
    }
}
