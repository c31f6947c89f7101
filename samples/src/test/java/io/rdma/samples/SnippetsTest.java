package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Snippets of Java, Kotlin and poms in docs: each is a part of a source file that is compiled, in most cases of a test
 * that runs it. Snippet and source are compared without white space; {@code …} in a snippet stands for an omission.
 * Tutorials are left out: {@code .ci/tutorial} builds and runs the files that they show.
 */
class SnippetsTest {
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

    private static List<Snippet> snippets() throws IOException {
        List<Snippet> found = new ArrayList<>();
        for (Path page : Pages.ofDocs()) {
            if (Pages.isTutorial(page)) {
                continue;
            }
            Matcher fence = FENCE.matcher(Pages.read(page));
            while (fence.find()) {
                found.add(new Snippet(page.getFileName(), fence.group(2)));
            }
        }
        return found;
    }

    private static List<String> sources() throws IOException {
        return Pages.sources().stream()
                .map(Pages::read)
                .map(SnippetsTest::withoutSpace)
                .toList();
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
