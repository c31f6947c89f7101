package io.rdma.samples.simulation.coverage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What was reached of a class is counted, and what was not is named. */
class CoverageTest {
    /** Loader of a class with probes. */
    private static final class Loader extends ClassLoader {
        Loader() {
            super(CoverageTest.class.getClassLoader());
        }

        Class<?> define(byte[] bytes) {
            return defineClass(Example.class.getName(), bytes, 0, bytes.length);
        }
    }

    @Test
    void branchesThatWereTakenAreCountedAndOthersAreNamed() throws Exception {
        Coverage coverage = new Coverage();
        Class<?> example;
        try (InputStream in = CoverageTest.class.getResourceAsStream("Example.class")) {
            example = new Loader().define(coverage.withProbes("Example", in.readAllBytes()));
        }
        Method name = example.getDeclaredMethod("name", int.class);
        name.setAccessible(true);
        name.invoke(null, 1);

        assertThat(unreached(coverage))
                .containsExactly(
                        "io.rdma.samples.simulation.coverage.Example: 1 of 4 branches",
                        "    never entered: other:15",
                        "    name:8 misses 1 of 2, 11 never");

        name.invoke(null, 0);
        assertThat(unreached(coverage)).contains("    name:11 misses 1 of 2");
    }

    private static List<String> unreached(Coverage coverage) throws IOException {
        return new Report(coverage.analyzed()).unreached();
    }
}
