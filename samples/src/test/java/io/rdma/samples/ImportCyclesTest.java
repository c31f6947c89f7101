package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The imports of the libraries' sources, which form no cycle of packages. In class files some cycles are not seen: the
 * compiler copies constants, and drops what only comments name.
 */
class ImportCyclesTest {
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package (io\\.rdma[.a-z]*)");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?(io\\.rdma[.a-z]*)\\.[A-Z]");

    @Test
    void packagesFormNoCycle() {
        Map<String, Set<String>> imports = new TreeMap<>();
        for (Path file : Pages.sources()) {
            if (Pages.name(file).matches("rdma-.*/src/main/(java|kotlin)/.*")) {
                add(imports, Pages.read(file));
            }
        }
        assertThat(imports).hasSizeGreaterThan(20);
        // A package that imports none of those that are left is taken away. A cycle stays, and what imports it.
        while (imports.values().removeIf(Set::isEmpty)) {
            imports.values().forEach(imported -> imported.retainAll(imports.keySet()));
        }
        assertThat(imports).isEmpty();
    }

    private static void add(Map<String, Set<String>> imports, String source) {
        Matcher declared = PACKAGE.matcher(source);
        if (!declared.find()) {
            return;
        }
        Set<String> imported = imports.computeIfAbsent(declared.group(1), name -> new TreeSet<>());
        IMPORT.matcher(source)
                .results()
                .map(found -> Objects.requireNonNull(found.group(1)))
                .filter(name -> !name.equals(declared.group(1)))
                .forEach(imported::add);
    }
}
