package io.rdma.samples.rping;

import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options of {@code rping(1)}, with its defaults. The address determines the device; {@code soft0} has a connection
 * manager of its own.
 */
final class RpingOptions {
    private static final int LEAST = 28; // room for the text with the largest number
    private static final int MOST = 65_535;

    @Option(
            names = "-a",
            paramLabel = "ADDR",
            description = "Server: address to listen on; default: any. Client: address of the server.")
    @Nullable
    String address;

    @Option(names = "-I", paramLabel = "ADDR", description = "Client: local address to bind to.")
    private @Nullable String source;

    @Option(names = "-p", paramLabel = "PORT", defaultValue = "7174", description = "Port.")
    private int port;

    @Option(names = "-C", paramLabel = "COUNT", defaultValue = "0", description = "Pings; 0 for no limit.")
    int count;

    @Option(names = "-S", paramLabel = "SIZE", defaultValue = "64", description = "Bytes of a ping.")
    int size;

    @Option(names = "-v", description = "Display the ping data.")
    boolean verbose;

    @Option(names = "-V", description = "Validate the ping data.")
    boolean validate;

    @Option(names = "-d", description = "Debug prints.")
    private boolean debug;

    /** Declared here and not by the usual mix-in, whose -V has another meaning. */
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    private boolean help;

    @Option(
            names = "--device",
            paramLabel = "NAME",
            description = "soft0, or any device of libibverbs; default: as for the other commands.")
    private @Nullable String device;

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException naming the option that is out of range
     */
    void check() {
        if (size < LEAST || size > MOST) {
            throw new IllegalArgumentException("-S must be from " + LEAST + " to " + MOST + ": " + size);
        }
        if (count < 0 || port < 1 || port > MOST) {
            throw new IllegalArgumentException(
                    "-C must not be negative, and -p must be from 1 to " + MOST + ": " + count + ", " + port);
        }
    }

    RdmaDevice device() {
        return device == null ? RdmaDevices.defaultDevice() : RdmaDevices.named(device);
    }

    InetSocketAddress listenAddress() {
        return address == null ? new InetSocketAddress("0.0.0.0", port) : new InetSocketAddress(address, port);
    }

    InetSocketAddress serverAddress() {
        if (address == null) {
            throw new IllegalArgumentException("the client needs -a, the server's address");
        }
        return new InetSocketAddress(address, port);
    }

    @Nullable
    InetSocketAddress sourceAddress() {
        return source == null ? null : new InetSocketAddress(source, 0);
    }

    void debug(String format, @Nullable Object... arguments) {
        if (debug) {
            System.out.printf(format + "%n", arguments);
        }
    }
}
