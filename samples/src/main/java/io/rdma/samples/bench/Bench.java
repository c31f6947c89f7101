package io.rdma.samples.bench;

import picocli.CommandLine.Command;

/** The benchmarks, with one command each. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures; prints a table, and writes JSON and a plot.",
        subcommands = {
            EngineBench.class,
            SocketsBench.class,
            IdleBench.class,
            StartupBench.class,
            SoakBench.class,
            VerbsBench.class,
            CallsBench.class,
            PlotFiles.class
        })
public final class Bench {
    private Bench() {}
}
