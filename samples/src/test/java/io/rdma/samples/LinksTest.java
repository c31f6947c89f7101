package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links between pages, and from sources and scripts to pages: each leads to a file and a heading that exist. */
class LinksTest {
    private static final Pattern BLOCK = Pattern.compile("^```.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("^ {4}[^\n]*$|`[^`\n]*`", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.*?) *$", Pattern.MULTILINE);
    private static final Pattern MENTION = Pattern.compile("docs/[\\w./-]+\\.(?:md|png|svg)");

    /** A link from one page to another, or to a part of one. */
    private record Link(Path page, String target) {
        Path file() {
            String path = target.replaceFirst("#.*", "");
            return path.isEmpty() ? page : page.resolveSibling(path).normalize();
        }

        String anchor() {
            return target.contains("#") ? target.substring(target.indexOf('#') + 1) : "";
        }

        boolean leadsSomewhere() {
            if (!Files.exists(file())) {
                return false;
            }
            return anchor().isEmpty() || anchors(file()).contains(anchor());
        }

        @Override
        public String toString() {
            return Pages.name(page) + ": " + target;
        }
    }

    private static Stream<Link> links(Path page) {
        String text = CODE.matcher(withoutBlocks(page)).replaceAll("");
        return LINK.matcher(text)
                .results()
                .map(found -> new Link(page, found.group(1)))
                .filter(link -> !link.target().matches("[a-z]+:.*"));
    }

    private static String withoutBlocks(Path page) {
        return BLOCK.matcher(Pages.read(page)).replaceAll("");
    }

    /** Returns the anchors that GitHub gives the headings of a page. */
    private static Set<String> anchors(Path page) {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        for (MatchResult heading :
                HEADING.matcher(withoutBlocks(page)).results().toList()) {
            String anchor = heading.group(1)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            int before = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
        }
        return anchors;
    }

    @Test
    void everyLinkLeadsToAFileAndAHeading() throws IOException {
        List<Link> links = Pages.all().stream().flatMap(LinksTest::links).toList();
        assertThat(links).hasSizeGreaterThan(50);
        assertThat(links).filteredOn(link -> !link.leadsSomewhere()).isEmpty();
    }

    @Test
    void everyPageOfDocsIsReachedFromTheReadme() throws IOException {
        Set<Path> reached = new HashSet<>();
        Deque<Path> open = new ArrayDeque<>(List.of(Pages.ROOT.resolve("README.md")));
        while (!open.isEmpty()) {
            Path page = open.pop();
            if (reached.add(page)) {
                links(page).map(Link::file).filter(Pages::isPage).forEach(open::push);
            }
        }
        assertThat(Pages.ofDocs()).allSatisfy(page -> assertThat(reached).contains(page));
    }

    @Test
    void theIndexNamesEveryPageOfDocs() throws IOException {
        Path index = Pages.ROOT.resolve("docs/README.md");
        List<Path> named = links(index).map(Link::file).toList();
        assertThat(Pages.ofDocs())
                .filteredOn(page -> !page.equals(index))
                .allSatisfy(page -> assertThat(named).contains(page));
    }

    @Test
    void sourcesAndScriptsNamePagesThatExist() throws IOException {
        try (Stream<Path> scripts = Files.walk(Pages.ROOT.resolve(".ci"))) {
            List<Path> naming = Stream.of(
                            Pages.sources().stream(),
                            Pages.all().stream(),
                            scripts.filter(file -> Files.isRegularFile(file)
                                    && !file.toString().matches(".*\\.jar")))
                    .flatMap(files -> files)
                    .filter(file -> !file.getFileName().toString().equals("CHANGELOG.md"))
                    .toList();
            assertThat(naming)
                    .allSatisfy(file -> assertThat(MENTION.matcher(Pages.read(file))
                                    .results()
                                    .map(MatchResult::group)
                                    .filter(name -> !Files.exists(Pages.ROOT.resolve(name))))
                            .isEmpty());
        }
    }
}
