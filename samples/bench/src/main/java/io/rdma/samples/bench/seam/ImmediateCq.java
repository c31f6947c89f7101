package io.rdma.samples.bench.seam;

import io.rdma.internal.ibv.Wc;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

// Invariants
// - Any thread pushes, under the lock. One thread polls, without the lock.
// - The ring has room for twice the requested entries, so it cannot overrun if the admission counts completions.
// - Arming and pushing exclude each other: either the push sees the arming, or the poll after the arming sees the push.

/** A completion queue: a ring of entries of four words, which a poll converts to {@code ibv_wc}. */
final class ImmediateCq {
    private static final int WORDS = 4;

    private final long handle;
    private final @Nullable ImmediateChannel channel;
    private final long[] ring;
    private final int mask;
    private final SpinLock lock = new SpinLock();
    private final AtomicLong tail = new AtomicLong();
    private final AtomicLong head = new AtomicLong();
    private boolean armed; // (lock)

    ImmediateCq(long handle, int entries, @Nullable ImmediateChannel channel) {
        this.handle = handle;
        this.channel = channel;
        int size = Integer.highestOneBit(Math.max(1, entries)) << 1;
        this.ring = new long[size * WORDS];
        this.mask = size - 1;
    }

    void push(long wrId, int status, int opcode, int byteLength, int qpNumber, int flags, int immediate) {
        lock.lock();
        long at = tail.getPlain();
        if (at - head.getAcquire() > mask) {
            lock.unlock();
            throw new IllegalStateException("the completion queue has overrun");
        }
        int base = ((int) at & mask) * WORDS;
        ring[base] = wrId;
        ring[base + 1] = (long) status << 32 | opcode;
        ring[base + 2] = (long) byteLength << 32 | qpNumber;
        ring[base + 3] = (long) flags << 32 | immediate & 0xffffffffL;
        tail.setRelease(at + 1);
        boolean wake = armed;
        armed = false;
        lock.unlock();
        if (wake && channel != null) {
            channel.add(handle);
        }
    }

    int poll(int most, long wc) {
        long at = head.getPlain();
        int count = (int) Math.min(most, tail.getAcquire() - at);
        for (int i = 0; i < count; i++) {
            int base = ((int) (at + i) & mask) * WORDS;
            long to = wc + (long) i * Wc.SIZE;
            Wc.wrId(to, ring[base]);
            Wc.status(to, (int) (ring[base + 1] >>> 32));
            Wc.opcode(to, (int) ring[base + 1]);
            Wc.vendorErr(to, 0);
            Wc.byteLen(to, (int) (ring[base + 2] >>> 32));
            Wc.qpNum(to, (int) ring[base + 2]);
            Wc.wcFlags(to, (int) (ring[base + 3] >>> 32));
            Wc.immData(to, (int) ring[base + 3]);
        }
        if (count > 0) {
            head.setRelease(at + count);
        }
        return count;
    }

    void arm() {
        lock.lock();
        armed = true;
        lock.unlock();
    }
}
