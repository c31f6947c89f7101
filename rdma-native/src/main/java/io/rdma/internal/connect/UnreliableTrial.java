package io.rdma.internal.connect;

import io.rdma.internal.engine.DeviceResources;
import io.rdma.types.Errno;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePairType;
import org.jspecify.annotations.Nullable;

/**
 * Answer of a device to the question whether it makes unreliable queue pairs. No attribute of a device says so, and it
 * does not change. So one is made for a trial, once for each open device.
 *
 * @param refusal the device's; null if it makes them
 */
record UnreliableTrial(@Nullable VerbsException refusal) implements AutoCloseable {
    private static final QueuePairCapacity SMALLEST = new QueuePairCapacity(1, 1, 1, 1, 0);

    /**
     * Returns the answer of the device of some resources. Must run within a pending set-up.
     *
     * @throws VerbsException if the device cannot tell now; the next call tries again
     */
    static UnreliableTrial of(DeviceResources resources) {
        return resources.companion(UnreliableTrial.class, UnreliableTrial::make);
    }

    private static UnreliableTrial make(DeviceContext device) {
        try (ProtectionDomain domain = device.allocateProtectionDomain();
                CompletionQueue queue = device.createCompletionQueue(2, null)) {
            try {
                domain.createQueuePair(QueuePairType.UC, queue, queue, SMALLEST).close();
                return new UnreliableTrial(null);
            } catch (VerbsException e) {
                if (e.errno() != Errno.EOPNOTSUPP && e.errno() != Errno.EINVAL && e.errno() != Errno.ENOSYS) {
                    throw e;
                }
                return new UnreliableTrial(e);
            }
        }
    }

    @Override
    public void close() {} // as all companions have it; an answer holds nothing
}
