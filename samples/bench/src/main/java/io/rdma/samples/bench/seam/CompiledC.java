package io.rdma.samples.bench.seam;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The device in C and the bare programs over it, compiled by the C compiler of this machine.
 *
 * @param directory that contains the library and the program
 */
public record CompiledC(Path directory) {
    private static final List<String> SOURCES = List.of("immediate.h", "immediate.c", "bare.c");
    private static final List<String> COMPILE = List.of("cc", "-O2", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Werror");
    private static final long PATIENCE_SECONDS = 60;

    /** The work of a bare program. */
    public enum Program {
        /** 64 B writes in chains. */
        WRITES,
        /** 64 B writes, one at a time. */
        SERIAL,
        /** 64 B messages with a SEND for each, both ends on one thread. */
        MESSAGES
    }

    /**
     * Compiles the sources.
     *
     * @param into directory for the results; made if it is missing
     * @return empty if this machine has no C compiler
     * @throws IOException if the compiler refuses the sources, or a file cannot be written
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public static Optional<CompiledC> compile(Path into) throws IOException, InterruptedException {
        if (!hasCompiler()) {
            return Optional.empty();
        }
        Path directory = Files.createDirectories(into).toAbsolutePath();
        for (String name : SOURCES) {
            try (InputStream source = Objects.requireNonNull(CompiledC.class.getResourceAsStream(name), name)) {
                Files.write(directory.resolve(name), source.readAllBytes());
            }
        }
        CompiledC compiled = new CompiledC(directory);
        String library = compiled.library().toString();
        cc(directory, List.of("-shared", "-fPIC", "-o", library, "immediate.c"));
        cc(directory, List.of("-o", "bare", "bare.c", library, "-Wl,-rpath," + directory));
        return Optional.of(compiled);
    }

    private static boolean hasCompiler() throws InterruptedException {
        try {
            run(Path.of("."), List.of("cc", "--version"));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void cc(Path directory, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(COMPILE);
        command.addAll(arguments);
        run(directory, command);
    }

    private static String run(Path directory, List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes());
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("failed: " + String.join(" ", command) + "\n" + output);
            }
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    /**
     * Returns the shared library of the device.
     *
     * @return absolute path
     */
    public Path library() {
        return directory.resolve("libimmediate.so");
    }

    /**
     * Runs a program.
     *
     * @param program its work
     * @return processor time of one operation, in nanoseconds
     * @throws IOException if it fails
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public double measure(Program program) throws IOException, InterruptedException {
        String mode = program.name().toLowerCase(Locale.ROOT);
        return Double.parseDouble(
                run(directory, List.of(directory.resolve("bare").toString(), mode))
                        .strip());
    }
}
