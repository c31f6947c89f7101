package io.rdma.samples.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Patches of {@code mends}: they apply to the sources of today. It needs no git, so it works in a source archive. */
class MendsTest {
    private static final Path MENDS = Path.of("mends");
    private static final Path TREE = Path.of("..", "..");

    static List<Path> patches() throws IOException {
        try (Stream<Path> files = Files.list(MENDS)) {
            return files.filter(file -> file.toString().endsWith(".patch"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("patches")
    void thePatchApplies(Path patch) throws IOException {
        String source = "";
        for (String part : Files.readString(patch).split("(?m)^(?=@@ |--- a/)")) {
            if (part.startsWith("--- a/")) {
                source = Files.readString(TREE.resolve(part.substring("--- a/".length(), part.indexOf('\n'))));
            } else if (part.startsWith("@@ ")) {
                assertThat(source).contains(replaced(part));
            }
        }
        assertThat(source).as("a patched file").isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("patches")
    void thePatchSaysWhatItTakesBack(Path patch) throws IOException {
        List<String> lines = Files.readAllLines(patch);
        assertThat(lines.get(0)).endsWith(".");
        assertThat(lines.get(1)).startsWith("Mended by: ");
        assertThat(lines.get(2)).matches("Found: (yes|no, .*)");
    }

    /** Returns the lines of a hunk that the source has before the patch. */
    private static String replaced(String hunk) {
        return hunk.lines()
                .skip(1)
                .filter(line -> !line.startsWith("+"))
                .map(line -> line.substring(1) + "\n")
                .collect(Collectors.joining());
    }
}
