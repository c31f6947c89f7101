package io.rdma.samples.simulation.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

/** Classes that the agent sees in this JVM, which it ends if it cannot handle one. */
class AgentTest {
    /** Class to be defined once more. */
    private static final class Sample {}

    /** Class loader that leaves out the name of a class, as {@link ClassLoader#defineClass} allows. */
    private static final class Nameless extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    @Test
    void aClassLoaderMayLeaveOutTheName() throws IOException {
        String name = Sample.class.getName();
        try (InputStream in = Sample.class.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
            Class<?> defined = new Nameless().define(in.readAllBytes());
            assertThat(defined).isNotSameAs(Sample.class);
            assertThat(defined.getName()).isEqualTo(name);
        }
    }
}
