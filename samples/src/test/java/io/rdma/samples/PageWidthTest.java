package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Lines of all pages: they have at most 120 columns, except in tables and code. */
class PageWidthTest {
    private static List<String> tooWide(Path page) {
        List<String> found = new ArrayList<>();
        boolean code = false;
        int number = 0;
        for (String line : Pages.read(page).lines().toList()) {
            number++;
            if (line.startsWith("```")) {
                code = !code;
            }
            boolean free = code || line.startsWith("|") || line.startsWith("    ");
            if (!free && Pages.isWide(line)) {
                found.add(Pages.name(page) + ":" + number);
            }
        }
        return found;
    }

    @Test
    void proseFitsInto120Columns() throws IOException {
        Stream<Path> pages = Pages.all().stream();
        assertThat(pages.flatMap(page -> tooWide(page).stream())).isEmpty();
    }
}
