package io.rdma.samples.bench.transport;

import io.rdma.connect.ConnectionOptions;
import io.rdma.netty.RdmaChannelOption;
import java.util.List;

/**
 * Options of one end.
 *
 * @param device of {@link Transport#RDMA}
 * @param loops number of event loops of each transport
 * @param buffers receive buffers of a connection over RDMA; it has half as many send buffers
 * @param bufferSize bytes of each send and receive buffer over RDMA
 */
public record EndOptions(String device, int loops, int buffers, int bufferSize) {
    /**
     * Returns the arguments of a program with an end, which {@link #parse} reads.
     *
     * @return in the order of the record
     */
    public List<String> arguments() {
        return List.of(device, Integer.toString(loops), Integer.toString(buffers), Integer.toString(bufferSize));
    }

    /**
     * Parses such arguments.
     *
     * @param arguments with those of this class behind others
     * @param from index of the first one
     * @return the options
     */
    public static EndOptions parse(String[] arguments, int from) {
        return new EndOptions(
                arguments[from],
                Integer.parseInt(arguments[from + 1]),
                Integer.parseInt(arguments[from + 2]),
                Integer.parseInt(arguments[from + 3]));
    }

    /** Returns the options of connections over RDMA. */
    ConnectionOptions connection() {
        return RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS
                .withReceiveBuffers(buffers, bufferSize)
                .withSendBuffers(Math.max(1, buffers / 2), bufferSize);
    }
}
