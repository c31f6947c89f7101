package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The gallery of samples: it shows every command of the jar, and links to the package of every sample. */
class GalleryTest {
    private static final Pattern SOURCE = Pattern.compile(".*/src/main/(?:java|kotlin)/io/rdma/samples/(\\w+)/.*");

    private static boolean shows(String pattern) {
        return Pattern.compile(pattern).matcher(Pages.read(Pages.GALLERY)).find();
    }

    @Test
    void everyCommandOfTheJarIsShown() {
        List<String> commands = Main.line(new Main()).getSubcommands().entrySet().stream()
                .filter(command ->
                        !command.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .filter(name -> !name.equals("help"))
                .toList();
        assertThat(commands).hasSizeGreaterThan(10);
        assertThat(commands)
                .filteredOn(name -> !shows("rdma-samples\\.jar " + name + "\\b"))
                .isEmpty();
    }

    /** The Java and the Kotlin sources of a sample are in packages of the same name. One link is enough. */
    @Test
    void everySampleIsLinked() throws IOException {
        try (Stream<Path> files = Files.walk(Pages.GALLERY.getParent())) {
            List<String> samples = files.map(file -> SOURCE.matcher(file.toString()))
                    .filter(Matcher::matches)
                    .map(source -> source.group(1))
                    .distinct()
                    .toList();
            assertThat(samples).hasSizeGreaterThan(10);
            assertThat(samples)
                    .filteredOn(name -> !shows("]\\(\\S*src/main/(java|kotlin)/io/rdma/samples/" + name + "\\)"))
                    .isEmpty();
        }
    }
}
