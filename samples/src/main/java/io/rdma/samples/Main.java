package io.rdma.samples;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The one entry point of the samples: every sample is a subcommand. */
@Command(
        name = "rdma-samples",
        mixinStandardHelpOptions = true,
        version = "rdma-samples 0.1.0-SNAPSHOT",
        description = "RDMA for the JVM, by example.",
        synopsisSubcommandLabel = "COMMAND")
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    private Main() {}

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a command.");
    }

    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }
}
