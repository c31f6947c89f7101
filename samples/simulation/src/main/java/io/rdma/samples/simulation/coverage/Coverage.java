package io.rdma.samples.simulation.coverage;

import io.rdma.samples.simulation.agent.Agent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.instr.Instrumenter;

/**
 * Count of the library's branches that the runs of this JVM take. Classes get their probes before the agent rewrites
 * them, so what the agent adds is not counted, and the probes, which touch nothing that is volatile, do not pause.
 */
public final class Coverage {
    private final Instrumenter instrumenter = new Instrumenter(Probes::call);
    /** The counted classes as the compiler made them. */
    private final Map<String, byte[]> originals = new ConcurrentHashMap<>();

    Coverage() {}

    /**
     * Begins to count.
     *
     * @throws IllegalStateException if a class of the library is loaded already
     */
    public static Coverage begin() {
        Coverage coverage = new Coverage();
        coverage.warmUp();
        Agent.rewriteFirst((name, bytes) -> Part.of(name) == null ? bytes : coverage.withProbes(name, bytes));
        return coverage;
    }

    /** Loads what adds probes, so that no class is loaded from within the loading of another. */
    private void warmUp() {
        try (InputStream in = Coverage.class.getResourceAsStream("Coverage.class")) {
            instrumenter.instrument(in, "Coverage");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    byte[] withProbes(String name, byte[] bytes) {
        originals.put(name, bytes);
        try {
            return instrumenter.instrument(bytes, name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Prints which part of the branches was taken, and writes what was never reached to a file. */
    public void report(Path file) throws IOException {
        Report report = new Report(analyzed());
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Files.write(file, report.unreached());
        report.summary().forEach(System.out::println);
        System.out.println("all that was never reached: " + file.toAbsolutePath());
    }

    Collection<IClassCoverage> analyzed() throws IOException {
        CoverageBuilder classes = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(Probes.collected(), classes);
        for (Map.Entry<String, byte[]> one : originals.entrySet()) {
            analyzer.analyzeClass(one.getValue(), one.getKey());
        }
        return classes.getClasses();
    }
}
