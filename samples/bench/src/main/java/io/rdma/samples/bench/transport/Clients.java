package io.rdma.samples.bench.transport;

import java.time.Duration;
import reactor.netty.resources.LoopResources;

/**
 * The event loops of the clients of one transport.
 *
 * @param transport transport
 * @param loops to be closed with this
 */
public record Clients(Transport transport, LoopResources loops) implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5); // long enough for an emulated machine

    /**
     * Creates event loops.
     *
     * @param transport transport
     * @param count number of event loops
     * @param device of {@link Transport#RDMA}
     * @return to be closed
     */
    public static Clients of(Transport transport, int count, String device) {
        return new Clients(transport, transport.loops(count, device));
    }

    @Override
    public void close() {
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(10)).block(PATIENCE);
    }
}
