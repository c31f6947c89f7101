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
 * @param receiveMessageSize largest message that this side receives, read from the peer beyond
 *     {@code receiveBufferSize}
 * @param peerReceiveBufferSize largest message that the peer receives without reading it from here
 * @param credits whether both sides count credits; else messages are payload only, and receiver-not-ready does the
 *     waiting
 * @param peerReceiveBuffers receive buffers of the peer
 * @param farewells whether each side ends with a frame that says how; only with credits
 * @param orderlyDisconnect whether the goodbye of the peer's connection manager is an orderly end where there are no
 *     farewells
 * @param drainTimeout how long a close waits for the farewell, and then for the device
 * @param probeInterval after which a quiet connection probes its peer; zero for never
 * @param firstReceiveBuffers receive buffers that are registered, posted and announced at the start; the others when
 *     the peer uses those
 * @param peerFirstReceiveBuffers the same of the peer
 * @param firstSendBuffers send buffers that are registered at the start
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
        Duration probeInterval,
        int firstReceiveBuffers,
        int peerFirstReceiveBuffers,
        int firstSendBuffers) {
    /** Receives that a queue pair needs beyond the receive buffers where credits are counted. */
    public static final int CONTROL_RECEIVES = Credits.CONTROL_RECEIVES;

    /** Sends that a queue pair needs beyond the application's where credits are counted. */
    public static final int CONTROL_SENDS = Credits.CONTROL_SENDS;

    /**
     * With all buffers from the start.
     *
     * @param capacity see the record
     * @param receiveBuffers see the record
     * @param receiveBufferSize see the record
     * @param sendBuffers see the record
     * @param sendBufferSize see the record
     * @param signalEvery see the record
     * @param maxRdAtomic see the record
     * @param maxMessageSize see the record
     * @param receiveMessageSize see the record
     * @param peerReceiveBufferSize see the record
     * @param credits see the record
     * @param peerReceiveBuffers see the record
     * @param farewells see the record
     * @param orderlyDisconnect see the record
     * @param drainTimeout see the record
     * @param probeInterval see the record
     */
    public EndpointOptions(
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
        this(
                capacity,
                receiveBuffers,
                receiveBufferSize,
                sendBuffers,
                sendBufferSize,
                signalEvery,
                maxRdAtomic,
                maxMessageSize,
                receiveMessageSize,
                peerReceiveBufferSize,
                credits,
                peerReceiveBuffers,
                farewells,
                orderlyDisconnect,
                drainTimeout,
                probeInterval,
                receiveBuffers,
                peerReceiveBuffers,
                sendBuffers);
    }
}
