package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.close.CloseSteps;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import java.util.EnumSet;
import java.util.List;

// Invariants
// - Either all buffers are borrowed or none is. A borrow that fails in the middle gives back those before.
// - The lengths are fixed at the submit, as for one buffer: a limit may change before the post.

/**
 * Buffers of one request, in the order of its scatter/gather entries, {@code sg_list} in {@code ibv_post_send(3)}. It
 * is immutable, so that a cold publisher can post its request again.
 */
public final class BufferList {
    private final RegisteredBuffer[] buffers;
    private final boolean targets;

    /**
     * Creates a list.
     *
     * @param buffers each may be idle or in use
     * @param targets whether the device writes into them
     * @param most buffers that one request may have
     * @throws IllegalArgumentException if there are more, or if one is a target twice
     */
    BufferList(List<RegisteredBuffer> buffers, boolean targets, int most) {
        this.buffers = buffers.toArray(RegisteredBuffer[]::new);
        this.targets = targets;
        if (this.buffers.length > most) {
            throw new IllegalArgumentException(this.buffers.length + " buffers, a request of this kind has at most "
                    + most + " on this connection: raise QueuePairCapacity.withMaxSendSge, within the device's max_sge"
                    + (targets ? " and max_sge_rd" : "") + ", or post several requests");
        }
        for (int i = 0; targets && i < this.buffers.length; i++) {
            if (List.of(this.buffers).subList(0, i).contains(this.buffers[i])) {
                throw new IllegalArgumentException("buffer " + i + " is a target of the same read before: the device"
                        + " writes entries in no order, so give each entry a buffer of its own");
            }
        }
    }

    /** Returns the present lengths. */
    int[] limits() {
        int[] limits = new int[buffers.length];
        for (int i = 0; i < limits.length; i++) {
            limits[i] = buffers[i].limit();
        }
        return limits;
    }

    /**
     * Returns the sum of lengths.
     *
     * @throws IllegalArgumentException if no request can have so many bytes
     */
    static int total(int[] lengths) {
        long sum = 0;
        for (int length : lengths) {
            sum += length;
        }
        if (sum > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "buffers of " + sum + " bytes in all (their limits), a request has at most 2 GiB - 1: lower the"
                            + " limits, or post several requests");
        }
        return (int) sum;
    }

    /** Returns all buffers. */
    List<RegisteredBuffer> all() {
        return List.of(buffers);
    }

    /** Returns a buffer. */
    RegisteredBuffer get(int index) {
        return buffers[index];
    }

    /**
     * Borrows all buffers for the device.
     *
     * @throws IllegalStateException if one is closed or in conflicting use; nothing is borrowed then
     */
    void borrow() {
        int borrowed = 0;
        try {
            for (; borrowed < buffers.length; borrowed++) {
                if (targets) {
                    buffers[borrowed].beginWrite();
                } else {
                    buffers[borrowed].beginRead();
                }
            }
        } catch (Throwable e) {
            try {
                giveBack(borrowed);
            } catch (Throwable later) {
                CloseSteps.suppress(e, later);
            }
            throw e;
        }
    }

    /** Ends the borrow of all buffers. If one throws, such as by a refused deregistration, the others end as well. */
    void giveBack() {
        giveBack(buffers.length);
    }

    private void giveBack(int count) {
        CloseSteps failed = null; // the usual case allocates nothing
        for (int i = 0; i < count; i++) {
            try {
                giveBackOne(buffers[i]);
            } catch (Throwable e) {
                failed = failed == null ? new CloseSteps() : failed;
                failed.run(() -> {
                    throw e;
                });
            }
        }
        if (failed != null) {
            failed.report();
        }
    }

    private void giveBackOne(RegisteredBuffer buffer) {
        if (targets) {
            buffer.endWrite();
        } else {
            buffer.endRead();
        }
    }

    /** Checks that all memory still exists, see {@link RegisteredBuffer#requireMemory}. */
    void requireMemory() {
        for (RegisteredBuffer buffer : buffers) {
            buffer.requireMemory();
        }
    }

    /**
     * Copies the bytes of borrowed buffers into one region, which the peer may read.
     *
     * @param lengths of the buffers
     * @param total sum of the lengths
     * @return to be closed
     * @throws IllegalStateException if the arena of a buffer's memory is closed
     */
    MemoryRegion copied(ProtectionDomain domain, int[] lengths, int total) {
        MemoryRegion region = domain.allocate(total, domain.policy().forMessages(EnumSet.of(AccessFlag.REMOTE_READ)));
        try {
            long at = 0;
            for (int i = 0; i < lengths.length; i++) {
                buffers[i].copyTo(region.segment().asSlice(at, lengths[i]));
                at += lengths[i];
            }
            return region;
        } catch (Throwable e) { // such as a mapped file that was cut
            region.close();
            throw e;
        }
    }
}
