package io.rdma.samples.bench;

import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options of all benchmarks. */
final class BenchOptions {
    @Option(
            names = "--rounds",
            defaultValue = "5",
            description = "Number of rounds, each of which measures everything once; default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--quick",
            description = "Run one short round. It shows that the benchmark works; its figures mean nothing.")
    private boolean quick;

    @Option(
            names = "--output",
            paramLabel = "FOLDER",
            defaultValue = "target/bench",
            description = "Folder for JSON and plots; default: ${DEFAULT-VALUE}.")
    private Path output = Path.of("target/bench");

    int rounds() {
        return quick ? 1 : rounds;
    }

    boolean quick() {
        return quick;
    }

    Path output() {
        return output;
    }

    void finish(Results results) throws IOException {
        results.print(System.out);
        ResultFiles.write(results, output);
    }
}
