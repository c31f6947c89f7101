package io.rdma.internal.soft;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.os.ProcessMemory;
import io.rdma.internal.soft.device.SoftDevice;
import io.rdma.internal.soft.objects.SoftMr;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.util.ArrayList;
import java.util.List;

/**
 * Advice on on-demand memory, {@code ibv_advise_mr(3)}. It is followed before the call returns, with and without
 * IBV_ADVISE_MR_FLAG_FLUSH. Pages come into memory on the caller's thread, not in a turn of the device.
 */
final class Advice {
    private static final String CALL = "ibv_advise_mr";

    private final SoftDevice device;
    private final SoftPd domain;
    private final boolean write;
    private final boolean faults;

    Advice(SoftDevice device, SoftPd domain, int advice) {
        if (advice < ADVISE_MR_ADVICE_PREFETCH || advice > ADVISE_MR_ADVICE_PREFETCH_NO_FAULT) {
            throw new VerbsException(CALL, Errno.EOPNOTSUPP, "There is no advice of the number " + advice);
        }
        this.device = device;
        this.domain = domain;
        write = advice == ADVISE_MR_ADVICE_PREFETCH_WRITE;
        faults = advice != ADVISE_MR_ADVICE_PREFETCH_NO_FAULT;
    }

    private record Range(SoftMr region, long address, long bytes) {}

    /**
     * Follows it for a range of a region.
     *
     * @throws VerbsException as the kernel: EPERM if the region is one of another domain, or may not be written; EINVAL
     *     if the key is that of a window, or of pinned memory; EFAULT if it is that of nothing, if the range does not
     *     lie inside the region, or is not mapped
     */
    void follow(long from, long bytes, int lkey) {
        Range range = device.call(() -> range(from, bytes, lkey));
        List<Range> present = new ArrayList<>();
        boolean mapped = bytes == 0
                || (faults
                        ? ProcessMemory.populate(range.address, bytes, write)
                        : ProcessMemory.resident(
                                range.address, bytes, (run, size) -> present.add(new Range(range.region, run, size))));
        if (!mapped) {
            throw new VerbsException(
                    CALL, Errno.EFAULT, "A part of the range is not mapped" + (write ? ", or is not writable" : ""));
        }
        if (faults) {
            present.add(range);
        }
        device.call(() -> {
            device.counters().count(Counter.PAGE_PREFETCH);
            present.forEach(part -> device.keys().paging().prefetched(part.region, part.address, part.bytes, write));
            return 0;
        });
    }

    private Range range(long from, long bytes, int lkey) {
        SoftMr region = device.keys().region(lkey);
        if (region == null) {
            throw device.keys().isWindow(lkey)
                    ? new VerbsException(CALL, Errno.EINVAL, "The key is that of a memory window, not of a region")
                    : new VerbsException(CALL, Errno.EFAULT, "There is no region with this key");
        }
        if (!domain.matches(region.pd)) {
            throw new VerbsException(CALL, Errno.EPERM, "The region belongs to another protection domain");
        }
        if ((region.access & ACCESS_ON_DEMAND) == 0) {
            throw new VerbsException(CALL, Errno.EINVAL, "The region is not registered with IBV_ACCESS_ON_DEMAND");
        }
        if (write && (region.access & ACCESS_LOCAL_WRITE) == 0) {
            throw new VerbsException(CALL, Errno.EPERM, "The region does not allow local writes");
        }
        long address = region.processAddress(from, bytes);
        if (address < 0) {
            throw new VerbsException(CALL, Errno.EFAULT, "The range does not lie inside the region");
        }
        return new Range(region, address, bytes);
    }
}
