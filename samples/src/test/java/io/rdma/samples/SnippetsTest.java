package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every piece of Java, Kotlin or a pom in docs is a piece of a source file, which is compiled, mostly of a test that runs it. They are compared without
 * white space. {@code …} leaves something out.
 */
class SnippetsTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern FENCE =
            Pattern.compile("^```(java|kotlin|xml)\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    private record Snippet(Path page, String text) {
        List<String> parts() {
            return Arrays.stream(text.split("…"))
                    .map(SnippetsTest::withoutSpace)
                    .toList();
        }

        boolean isIn(String source) {
            int from = 0;
            for (String part : parts()) {
                int found = source.indexOf(part, from);
                if (found < 0) {
                    return false;
                }
                from = found + part.length();
            }
            return true;
        }
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s", "");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Snippet> snippets() throws IOException {
        List<Snippet> found = new ArrayList<>();
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
            for (Path page : pages.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                Matcher fence = FENCE.matcher(read(page));
                while (fence.find()) {
                    found.add(new Snippet(page.getFileName(), fence.group(2)));
                }
            }
        }
        return found;
    }

    /** Of all modules; what builds leave behind is not under src. */
    private static List<String> sources() throws IOException {
        List<String> sources = new ArrayList<>();
        for (String directory : List.of("rdma-native", "rdma-reactive", "rdma-coroutines", "samples", ".ci/consumer")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(directory))) {
                files.filter(file -> file.toString().matches(".*/(src/.*\\.(java|kt)|pom\\.xml)"))
                        .map(SnippetsTest::read)
                        .map(SnippetsTest::withoutSpace)
                        .forEach(sources::add);
            }
        }
        return sources;
    }

    @Test
    void everySnippetOfThePagesIsCompiled() throws IOException {
        List<Snippet> snippets = snippets();
        List<String> sources = sources();
        assertThat(snippets).hasSizeGreaterThan(5);
        assertThat(snippets)
                .as("not to be found in any source file: put it into one that is compiled, best a test")
                .filteredOn(snippet -> sources.stream().noneMatch(snippet::isIn))
                .isEmpty();
    }
}
