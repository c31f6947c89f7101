package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The methods in which blocking calls are allowed. BlockHound knows them by name, so a rename is not seen. */
class RdmaBlockHoundIntegrationTest {
    private static final Path SOURCE = Path.of("src/main/java/io/rdma/reactive/RdmaBlockHoundIntegration.java");
    private static final Pattern ALLOWED = Pattern.compile("allowBlockingCallsInside\\(\"([^\"]+)\", \"([^\"]+)\"\\)");

    @Test
    void eachAllowedMethodExists() throws IOException, ClassNotFoundException {
        List<MatchResult> allowed =
                ALLOWED.matcher(Files.readString(SOURCE)).results().toList();
        assertThat(allowed).hasSizeGreaterThan(5);
        for (MatchResult one : allowed) {
            assertThat(Arrays.stream(Class.forName(one.group(1)).getDeclaredMethods())
                            .map(Method::getName))
                    .as(one.group(1))
                    .contains(one.group(2));
        }
    }
}
