package io.rdma.samples.pingpong;

import io.rdma.types.Mtu;
import java.util.Arrays;
import picocli.CommandLine.Option;

/**
 * The long options of {@code ibv_rc_pingpong} and its siblings, with their defaults. One default differs: if no GID is
 * given, it is chosen by its type.
 */
final class PingPongOptions {
    @Option(
            names = {"-p", "--port"},
            defaultValue = "18515",
            description = "TCP port of the handshake.")
    int port;

    @Option(
            names = {"-i", "--ib-port"},
            defaultValue = "1",
            description = "Port of the device.")
    int ibPort;

    @Option(
            names = {"-s", "--size"},
            defaultValue = "0",
            description = "Bytes of a message; default: 4096, for datagrams 1024.")
    int size;

    @Option(
            names = {"-m", "--mtu"},
            defaultValue = "1024",
            description = "Path MTU; datagrams use that of the port.")
    int mtu;

    @Option(
            names = {"-r", "--rx-depth"},
            defaultValue = "500",
            description = "Receives posted at a time.")
    int rxDepth;

    @Option(
            names = {"-n", "--iters"},
            defaultValue = "1000",
            description = "Number of exchanges.")
    int iters;

    @Option(
            names = {"-q", "--num-qp"},
            defaultValue = "0",
            description = "Queue pairs of srq-pingpong; default: 16. The others have one.")
    int queuePairs;

    @Option(
            names = {"-l", "--sl"},
            defaultValue = "0",
            description = "Service level.")
    int serviceLevel;

    @Option(
            names = {"-e", "--events"},
            description = "Sleep on completion events.")
    boolean events;

    @Option(
            names = {"-g", "--gid-idx"},
            defaultValue = "-1",
            description = "Local GID index; default: by type.")
    int gidIndex;

    @Option(
            names = {"-c", "--chk"},
            description = "Validate the received buffer.")
    boolean check;

    /**
     * Checks the options.
     *
     * @param transport has the defaults
     * @throws IllegalArgumentException naming the option that is out of range
     */
    void check(PingPongTransport transport) {
        if (size == 0) {
            size = transport.defaultSize();
        }
        if (queuePairs == 0) {
            queuePairs = transport.defaultQueuePairs();
        }
        range("--num-qp", queuePairs, 1, transport.maxQueuePairs());
        range("--size", size, 1, Integer.MAX_VALUE);
        range("--iters", iters, 1, Integer.MAX_VALUE);
        range("--rx-depth", rxDepth, queuePairs, Integer.MAX_VALUE);
        range("--port", port, 1, 65_535);
        range("--ib-port", ibPort, 1, 255);
        range("--sl", serviceLevel, 0, 15);
        pathMtu();
    }

    private static void range(String option, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(option + " must be from " + low + " to " + high + ": " + value);
        }
    }

    Mtu pathMtu() {
        return Arrays.stream(Mtu.values())
                .filter(value -> value.bytes() == mtu)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--mtu must be 256, 512, 1024, 2048 or 4096: " + mtu));
    }
}
