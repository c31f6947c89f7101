package io.rdma.samples.learn;

import picocli.CommandLine.Command;

/** The programs that teach verbs, in the order in which to read them. */
@Command(
        name = "learn",
        mixinStandardHelpOptions = true,
        description = "Verbs by example, without the engine; the sources are meant to be read, in this order.",
        subcommands = {
            VerbsObjects.class,
            BringUp.class,
            TcpExchange.class,
            Operations.class,
            WriteSizes.class,
            Interfaces.class,
            Registration.class,
            Scaling.class,
            Multicast.class
        })
public final class Learn {
    Learn() {}
}
