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
 * Values that the binding assumes of C's own header. A C compiler checks them as static assertions; {@link Jextract}
 * can check them too.
 */
final class CAsserts {
    /** Value of a C expression that the binding assumes. */
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

    /**
     * Compiles the assertions.
     *
     * @return output of the compiler; empty if all assertions hold
     */
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
