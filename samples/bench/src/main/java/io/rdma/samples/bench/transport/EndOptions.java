package io.rdma.samples.bench.transport;

import io.rdma.connect.ConnectionOptions;

/**
 * Options of one end.
 *
 * @param device of {@link Transport#RDMA}
 * @param loops number of event loops of each transport
 * @param buffers receive buffers of a connection over RDMA; it has half as many send buffers
 * @param bufferSize bytes of each send and receive buffer over RDMA
 */
public record EndOptions(String device, int loops, int buffers, int bufferSize) {
    /** Parses arguments in the order of the record, from an index on. */
    static EndOptions parse(String[] arguments, int from) {
        return new EndOptions(
                arguments[from],
                Integer.parseInt(arguments[from + 1]),
                Integer.parseInt(arguments[from + 2]),
                Integer.parseInt(arguments[from + 3]));
    }

    /** Returns the options of connections over RDMA. */
    ConnectionOptions connection() {
        return ConnectionOptions.DEFAULT
                .withReceiveBuffers(buffers, bufferSize)
                .withSendBuffers(Math.max(1, buffers / 2), bufferSize);
    }
}
