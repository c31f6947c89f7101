package io.rdma.samples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The pages of the project: those of the root directory, the gallery of samples, and those of docs. */
final class Pages {
    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    /** The gallery of samples. */
    static final Path GALLERY = ROOT.resolve("samples/README.md");

    private Pages() {}

    /** Lists the pages of docs. */
    static List<Path> ofDocs() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            return files.filter(Pages::isPage).sorted().toList();
        }
    }

    /** Lists all pages. */
    static List<Path> all() throws IOException {
        try (Stream<Path> files = Files.list(ROOT)) {
            return Stream.of(files.filter(Pages::isPage).sorted(), Stream.of(GALLERY), ofDocs().stream())
                    .flatMap(pages -> pages)
                    .toList();
        }
    }

    /** Lists the source files of all modules. The output of a build is not under src. */
    static List<Path> sources() {
        return Stream.of("rdma-native", "rdma-reactive", "rdma-coroutines", "samples", ".ci/consumer")
                .map(Pages.ROOT::resolve)
                .flatMap(Pages::walk)
                .toList();
    }

    /** Returns the path of a file below the root directory. */
    static String name(Path file) {
        return ROOT.relativize(file).toString();
    }

    /** Returns whether a line has more than 120 columns. */
    static boolean isWide(String line) {
        return line.codePointCount(0, line.length()) > 120;
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> walk(Path directory) {
        try {
            return Files.walk(directory).filter(file -> file.toString().matches(".*/(src/.*\\.(java|kt)|pom\\.xml)"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether {@code .ci/tutorial} runs what a page shows. */
    static boolean isTutorial(Path page) {
        return name(page).startsWith("docs/start/tutorial-");
    }

    static boolean isPage(Path file) {
        return file.toString().endsWith(".md");
    }
}
