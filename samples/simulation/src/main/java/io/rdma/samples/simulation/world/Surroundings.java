package io.rdma.samples.simulation.world;

import io.rdma.reactive.RdmaClient;
import io.rdma.samples.simulation.agent.Agent;
import io.rdma.samples.simulation.schedule.Trace;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Preparation of a JVM for simulations, so that the first run is like all others. */
final class Surroundings {
    private static volatile @Nullable Trace told;

    private Surroundings() {}

    /**
     * Prepares this JVM.
     *
     * @throws IllegalStateException if the JVM was started without the agent
     */
    static void prepare() {
        if (!Agent.loaded()) {
            throw new IllegalStateException(
                    "This JVM cannot simulate: start JDK 25 with -javaagent, as docs/internals/simulation.md shows");
        }
        LogManager.getLogManager().reset();
        Logger.getLogger("").addHandler(new Told());
        SimulatedReactor.install();
        // Debugging, which tests turn on, numbers coroutines through all runs, and wraps exceptions.
        System.setProperty("kotlinx.coroutines.debug", "off");
        RdmaDevices.prepare();
        for (Class<?> one : List.of(RdmaDevice.class, RdmaClient.class, io.rdma.coroutines.RdmaClient.class)) {
            initializeAll(Path.of(
                    one.getProtectionDomain().getCodeSource().getLocation().getPath()));
        }
    }

    /**
     * Initializes all classes of the library. A thread cannot be held in a class initializer, so a run that initializes
     * a class would differ from one that does not.
     */
    private static void initializeAll(Path library) {
        try {
            if (Files.isDirectory(library)) {
                initializeBelow(library);
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(library)) {
                    initializeBelow(jar.getPath("/"));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void initializeBelow(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            files.map(file -> root.relativize(file).toString().replace('/', '.'))
                    .filter(name -> name.startsWith("io.rdma.") && name.endsWith(".class"))
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .filter(name -> !name.endsWith("-info"))
                    .sorted()
                    .forEach(Surroundings::initialize);
        }
    }

    private static void initialize(String name) {
        try {
            Class.forName(name);
        } catch (ClassNotFoundException | LinkageError e) {
            // It needs a library that is not here, such as Spring, or libibverbs.
        }
    }

    /** Sets where the log goes. */
    static void tell(@Nullable Trace trace) {
        told = trace;
    }

    private static final class Told extends Handler {
        @Override
        public void publish(LogRecord record) {
            Trace trace = told;
            if (trace != null && Thread.currentThread().isVirtual()) {
                trace.tell("log: " + record.getLevel() + " " + record.getMessage()
                        + (record.getThrown() == null ? "" : ": " + record.getThrown()));
            }
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
