package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The public types of the libraries, which docs/guide/types.md lists by reader. */
class PublicTypesTest {
    private static final int MOST_FOR_APPLICATIONS = 28;
    private static final Pattern EXPORT = Pattern.compile("^    exports ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+)", Pattern.MULTILINE);
    private static final Pattern TYPE = Pattern.compile(
            "^public (?:[a-z-]+ )*?(?:class|interface|enum|record|@interface|object) (\\w+)", Pattern.MULTILINE);
    private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*)`");

    private static final String PAGE = Pages.read(Pages.ROOT.resolve("docs/guide/types.md"));

    private static Stream<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult result) -> result.group(1));
    }

    private static Set<String> exported() {
        return Stream.of(
                        "rdma-native",
                        "rdma-native/testing",
                        "rdma-reactive",
                        "rdma-reactive/netty",
                        "rdma-reactive/spring-boot",
                        "rdma-reactive/spring-boot/testing",
                        "rdma-coroutines",
                        "rdma-coroutines/spring-boot",
                        "rdma-coroutines/testing")
                .map(module -> Pages.ROOT.resolve(Path.of(module, "src", "main", "module", "module-info.java")))
                .flatMap(file -> found(EXPORT, Pages.read(file)))
                .collect(Collectors.toSet());
    }

    /** Returns the names of the types. Both front-ends have some of the same name. */
    private static Set<String> ofSources() {
        Set<String> exported = exported();
        assertThat(exported).hasSizeGreaterThan(10);
        return Pages.sources().stream()
                .filter(file -> Pages.name(file).matches("rdma-.*/src/main/(java|kotlin)/.*"))
                .map(Pages::read)
                .filter(text -> found(PACKAGE, text).anyMatch(exported::contains))
                .flatMap(text -> found(TYPE, text))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String section(String title) {
        int start = PAGE.indexOf("## " + title);
        assertThat(start).as(title).isPositive();
        int end = PAGE.indexOf("## ", start + 1);
        return PAGE.substring(start, end < 0 ? PAGE.length() : end);
    }

    /** Returns the names in a column of the section's table. */
    private static Stream<String> listed(String title, int column) {
        return section(title)
                .lines()
                .filter(line -> line.startsWith("| `"))
                .flatMap(line -> found(NAME, line.split("\\|")[column]));
    }

    @Test
    void thePageListsEveryPublicTypeOnce() {
        assertThat(Stream.of(
                                listed("For applications", 1),
                                listed("For datagrams", 2),
                                listed("For extended reliable connections", 2),
                                listed("For pools", 2),
                                listed("For calls", 2),
                                listed("For one-sided structures", 2),
                                listed("For integrations", 2),
                                listed("For experts", 2))
                        .flatMap(names -> names))
                .containsExactlyInAnyOrderElementsOf(ofSources());
    }

    @Test
    void anApplicationMeetsFewTypes() {
        assertThat(listed("For applications", 1)).hasSizeBetween(1, MOST_FOR_APPLICATIONS);
    }
}
