package io.rdma.samples.bench.transport;

import java.time.Duration;
import reactor.netty.resources.LoopResources;

/**
 * The event loops of the clients of one transport.
 *
 * @param transport transport
 * @param end options
 * @param loops to be closed with this
 */
public record Clients(Transport transport, EndOptions end, LoopResources loops) implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5); // long enough for an emulated machine

    /**
     * Creates event loops.
     *
     * @param transport transport
     * @param end options
     * @return to be closed
     */
    public static Clients of(Transport transport, EndOptions end) {
        return new Clients(transport, end, transport.loops(end));
    }

    @Override
    public void close() {
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(10)).block(PATIENCE);
    }
}
