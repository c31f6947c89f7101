package io.rdma.internal.structures;

import io.rdma.connect.RdmaResources;
import io.rdma.structures.CounterMemory;
import io.rdma.structures.RecordOptions;
import java.util.Objects;

/** Counters at their host. */
public final class HostedCounters extends HostedMemory implements CounterMemory {
    /**
     * Allocates counters, all 0.
     *
     * @param resources resources of the server whose clients use them
     * @param count number of counters
     */
    public HostedCounters(RdmaResources resources, int count) {
        super(resources, StructureHeader.of(StructureHeader.Kind.COUNTERS, RecordOptions.of(count, Long.BYTES), 0));
    }

    @Override
    public int count() {
        return header.count();
    }

    @Override
    public long get(int index) {
        return access.get(offset(index));
    }

    @Override
    public long add(int index, long addend) {
        long offset = offset(index);
        requireProcessorAtomics();
        return access.add(offset, addend) + addend;
    }

    private long offset(int index) {
        return header.wordOffset(Objects.checkIndex(index, count()));
    }
}
