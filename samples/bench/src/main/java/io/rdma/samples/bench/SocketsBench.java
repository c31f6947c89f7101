package io.rdma.samples.bench;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A comparison with the alternatives to this library. */
@Command(
        name = "sockets",
        mixinStandardHelpOptions = true,
        description = "soft0 compared with Reactor Netty TCP and plain NIO on loopback, in one JVM and in two.")
final class SocketsBench implements Callable<Integer> {
    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            defaultValue = "",
            description = "Run only the exchanges whose name matches, for example 'two JVMs, 64 KiB.*soft0'.")
    private String only = "";

    @Override
    public Integer call() throws Exception {
        options.finish(new SocketsRun(options, only).measure());
        return 0;
    }
}
