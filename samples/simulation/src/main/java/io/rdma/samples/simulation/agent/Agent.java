package io.rdma.samples.simulation.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.jspecify.annotations.Nullable;

/** Agent that rewrites the library, and the JDK's waits, so that a simulation decides what happens next. */
public final class Agent {
    private static final int OLDEST = 25;

    private static volatile boolean loaded;
    /** Whether the JVM has loaded a class of the library. */
    private static volatile boolean rewriting;

    private static volatile @Nullable BiFunction<String, byte[], byte[]> first;

    private Agent() {}

    /** Returns whether this JVM was started with the agent, so that it can simulate. */
    public static boolean loaded() {
        return loaded;
    }

    /**
     * Has each class of the library rewritten before the agent rewrites it.
     *
     * @param rewriter returns what a class, whose name and bytes it gets, is to be
     * @throws IllegalStateException if a class of the library is loaded already
     */
    public static void rewriteFirst(BiFunction<String, byte[], byte[]> rewriter) {
        if (rewriting) {
            throw new IllegalStateException("A class of the library is loaded already");
        }
        first = rewriter;
    }

    public static void premain(@Nullable String arguments, Instrumentation instrumentation)
            throws IOException, UnmodifiableClassException {
        if (Runtime.version().feature() < OLDEST) {
            System.err.println("Simulations need JDK " + OLDEST + ": its virtual threads are rewritten");
            return;
        }
        instrumentation.appendToBootstrapClassLoaderSearch(hooks());
        warmUp();
        instrumentation.addTransformer(new Rewriting(), true);
        List<Class<?>> jdk = new ArrayList<>();
        for (Class<?> known : instrumentation.getAllLoadedClasses()) {
            String name = known.getName().replace('.', '/');
            boolean rewritten = Waits.rewrites(name) || ThreadContainers.rewrites(name);
            if (rewritten && instrumentation.isModifiableClass(known)) {
                jdk.add(known);
            }
        }
        instrumentation.retransformClasses(jdk.toArray(Class[]::new));
        loaded = true;
    }

    /** Loads all that a transformation needs. A class that a transformation loads would be transformed, and so on. */
    private static void warmUp() throws IOException {
        ClassLoader loader = Agent.class.getClassLoader();
        for (String name :
                List.of("java/util/concurrent/locks/AbstractQueuedSynchronizer", "java/lang/VirtualThread")) {
            try (InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
                byte[] bytes = in.readAllBytes();
                Waits.rewrite(bytes);
                ThreadContainers.rewrite(bytes);
                Accesses.rewrite(loader, bytes);
            }
        }
    }

    /** Writes a jar with the hooks, which classes of the JDK call, so the boot class loader has to find them. */
    private static JarFile hooks() throws IOException {
        Path file = Files.createTempFile("rdma-simulation-hooks", ".jar");
        file.toFile().deleteOnExit();
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out)) {
            // By name: loading the class here would define it in this class loader.
            for (String name : List.of(Waits.HOOKS, Waits.HOOKS + "$Simulation")) {
                jar.putNextEntry(new JarEntry(name + ".class"));
                try (InputStream in = Agent.class.getClassLoader().getResourceAsStream(name + ".class")) {
                    in.transferTo(jar);
                }
                jar.closeEntry();
            }
        }
        return new JarFile(file.toFile());
    }

    private static final class Rewriting implements ClassFileTransformer {
        @Override
        public byte @Nullable [] transform(
                ClassLoader loader, @Nullable String name, Class<?> being, ProtectionDomain domain, byte[] bytes) {
            try {
                if (Waits.rewrites(name)) {
                    return Waits.rewrite(bytes);
                }
                if (ThreadContainers.rewrites(name)) {
                    return ThreadContainers.rewrite(bytes);
                }
                if (Dispatchers.rewrites(name)) {
                    return Dispatchers.rewrite(bytes);
                }
                return name != null && Accesses.rewrites(name) ? rewrite(loader, name, bytes) : null;
            } catch (Throwable e) { // the JVM would ignore it, and simulate half of the program
                e.printStackTrace();
                Runtime.getRuntime().halt(3);
                return null;
            }
        }

        private static byte[] rewrite(ClassLoader loader, String name, byte[] bytes) {
            rewriting = true;
            BiFunction<String, byte[], byte[]> earlier = first;
            return Accesses.rewrite(loader, earlier == null ? bytes : earlier.apply(name, bytes));
        }
    }
}
