package io.rdma.engine;

import io.rdma.verbs.DatagramAddress;
import io.rdma.verbs.GlobalRoutingHeader;
import io.rdma.verbs.PortAttributes;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairCapacity;
import io.rdma.verbs.SenderAddresses;
import java.time.Duration;

// Invariant: an operation borrows its buffer from the submit, and holds the address handle of its destination from when
// it is queued, until it ends.

/**
 * A queue pair for datagrams in the engine: an {@link RdmaEndpoint} without a peer, whose operations are sends that
 * each go their own way. Thread-safe. See docs/guide/datagrams.md.
 */
public final class DatagramEndpoint implements Submitter {
    private final RdmaEndpoint endpoint;
    private final AddressHandles paths;
    private final DatagramReader reader;

    /**
     * Takes over a queue pair of type UD in INIT and posts its receives.
     *
     * @param resources whose domain the queue pair is of
     * @param completions for all work requests of the queue pair; owned like that
     * @param queuePair in INIT; owned by the endpoint from now on, also if this throws
     * @param port of the queue pair
     * @param senders addresses of the peers that send here
     * @param options how many buffers
     */
    public DatagramEndpoint(
            RdmaResources resources,
            CompletionReservation completions,
            QueuePair queuePair,
            PortAttributes port,
            SenderAddresses senders,
            Options options) {
        reader = new DatagramReader(senders);
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(completions);
            cleanup.add(queuePair);
            paths = AddressHandles.of(resources);
            int mtu = queuePair.largestDatagram();
            cleanup.keep(); // the endpoint closes it
            endpoint = new RdmaEndpoint(
                    completions,
                    resources.registrations(),
                    queuePair,
                    null,
                    reader,
                    new EndpointOptions(
                            options.capacity(),
                            options.receiveBuffers(),
                            // Whatever the MTU becomes: a receive that is too short would end the queue pair.
                            Math.max(mtu, port.maxMtu().bytes()) + GlobalRoutingHeader.BYTES,
                            options.sendBuffers(),
                            mtu,
                            options.signalEvery(),
                            0,
                            mtu,
                            mtu,
                            mtu,
                            false,
                            0,
                            false,
                            false,
                            options.drainTimeout(),
                            Duration.ZERO));
        }
    }

    /**
     * Sizes.
     *
     * @param capacity depths of the queue pair
     * @param receiveBuffers each for one datagram
     * @param sendBuffers each for one datagram
     * @param signalEvery a completion at least every so many sends
     * @param drainTimeout how long a close waits for the device
     */
    public record Options(
            QueuePairCapacity capacity, int receiveBuffers, int sendBuffers, int signalEvery, Duration drainTimeout) {}

    /**
     * The queue pair with its queues and buffers, its states and its end. Submit here, not there.
     *
     * @return shared
     */
    public RdmaEndpoint endpoint() {
        return endpoint;
    }

    /**
     * Longest datagram.
     *
     * @return bytes, the port's MTU
     */
    public int maxMessageSize() {
        return endpoint.options().maxMessageSize();
    }

    /**
     * What arrived and was dropped, because it is too short to be a datagram or its sender cannot be read.
     *
     * @return datagrams
     */
    public long malformed() {
        return reader.malformed();
    }

    /**
     * Address handles that the resources of this endpoint keep, or make at the moment.
     *
     * @return paths
     */
    public int paths() {
        return paths.size();
    }

    /**
     * Of these, those that operations hold.
     *
     * @return 0 when nothing is in flight
     */
    public int pathsInUse() {
        return paths.used();
    }

    /**
     * The error of a message that does not fit into a packet.
     *
     * @param length bytes that it has
     * @return not thrown
     */
    public IllegalArgumentException tooLong(int length) {
        return new DatagramTooLongException(length, maxMessageSize());
    }

    /**
     * Submits a send of {@link WorkRequest#sendTo} or {@link WorkRequest#sendToWithImmediate}. If its path is new an
     * address handle is made first, on another thread, and what fails there is the operation's failure: a
     * {@link io.rdma.verbs.VerbsException} if the destination is not to be reached.
     *
     * @param operation fresh, or ended
     * @throws DatagramTooLongException if it does not fit into a packet; nothing was submitted then
     * @throws IllegalStateException if its buffer is closed or in use in a way that excludes this; nothing was
     *     submitted then
     */
    @Override
    public void submit(Operation operation) {
        WorkRequest request = operation.request();
        DatagramAddress destination = request.destination();
        if (destination == null) {
            throw new IllegalArgumentException("a datagram needs a destination: WorkRequest.sendTo");
        }
        int length = operation.fixLength();
        if (length > maxMessageSize()) {
            throw tooLong(length);
        }
        if (!operation.borrow()) {
            return;
        }
        CachedAddress path = paths.tryLease(destination.path());
        if (path != null) {
            submit(operation, path);
        } else if (endpoint.isClosing()) {
            operation.refuse(endpoint.closedException(false));
        } else {
            paths.lease(destination.path(), new Later(operation));
        }
    }

    private void submit(Operation operation, CachedAddress path) {
        operation.setPath(path);
        endpoint.sends().submit(operation);
    }

    /**
     * An operation that waits for its path. It is NEW still, so a cancelled one is not posted; its buffer is borrowed
     * already, and given back here.
     */
    private final class Later implements AddressHandles.Waiter {
        private final Operation operation;

        Later(Operation operation) {
            this.operation = operation;
        }

        @Override
        public void leased(CachedAddress address) {
            submit(operation, address);
        }

        @Override
        public void failed(RuntimeException error) {
            operation.refuse(endpoint.isClosing() ? endpoint.closedException(false) : error);
        }
    }
}
