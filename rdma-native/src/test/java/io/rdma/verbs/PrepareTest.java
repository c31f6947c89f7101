package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma.internal.os.SixLongs;
import io.rdma.testing.JavaProcess;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link RdmaDevices#prepare}, in processes of its own: what was linked once stays so. */
@Timeout(900)
class PrepareTest {
    @Test
    void opens() throws Exception {
        assertThat(run("--enable-native-access=ALL-UNNAMED")).containsExactly("opened soft0", "opened soft0");
    }

    @Test
    void linkingThatFailsInTheBackgroundIsHeardWhereItIsNeeded() throws Exception {
        assumeThat(Runtime.version().feature()).as("--illegal-native-access").isGreaterThanOrEqualTo(24);
        assumeThat(SixLongs.supported()).as("native sockets").isTrue();
        List<String> said = run("--illegal-native-access=deny");
        // As without preparation: the first use of a class says why it can't be, the second one that it couldn't.
        assertThat(said.getFirst())
                .startsWith("java.lang.ExceptionInInitializerError because of java.lang.IllegalCallerException");
        assertThat(said.getLast()).startsWith("java.lang.NoClassDefFoundError");
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
