package io.rdma.samples.bench;

import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** The options of benchmarks that compare transports of Netty. */
final class TransportOptions {
    @Option(names = "--device", defaultValue = "soft0", description = "Default: ${DEFAULT-VALUE}.")
    private String device = "soft0";

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            description = "Address of this machine, which both ends use, also for TCP; default: ${DEFAULT-VALUE}.")
    private String host = "127.0.0.1";

    @Option(
            names = "--loops",
            defaultValue = "1",
            description = "Event loops of each transport at each end; default: ${DEFAULT-VALUE}.")
    private int loops = 1;

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            defaultValue = "",
            description = "Run only the requests whose name matches, for example '64 B, 1 connection.*soft0'.")
    private Pattern only = Pattern.compile("");

    String device() {
        return device;
    }

    String host() {
        return host;
    }

    int loops() {
        return loops;
    }

    boolean isWanted(String name) {
        return only.matcher(name).find();
    }

    /** Returns the arguments of a program with the servers. */
    List<String> arguments() {
        return List.of(device, host, Integer.toString(loops));
    }
}
