package io.rdma.internal.soft;

import static io.rdma.internal.ffi.Ibv.*;

import io.rdma.internal.ffi.NativeMemory;
import io.rdma.internal.ffi.Wc;
import io.rdma.verbs.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue: a ring of {@link Wc} in native memory. Everything is guarded by the monitor; the device thread adds, any
 * thread polls. Polling an entry is what frees the slots of its queue. After an overrun the queue is dead.
 */
final class SoftCq extends SoftObject {
    private static final int UNDEFINED = 0xdeadbeef;

    final SoftContext context;
    final @Nullable SoftCompChannel channel;
    private int cqe;
    private MemorySegment memory; // keeps the automatic arena alive
    private long ring;
    private @Nullable SoftQp[] owners;
    private @Nullable SoftSrq[] sources; // of a receive from a shared queue
    private boolean[] receives;
    private long[] retires;
    private SoftTimestamps timestamps = SoftTimestamps.NONE;
    private long head;
    private long tail;
    private boolean overrun;
    /** Whether a poll finds anything, so that a thread which spins on an empty queue keeps nobody from adding to it. */
    private volatile boolean polls;

    private boolean overrunTold; // device thread
    private boolean armed;
    private boolean armedSolicited;
    private long eventsSent;
    private long eventsAcked;

    SoftCq(SoftContext context, int cqe, @Nullable SoftCompChannel channel) {
        this.context = context;
        this.cqe = cqe;
        this.channel = channel;
        memory = Arena.ofAuto().allocate((long) cqe * Wc.SIZE, 8);
        ring = memory.address();
        owners = new @Nullable SoftQp[cqe];
        sources = new @Nullable SoftSrq[cqe];
        receives = new boolean[cqe];
        retires = new long[cqe];
    }

    /** Adds a completion, whose flags say what {@code imm} is; after it is polled the slots before {@code retire} of the queue are free. @return false on overrun */
    synchronized boolean add(
            SoftQp qp,
            boolean receive,
            long retire,
            long wrId,
            int status,
            int opcode,
            long bytes,
            WorkRequest request,
            boolean solicited) {
        if (overrun || tail - head == cqe) {
            overrun = true;
            polls = true;
            return false;
        }
        int slot = (int) (tail % cqe);
        long wc = ring + (long) slot * Wc.SIZE;
        boolean ok = status == WC_SUCCESS;
        Wc.wrId(wc, wrId);
        Wc.status(wc, status);
        Wc.qpNum(wc, qp.qpn);
        Wc.vendorErr(wc, status);
        // A failed completion defines nothing else: garbage shows who reads it anyway.
        Wc.opcode(wc, ok ? opcode : UNDEFINED);
        Wc.byteLen(wc, ok ? (int) bytes : UNDEFINED);
        int flags = receive ? request.arrivedWith : 0;
        if (ok && (flags & WC_WITH_INV) != 0) {
            Wc.invalidatedRkey(wc, request.imm);
        } else {
            Wc.immData(wc, ok && (flags & WC_WITH_IMM) != 0 ? request.imm : UNDEFINED);
        }
        Wc.wcFlags(wc, ok ? flags : UNDEFINED);
        boolean datagram = ok && receive && qp.transport == Opcode.UD;
        Wc.srcQp(wc, datagram ? request.srcQpn : UNDEFINED);
        Wc.pkeyIndex(wc, datagram ? 0 : UNDEFINED);
        Wc.slid(wc, datagram ? 0 : UNDEFINED);
        Wc.sl(wc, datagram ? 0 : UNDEFINED);
        Wc.dlidPathBits(wc, datagram ? 0 : UNDEFINED);
        owners[slot] = qp;
        sources[slot] = receive ? qp.srq : null;
        receives[slot] = receive;
        retires[slot] = retire;
        timestamps.take(slot);
        tail++;
        polls = true;
        if (armed && channel != null && (!armedSolicited || solicited || !ok)) {
            armed = false;
            eventsSent++;
            channel.events.add(this);
        }
        return true;
    }

    /** Tells of the overrun, once. Device thread. */
    void tellOverrun() {
        if (!overrunTold) {
            overrunTold = true;
            context.tell(EVENT_CQ_ERR, this, 0);
        }
    }

    /** Gives every completion a time. Before anybody has the queue. */
    synchronized void withTimestamps(boolean wallClock) {
        timestamps = new SoftTimestamps(cqe, wallClock);
    }

    /** Takes completions, and their times where they have some and {@code times} is not 0. */
    int poll(int max, long wc, long times) {
        return polls || max < 0 ? take(max, wc, times) : 0;
    }

    private synchronized int take(int max, long wc, long times) {
        if (overrun && head == tail) {
            return -Errno.EIO;
        }
        if (max < 0) {
            return -Errno.EINVAL;
        }
        int n = (int) Math.min(max, tail - head);
        for (int i = 0; i < n; i++, head++) {
            int slot = (int) (head % cqe);
            NativeMemory.copy(ring + (long) slot * Wc.SIZE, wc + (long) i * Wc.SIZE, Wc.SIZE);
            if (times != 0) {
                timestamps.copy(slot, times + (long) i * Long.BYTES);
            }
            SoftQp qp = owners[slot];
            owners[slot] = null;
            if (qp != null) {
                qp.retire(receives[slot], retires[slot], sources[slot]);
            }
        }
        polls = head != tail || overrun;
        return n;
    }

    /** Makes room for so many entries. @return false if more are in it */
    synchronized boolean resize(int entries) {
        if (tail - head > entries) {
            return false;
        }
        MemorySegment newMemory = Arena.ofAuto().allocate((long) entries * Wc.SIZE, 8);
        @Nullable SoftQp[] newOwners = new @Nullable SoftQp[entries];
        @Nullable SoftSrq[] newSources = new @Nullable SoftSrq[entries];
        boolean[] newReceives = new boolean[entries];
        long[] newRetires = new long[entries];
        SoftTimestamps newTimestamps = timestamps.resized(entries);
        for (long i = head; i < tail; i++) {
            int from = (int) (i % cqe);
            int to = (int) (i % entries);
            NativeMemory.copy(ring + (long) from * Wc.SIZE, newMemory.address() + (long) to * Wc.SIZE, Wc.SIZE);
            newOwners[to] = owners[from];
            newSources[to] = sources[from];
            newReceives[to] = receives[from];
            newRetires[to] = retires[from];
            timestamps.copy(from, newTimestamps, to);
        }
        memory = newMemory;
        ring = newMemory.address();
        owners = newOwners;
        sources = newSources;
        receives = newReceives;
        retires = newRetires;
        timestamps = newTimestamps;
        cqe = entries;
        return true;
    }

    /** Removes what a destroyed or reset queue pair left. */
    synchronized void purge(SoftQp qp) {
        long to = head;
        for (long from = head; from < tail; from++) {
            int f = (int) (from % cqe);
            if (owners[f] == qp) {
                qp.dropped(sources[f]);
                continue;
            }
            int t = (int) (to++ % cqe);
            if (t != f) {
                NativeMemory.copy(ring + (long) f * Wc.SIZE, ring + (long) t * Wc.SIZE, Wc.SIZE);
                owners[t] = owners[f];
                sources[t] = sources[f];
                receives[t] = receives[f];
                retires[t] = retires[f];
                timestamps.move(f, t);
            }
        }
        for (long i = to; i < tail; i++) {
            owners[(int) (i % cqe)] = null;
        }
        tail = to;
    }

    /** One-shot; what is queued already does not trigger. Not-only-solicited wins over solicited until the event. */
    synchronized void arm(boolean solicitedOnly) {
        armedSolicited = solicitedOnly && (!armed || armedSolicited);
        armed = true;
    }

    synchronized void ack(int events) {
        eventsAcked += events;
        notifyAll();
    }

    /** Waits, bounded, until the events that were taken are acknowledged. @return whether they are */
    synchronized boolean awaitAcked(long millis) {
        if (channel != null) {
            armed = false;
            eventsSent -= channel.events.forget(cq -> cq == this);
        }
        long end = System.nanoTime() + millis * 1_000_000;
        while (eventsAcked < eventsSent) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
