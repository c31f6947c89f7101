package io.rdma.internal.engine;

import io.rdma.engine.DatagramTooLongException;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.loop.CompletionReservation;
import io.rdma.internal.os.StackRoom;
import io.rdma.types.PortAttributes;
import io.rdma.types.QueuePairCapacity;
import io.rdma.verbs.DatagramAddress;
import io.rdma.verbs.GlobalRoutingHeader;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.SenderAddresses;
import java.time.Duration;

// Invariant: an operation borrows its buffer from its submit, and holds the address handle of its destination from its
// queueing, until it ends.

/**
 * Endpoint for datagrams: an {@link Endpoint} without a peer, whose operations are sends with a destination each.
 * Thread-safe. See docs/guide/datagrams.md.
 */
public final class DatagramEndpoint implements Submitter {
    private final Endpoint endpoint;
    private final AddressHandles paths;

    /**
     * Takes over a queue pair of type UD in INIT and posts its receives.
     *
     * @param resources whose domain the queue pair belongs to
     * @param completions room for all work requests of the queue pair; owned by the endpoint like the queue pair
     * @param queuePair in INIT; owned by the endpoint from now on, even if this throws
     * @param port of the queue pair
     * @param senders addresses of the peers that send here
     * @param options depths and numbers of buffers
     */
    public DatagramEndpoint(
            DeviceResources resources,
            CompletionReservation completions,
            QueuePair queuePair,
            PortAttributes port,
            SenderAddresses senders,
            Options options) {
        DatagramReader reader = new DatagramReader(senders, completions.loop().counters());
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(completions);
            cleanup.add(queuePair);
            paths = AddressHandles.of(resources);
            int mtu = queuePair.largestDatagram();
            endpoint = new Endpoint(
                    completions,
                    resources.registrations(),
                    queuePair,
                    null,
                    reader,
                    new EndpointOptions(
                            options.capacity(),
                            options.receiveBuffers(),
                            // For every MTU of the port: a receive that is too short would end the queue pair.
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
                            Duration.ZERO,
                            options.receiveBuffers(),
                            0,
                            options.sendBuffers(),
                            false,
                            EndpointOptions.Start.TOGETHER,
                            Abilities.ALL));
            cleanup.keep(); // the endpoint closes them
        }
        endpoint.start();
    }

    /**
     * Depths and numbers of buffers of a datagram endpoint.
     *
     * @param capacity depths of the queue pair
     * @param receiveBuffers buffers for one received datagram each
     * @param sendBuffers buffers for one sent datagram each
     * @param signalEvery upper bound of the sends from one completion to the next
     * @param drainTimeout how long a close waits for the device
     */
    public record Options(
            QueuePairCapacity capacity, int receiveBuffers, int sendBuffers, int signalEvery, Duration drainTimeout) {}

    /**
     * Returns the queue pair with its queues, buffers, states and end. Operations are submitted here, not there.
     *
     * @return shared
     */
    public Endpoint endpoint() {
        return endpoint;
    }

    /**
     * Returns the length of the longest datagram.
     *
     * @return bytes, the port's MTU
     */
    public int maxMessageSize() {
        return endpoint.options().maxMessageSize();
    }

    /**
     * Returns the number of address handles that the resources of this endpoint keep or are making.
     *
     * @return paths
     */
    public int paths() {
        return paths.size();
    }

    /**
     * Returns the number of {@link #paths()} that operations hold.
     *
     * @return 0 when nothing is in flight
     */
    public int pathsInUse() {
        return paths.used();
    }

    /**
     * Creates the error for a message that does not fit into a packet.
     *
     * @param length of the message in bytes
     * @return not thrown
     */
    public IllegalArgumentException tooLong(int length) {
        return new DatagramTooLongException(length, maxMessageSize());
    }

    /**
     * Submits a send of {@link WorkRequest#sendTo} or {@link WorkRequest#sendToWithImmediate}. For a new path, another
     * thread makes an address handle first. A failure there is the operation's failure: a {@link
     * io.rdma.types.VerbsException} if the destination is unreachable.
     *
     * @param operation fresh, or ended
     * @throws DatagramTooLongException if it does not fit into a packet; nothing was submitted then
     * @throws IllegalStateException if its buffer is closed or has a conflicting use; nothing was submitted then
     * @throws StackOverflowError if the caller's stack is nearly full; nothing was submitted then
     */
    @Override
    public void submit(Operation operation) {
        StackRoom.require(StackRoom.SIGNAL);
        WorkRequest request = operation.request();
        DatagramAddress destination = request.destination();
        if (destination == null) {
            throw new IllegalArgumentException("a datagram needs a destination: use WorkRequest.sendTo");
        }
        int length = operation.fixLength();
        if (length > maxMessageSize()) {
            throw tooLong(length);
        }
        if (!operation.borrow(null)) {
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
        endpoint.sends().submit(operation, true);
    }

    /**
     * An operation that waits for its path. It is still NEW, so it is not posted once cancelled. Its buffer is borrowed
     * already, and a failure here gives it back.
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
