package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Layout of the sources of all modules: width of lines, tags in comments, length of files. */
class SourceLayoutTest {
    private static final int LINES = 300;
    private static final Pattern COMMENT = Pattern.compile("\\s*(/\\*\\*|\\*|//).*");
    private static final Pattern TAG_INSIDE =
            Pattern.compile("\\s*(/\\*\\*|\\*) .*\\S\\s@(return|param|throws|see) .*");
    /** A nearly full line of a comment, one of a word or two that ends no sentence, and the next of the paragraph. */
    private static final Pattern BROKEN = Pattern.compile(
            "^(?=.{95,}$) *// .*\\R *// [^-\\sA-Z]\\S*( \\S+)?[^.:;\\s]\\R *// (?!-)", Pattern.MULTILINE);

    private static final Path EXCEPTIONS = Path.of("src", "test", "resources", "long-files.txt");

    private static List<Path> sources() {
        return Pages.sources().stream()
                .filter(file -> !file.toString().endsWith(".xml"))
                .toList();
    }

    private static List<String> lines(Path file) {
        return Pages.read(file).lines().toList();
    }

    private static List<String> found(Predicate<String> wrong) {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            List<String> lines = lines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (wrong.test(lines.get(i))) {
                    found.add(Pages.name(file) + ":" + (i + 1));
                }
            }
        }
        return found;
    }

    /** The formatters keep the width of code. They break no string literal, so only comments are checked. */
    @Test
    void linesOfCommentsHave120ColumnsAtMost() {
        assertThat(found(line -> COMMENT.matcher(line).matches() && Pages.isWide(line)))
                .isEmpty();
    }

    /** The formatter breaks a comment that is too wide, and leaves its last words on a line of their own. */
    @Test
    void linesOfCommentsAreFilled() {
        assertThat(sources().stream()
                        .flatMap(file -> BROKEN.matcher(Pages.read(file))
                                .results()
                                .map(broken -> Pages.name(file) + ": " + broken.group())))
                .isEmpty();
    }

    /** Javadoc and Dokka see a block tag at the beginning of a line only. */
    @Test
    void blockTagsBeginTheirLines() {
        assertThat(found(line -> TAG_INSIDE.matcher(line).matches())).isEmpty();
    }

    /** The list has a line for each exception: path, the most lines it may have, a reason. */
    @Test
    void filesHave300LinesAtMostOrAReason() {
        Map<String, Integer> allowed = new TreeMap<>();
        for (String line : lines(EXCEPTIONS.toAbsolutePath())) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] words = line.split("\\s+", 3);
                assertThat(words).as("path, lines and reason: " + line).hasSize(3);
                allowed.put(words[0], Integer.parseInt(words[1]));
            }
        }
        Map<String, Integer> longer = new TreeMap<>();
        List<String> unused = new ArrayList<>(allowed.keySet());
        for (Path file : sources()) {
            int length = lines(file).size();
            if (!Pages.name(file).contains("/src/main/") || length <= LINES) {
                continue;
            }
            unused.remove(Pages.name(file));
            if (length > allowed.getOrDefault(Pages.name(file), LINES)) {
                longer.put(Pages.name(file), length);
            }
        }
        assertThat(longer)
                .as("split each by its nouns, or give a reason in " + EXCEPTIONS)
                .isEmpty();
        assertThat(unused).as("not longer than " + LINES + " lines any more").isEmpty();
    }
}
