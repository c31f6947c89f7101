package io.rdma.samples.bench;

import picocli.CommandLine.Command;

/** The benchmarks, with one command each. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measure, print a table, and write JSON and plots.",
        subcommands = {
            EngineBench.class,
            SocketsBench.class,
            HttpBench.class,
            GrpcBench.class,
            RSocketBench.class,
            IdleBench.class,
            ConnectionsBench.class,
            ManyBench.class,
            LargeBench.class,
            FairnessBench.class,
            StartupBench.class,
            PathsBench.class,
            SoakBench.class,
            YcsbBench.class,
            VerbsBench.class,
            CallsBench.class,
            PlotFiles.class
        })
public final class Bench {
    private Bench() {}
}
