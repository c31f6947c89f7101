package io.rdma.internal.ffi.lib;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;

/**
 * What the binding takes for granted of C's own header, for a C compiler to judge, as static assertions, or for
 * {@link Jextract}.
 */
final class CAsserts {
    /** What an expression of C is worth, by the binding. */
    record Claim(String expression, long value) {
        String staticAssert() {
            return "_Static_assert((" + expression + ") == " + value + ", \"not " + value + "\");";
        }
    }

    private final String header;
    private final List<Claim> claims = new ArrayList<>();

    CAsserts(String header) {
        this.header = header;
    }

    void offset(String struct, String field, long value) {
        equal("offsetof(struct " + struct + ", " + field + ")", value);
    }

    void size(String struct, long value) {
        equal("sizeof(struct " + struct + ")", value);
    }

    void equal(String expression, long value) {
        claims.add(new Claim(expression, value));
    }

    List<Claim> all() {
        return claims;
    }

    /** Skips the test where the header or the compiler is missing. */
    void assumeCompiles(String compiler, String architecture) {
        Assumptions.assumeTrue(
                Files.exists(Path.of("/usr/include", header)),
                () -> "there is no /usr/include/" + header + ": Debian's libibverbs-dev and librdmacm-dev have it");
        Assumptions.assumeTrue(isInstalled(compiler), () -> "there is no " + compiler + " here");
        Assumptions.assumeTrue(
                !"gcc".equals(compiler) || architecture.equals(System.getProperty("os.arch")),
                "this host's gcc compiles for another architecture");
    }

    private static boolean isInstalled(String program) {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }

    /** @return what the compiler says: nothing if all hold */
    String compile(String compiler, Path folder) throws IOException, InterruptedException {
        Path source = folder.resolve("layout.c");
        Files.writeString(
                source,
                "#include <stddef.h>\n#include <netinet/in.h>\n#include <" + header + ">\n"
                        + claims.stream().map(Claim::staticAssert).collect(Collectors.joining("\n"))
                        + "\nint main(void) { return 0; }\n");
        // The headers are the same for all architectures, but a cross compiler does not look there by itself.
        Process process = new ProcessBuilder(compiler, "-fsyntax-only", "-idirafter", "/usr/include", source.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() == 0 ? "" : output;
    }
}
