package io.rdma.samples.bench;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A benchmark of the library without a device. */
@Command(
        name = "engine",
        mixinStandardHelpOptions = true,
        description =
                "The engine and both front-ends over a device that completes at once, against a bare loop over the"
                        + " same device.")
final class EngineBench implements Callable<Integer> {
    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            defaultValue = "",
            description = "Run only the benchmarks whose method matches, and the bare loop.")
    private String only = "";

    @Override
    public Integer call() throws Exception {
        options.finish(new EngineRun(options, only).measure());
        return 0;
    }
}
