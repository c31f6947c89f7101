package io.rdma.internal.engine;

import io.rdma.types.QueuePairCapacity;
import io.rdma.types.WorkRequestOpcode;
import java.time.Duration;

/**
 * Negotiated parameters of an endpoint.
 *
 * @param capacity depths of the queue pair; the receive depth is the number of receive buffers
 * @param receiveBuffers buffers in the receive ring
 * @param receiveBufferSize bytes of each receive buffer, the largest message that the peer sends without announcement
 * @param sendBuffers buffers in the send pool
 * @param sendBufferSize bytes of each send buffer
 * @param signalEvery upper bound of the sends from one completion to the next
 * @param maxRdAtomic outgoing reads and atomics at once, within the limits of both sides
 * @param maxMessageSize largest message that the peer receives
 * @param receiveMessageSize largest message that this side receives; one beyond {@code receiveBufferSize} is read from
 *     the peer
 * @param peerReceiveBufferSize largest message that the peer receives without reading it from here
 * @param credits whether both sides count credits; otherwise messages are payload only, and receiver-not-ready makes
 *     the sender wait
 * @param peerReceiveBuffers receive buffers of the peer
 * @param farewells whether each side ends with a farewell frame (BYE or ABORT); only with credits
 * @param orderlyDisconnect whether a disconnect by the peer's connection manager is an orderly end if there are no
 *     farewell frames
 * @param drainTimeout how long a close waits for the farewell, and then for the device
 * @param probeInterval time after which a quiet connection probes its peer; zero for never
 * @param firstReceiveBuffers receive buffers that are registered, posted and announced at the start; the others follow
 *     when the peer uses those
 * @param peerFirstReceiveBuffers the same number of the peer
 * @param firstSendBuffers send buffers that are registered at the start
 * @param batches whether small messages may share a SEND; only with credits
 * @param start which side sends first
 * @param abilities of the device
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
        int firstSendBuffers,
        boolean batches,
        Start start,
        Abilities abilities) {
    /** Order of the first messages of a connection. */
    public enum Start {
        /** Both sides have posted receives before either may send. */
        TOGETHER,

        /** This side posts its receives late, and tells the peer by its first frame. */
        THIS_SIDE,

        /** The peer does so. The owner of this side sends nothing before it, {@link ReceiveQueue#firstFrame}. */
        PEER
    }

    /** Receives that a queue pair needs beyond the receive buffers where credits are counted. */
    public static final int CONTROL_RECEIVES = Credits.CONTROL_RECEIVES;

    /** Sends that a queue pair needs beyond those of the application where credits are counted. */
    public static final int CONTROL_SENDS = Credits.CONTROL_SENDS;

    /** Largest MTU of a path. All MTUs divide it. */
    private static final int LARGEST_MTU = 4096;

    /** Fewer bytes in the last packet of a message are not worth that packet. */
    private static final int FEWEST_OF_LAST_PACKET = LARGEST_MTU / 4;

    /**
     * Returns whether this side may send only after the first frame of the peer.
     *
     * @return false without credits, because there are no frames then
     */
    public boolean awaitsPeer() {
        return credits && start == Start.PEER;
    }

    /**
     * Returns the bound of a stream of messages: the number of items that it takes from its source and that are not
     * delivered. Each SEND in flight needs a send buffer and a place in the send queue. An item beyond either would be
     * taken before it could be sent.
     *
     * @return messages, at least 1
     */
    public int maxMessagesInFlight() {
        return Math.min(sendBuffers, capacity.maxSendWr());
    }

    /**
     * Returns the bound of a stream while its messages share SENDs.
     *
     * @return messages, at least {@link #maxMessagesInFlight}
     */
    public int maxSmallMessagesInFlight() {
        return maxMessagesInFlight() * (batchBytes() > 0 ? BatchLayout.SHARING : 1);
    }

    /**
     * Returns the number of pieces of memory that one message may gather, see {@link GatherOperation}. A frame takes
     * one entry of the request.
     *
     * @return at least 1
     */
    public int maxGathered() {
        return Math.max(1, capacity.maxSendSge() - (credits ? 1 : 0));
    }

    /**
     * Returns the number of buffers that a request of a kind may have, see {@link WorkRequest#several}.
     *
     * @param opcode of the request
     * @return at least 1
     */
    public int maxBuffers(WorkRequestOpcode opcode) {
        return switch (opcode) {
            case RDMA_READ -> Math.min(capacity.maxSendSge(), abilities.readTargets());
            case RDMA_WRITE -> capacity.maxSendSge();
            default -> maxGathered();
        };
    }

    /**
     * Returns the length of the messages into which a stream of bytes is cut. A send buffer and a receive buffer of the
     * peer hold it, but it leaves out a few bytes at the end that would need a packet of their own: with the frame,
     * 8 KiB are two packets and 16 bytes.
     *
     * @return bytes, at least 1
     */
    public int streamMessageSize() {
        int most = Math.min(sendBufferSize, peerReceiveBufferSize);
        int frame = credits ? Frame.BYTES : 0;
        int last = (most + frame) % LARGEST_MTU;
        return most + frame > LARGEST_MTU && last < FEWEST_OF_LAST_PACKET ? most - last : most;
    }

    /**
     * Returns the largest SEND that carries several messages: a send buffer and a receive buffer of the peer hold it.
     *
     * @return bytes, frame excluded; 0 if each message has a SEND of its own
     */
    public int batchBytes() {
        int buffer = Math.min(sendBufferSize, peerReceiveBufferSize);
        return batches && buffer >= BatchLayout.LEAST_BYTES ? Math.min(BatchLayout.MOST_BYTES, buffer) : 0;
    }

    /**
     * Creates the error for a message that the peer cannot receive.
     *
     * @param length of the message in bytes
     * @return not thrown
     */
    public IllegalArgumentException tooLong(int length) {
        return tooLong(
                length,
                "configure the peer with larger receiveBuffers"
                        + (credits ? ", or with a larger maxMessageSize and a maxRdAtomic above 0" : ""));
    }

    /** Creates the same error with another remedy. */
    IllegalArgumentException tooLong(int length, String remedy) {
        return new IllegalArgumentException("message of " + length + " bytes, the peer receives at most "
                + maxMessageSize + ": send less, or " + remedy);
    }
}
