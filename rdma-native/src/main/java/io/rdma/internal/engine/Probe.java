package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;

// A write of no bytes needs neither a key nor a receive of the peer (IBA specification, C9-88), and it does not involve
// the peer's processor. Without an acknowledgement the device retries, as for any request; then the queue pair fails,
// which ends the connection.

/** Probe by which a quiet endpoint checks that its peer is alive. Loop. */
final class Probe extends Operation {
    private static final RemoteMemory NOTHING = new RemoteMemory(0, 0, 0);

    private final Endpoint endpoint;
    private final RegisteredBuffer source;
    private final long interval; // nanoseconds
    private long seen = -1;
    private long quietSince;
    private boolean underWay;

    Probe(Endpoint endpoint, MemoryRegion memory, long interval) {
        this(endpoint, RegisteredBuffer.of(memory, 0, 0), interval);
    }

    private Probe(Endpoint endpoint, RegisteredBuffer source, long interval) {
        super(request(source));
        this.endpoint = endpoint;
        this.source = source;
        this.interval = interval;
    }

    /** Returns the request that asks the peer's device alone, from memory of no bytes. */
    static WorkRequest request(RegisteredBuffer empty) {
        return WorkRequest.write(empty, NOTHING);
    }

    /** Posts the probe if there was no traffic for the interval and no request is in flight. */
    void askIfQuiet(long now) {
        long happened = endpoint.happened();
        if (underWay || endpoint.isClosing() || happened == 0 && awaitsMessage()) {
            return;
        }
        if (happened != seen || endpoint.inFlight() > 0) {
            seen = happened;
            quietSince = now;
        } else if (now - quietSince >= interval) {
            underWay = true;
            endpoint.submit(this);
        }
    }

    /**
     * Returns whether this side may send only after a message of its peer. With credits the connection is established
     * only after the peer's first frame, so no probe comes before that.
     */
    private boolean awaitsMessage() {
        EndpointOptions options = endpoint.options();
        return options.start() == EndpointOptions.Start.PEER && !options.credits();
    }

    @Override
    protected void completed(long value) {
        underWay = false;
        seen = endpoint.happened(); // a probe does not count as traffic
        quietSince = endpoint.loop().environment().nanoTime();
    }

    @Override
    protected void failed(RuntimeException error) {} // the connection ends by itself

    /** Releases the memory. */
    void close() {
        source.close();
    }
}
