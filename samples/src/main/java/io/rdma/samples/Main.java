package io.rdma.samples;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The samples: one jar, one command each. */
@Command(name = "rdma-samples", mixinStandardHelpOptions = true, description = "RDMA for the JVM, by example.")
public final class Main {
    private Main() {}

    /** Runs a command. @param args see {@code --help} */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }
}
