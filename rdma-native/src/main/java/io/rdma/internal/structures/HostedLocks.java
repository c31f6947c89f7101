package io.rdma.internal.structures;

import io.rdma.connect.RdmaResources;
import io.rdma.structures.LockMemory;
import io.rdma.structures.RecordOptions;
import java.time.Duration;
import java.util.Objects;

/** Locks at their host. */
public final class HostedLocks extends HostedMemory implements LockMemory {
    /**
     * Allocates locks that are free.
     *
     * @param resources resources of the server whose clients use them
     * @param count number of locks
     * @param lease time for which a lock is held unless it is renewed
     */
    public HostedLocks(RdmaResources resources, int count, Duration lease) {
        super(
                resources,
                StructureHeader.of(
                        StructureHeader.Kind.LOCKS,
                        RecordOptions.of(count, Long.BYTES).withLease(lease),
                        0));
    }

    @Override
    public int count() {
        return header.count();
    }

    @Override
    public long token(int index) {
        return new LockWord(access.get(header.wordOffset(Objects.checkIndex(index, count())))).token();
    }
}
