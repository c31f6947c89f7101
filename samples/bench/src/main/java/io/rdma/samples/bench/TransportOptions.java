package io.rdma.samples.bench;

import io.rdma.samples.bench.transport.EndOptions;
import io.rdma.samples.bench.transport.Transport;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
            names = "--buffers",
            defaultValue = "128",
            description = "Receive buffers of a connection over RDMA; it has half as many send buffers; default:"
                    + " ${DEFAULT-VALUE}.")
    private int buffers = 128;

    @Option(
            names = "--buffer-size",
            paramLabel = "BYTES",
            defaultValue = "8192",
            description = "Size of each send and receive buffer of a connection over RDMA; default: ${DEFAULT-VALUE}.")
    private int bufferSize = 8192;

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            defaultValue = "",
            description = "Run only the requests whose name matches, for example '64 B, 1 connection.*soft0'.")
    private Pattern only = Pattern.compile("");

    String device() {
        return device;
    }

    private EndOptions end() {
        return new EndOptions(device, loops, buffers, bufferSize);
    }

    boolean isWanted(String name) {
        return only.matcher(name).find();
    }

    /** Returns the arguments of a program with a server. */
    List<String> arguments(Transport transport) {
        return Stream.concat(Stream.of(transport.name(), host), end().arguments().stream())
                .toList();
    }
}
