package io.rdma.engine;

import io.rdma.verbs.QueuePairCapacity;
import java.time.Duration;

/**
 * What an endpoint needs to know, after negotiation.
 *
 * @param capacity depths of the queue pair; the receive depth is the number of receive buffers
 * @param receiveBuffers buffers in the receive ring
 * @param receiveBufferSize bytes of each, the largest message the peer may send
 * @param sendBuffers buffers in the send pool
 * @param sendBufferSize bytes of each
 * @param signalEvery a completion at least every so many sends
 * @param maxRdAtomic outgoing reads and atomics at once, what both sides can
 * @param maxMessageSize largest message that the peer receives
 * @param receiveMessageSize largest message that this side receives, read from the peer beyond {@code receiveBufferSize}
 * @param peerReceiveBufferSize largest message that the peer receives without reading it from here
 * @param credits whether both sides count credits; else messages are payload only, and receiver-not-ready does the waiting
 * @param peerReceiveBuffers receive buffers of the peer
 * @param farewells whether each side ends with a frame that says how; only with credits
 * @param orderlyDisconnect whether the goodbye of the peer's connection manager is an orderly end where there are no farewells
 * @param drainTimeout how long a close waits for the farewell, and then for the device
 * @param probeInterval after which a quiet connection probes its peer; zero for never
 */
public record EndpointOptions(
        QueuePairCapacity capacity,
        int receiveBuffers,
        int receiveBufferSize,
        int sendBuffers,
        int sendBufferSize,
        int signalEvery,
        int maxRdAtomic,
        int maxMessageSize,
        int receiveMessageSize,
        int peerReceiveBufferSize,
        boolean credits,
        int peerReceiveBuffers,
        boolean farewells,
        boolean orderlyDisconnect,
        Duration drainTimeout,
        Duration probeInterval) {
    /** Receives that a queue pair needs beyond the receive buffers where credits are counted. */
    public static final int CONTROL_RECEIVES = Credits.CONTROL_RECEIVES;

    /** Sends that a queue pair needs beyond the application's where credits are counted. */
    public static final int CONTROL_SENDS = Credits.CONTROL_SENDS;
}
