package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Comparison of the snippets in README.md with the code that is compiled here, without white space.
 * {@code .ci/artifacts} runs them.
 */
class ReadmeTest {
    @ParameterizedTest
    @CsvSource({
        "java, src/test/java/io/rdma/samples/ReadmeJava.java",
        "kotlin, src/test/kotlin/io/rdma/samples/ReadmeKotlin.kt"
    })
    void snippetsAreCompiled(String language, String source) throws IOException {
        String compiled = all("// README begin\n(.*?)// README end", Files.readString(Path.of(source)));
        String shown = all("```" + language + "\n(.*?)```", Files.readString(Path.of("..", "README.md")));
        assertThat(shown).isNotEmpty().isEqualTo(compiled);
    }

    private static String all(String pattern, String text) {
        StringBuilder parts = new StringBuilder();
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
        while (matcher.find()) {
            parts.append(matcher.group(1).replaceAll("\\s+", ""));
        }
        return parts.toString();
    }
}
