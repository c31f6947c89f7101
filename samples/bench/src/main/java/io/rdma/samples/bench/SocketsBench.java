package io.rdma.samples.bench;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A comparison with the alternatives to this library. */
@Command(
        name = "sockets",
        mixinStandardHelpOptions = true,
        description = "soft0 compared with Reactor Netty TCP, plain NIO and Aeron IPC, in one JVM and in two.")
final class SocketsBench implements Callable<Integer> {
    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            defaultValue = "",
            description = "Run only the exchanges whose name matches, for example 'two JVMs, 64 KiB.*soft0'.")
    private String only = "";

    @Option(
            names = "--busy",
            paramLabel = "THREADS",
            defaultValue = "0",
            description = "Measure beside another program, which keeps as many processors busy; default:"
                    + " ${DEFAULT-VALUE}. The result is named sockets-busy.")
    private int busy;

    @Override
    public Integer call() throws Exception {
        if (busy < 0) {
            throw new IllegalArgumentException("--busy is " + busy + ": use 0 or more");
        }
        options.finish(new SocketsRun(options, only, busy).measure());
        return 0;
    }
}
