package io.rdma.internal.soft.objects;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.environment.Environment;
import io.rdma.internal.ibv.Wc;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.types.Errno;
import org.jspecify.annotations.Nullable;

// Invariants
// - Everything is guarded by the monitor. The thread that holds the device's turn adds; any thread polls.
// - head <= seen <= tail. Entries from `seen` on are in the queue and count for an overrun, but are withheld from polls
// for a while. Without strict timing no entry is withheld.
// - A moderated event is later (EventQueue.addLater) from its first completion on. Its queue is not armed any more.
// - Only the poll of an entry frees the slots of its work queue. After an overrun the queue is dead.

/** A completion queue. */
public final class SoftCq extends SoftObject {
    private static final int UNDEFINED = 0xdeadbeef;

    public final SoftContext context;
    public final @Nullable SoftCompChannel channel;
    private final @Nullable StrictTiming timing;
    private CompletionRing ring;
    private long head;
    private long seen;
    private long tail;
    private boolean overrun;
    /** Whether a poll finds anything. A thread that spins on an empty queue reads only this and takes no monitor. */
    private volatile boolean polls;

    private boolean overrunTold; // device thread
    private boolean armed;
    private boolean armedSolicited;
    private int perEvent = 1; // completions per event
    private long eventPeriod; // longest delay of an event, in nanoseconds
    private int moderated; // completions since the first one of an event that is, or was, later; 0: no such event
    private long eventsSent;
    private long eventsAcked;

    public SoftCq(SoftContext context, int cqe, @Nullable SoftCompChannel channel, @Nullable StrictTiming timing) {
        this.context = context;
        this.channel = channel;
        this.timing = timing;
        ring = new CompletionRing(cqe, SoftTimestamps.NONE);
    }

    @Override
    public String struct() {
        return "ibv_cq";
    }

    /**
     * Adds a completion. The request's flags define the meaning of its {@code imm}. The poll of the completion frees
     * the slots of the work queue before {@code retire}.
     *
     * @return false on overrun
     */
    synchronized boolean add(
            SoftQp qp,
            boolean receive,
            long retire,
            long wrId,
            int status,
            int opcode,
            long bytes,
            QueuedRequest request,
            boolean solicited) {
        if (overrun || tail - head == ring.entries) {
            fail();
            return false;
        }
        long wc = ring.wc(tail);
        boolean ok = status == WC_SUCCESS;
        Wc.wrId(wc, wrId);
        Wc.status(wc, status);
        Wc.qpNum(wc, qp.qpn);
        Wc.vendorErr(wc, status);
        // A failed completion defines no other field: garbage exposes programs that read one anyway.
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
        ring.put(tail, qp, receive, retire, solicited || !ok);
        tail++;
        if (timing != null && timing.withholds(this, seen != tail - 1)) {
            overtake(timing, qp);
        } else {
            show();
        }
        return true;
    }

    /** Lets the last completion overtake withheld ones of other queue pairs. Those of one queue pair stay in order. */
    private void overtake(StrictTiming by, SoftQp qp) {
        for (long i = tail - 1; i > seen && ring.owner(i - 1) != qp && by.overtakes(); i--) {
            ring.swap(i - 1, i);
        }
    }

    /** Makes withheld completions visible to polls, and raises their events. */
    synchronized void show() {
        for (; seen < tail; seen++) {
            if (armed && channel != null && (!armedSolicited || ring.wakes(seen))) {
                armed = false;
                eventsSent++;
                raise(channel.events);
            } else if (moderated > 0 && channel != null) {
                moderated++;
                expedite(channel.events);
            }
        }
        polls = head != tail || overrun;
    }

    private void raise(EventQueue<SoftCq> events) {
        if (perEvent <= 1) {
            events.add(this);
        } else {
            moderated = 1;
            events.addLater(this, eventPeriod);
        }
    }

    /** Raises a moderated event if it has enough completions. */
    private void expedite(EventQueue<SoftCq> events) {
        if (moderated >= Math.min(perEvent, ring.entries)) { // a full queue gets no more
            moderated = 0;
            events.expedite(this);
        }
    }

    /** Raises a moderated event now, if there is one: perhaps too early, which its taker has to expect anyway. */
    private void raiseModerated() {
        if (moderated > 0 && channel != null) {
            moderated = 0;
            channel.events.expedite(this);
        }
    }

    /**
     * Moderates the events: an event is raised when it has a number of completions, or a time after the first of them.
     *
     * @param count number of completions; none or one of them is no moderation
     * @param nanos longest delay of an event; 0 for no limit
     */
    public synchronized void moderate(int count, long nanos) {
        perEvent = Math.max(1, count);
        eventPeriod = nanos == 0 ? Long.MAX_VALUE / 2 : nanos;
        raiseModerated();
    }

    /** Fails the queue as an overrun does: its entries can be polled, but none can be added. Device thread. */
    public synchronized void fail() {
        overrun = true;
        seen = tail;
        polls = true;
        raiseModerated();
    }

    /** Reports the overrun, once. Device thread. */
    public void tellOverrun() {
        if (!overrunTold) {
            overrunTold = true;
            context.tell(EVENT_CQ_ERR, this, 0);
        }
    }

    /** Gives every completion a timestamp. Called before the queue is published. */
    public synchronized void withTimestamps(boolean wallClock) {
        Environment environment = context.device.environment();
        ring = ring.withTimestamps(wallClock ? environment::epochNanos : environment::nanoTime);
    }

    /** Polls completions, and their timestamps if they have some and {@code times} is not 0. */
    public int poll(int max, long wc, long times) {
        if (!polls) {
            context.device.polled(); // may add the completions that are taken below
        }
        return polls || max < 0 ? take(max, wc, times) : 0;
    }

    private synchronized int take(int max, long wc, long times) {
        if (overrun && head == seen) {
            return -Errno.EIO;
        }
        if (max < 0) {
            return -Errno.EINVAL;
        }
        int n = (int) Math.min(max, seen - head);
        for (int i = 0; i < n; i++, head++) {
            ring.poll(head, wc + (long) i * Wc.SIZE, times == 0 ? 0 : times + (long) i * Long.BYTES);
        }
        polls = head != seen || overrun;
        return n;
    }

    /**
     * Resizes the queue to a number of entries.
     *
     * @return false if the queue holds more than that
     */
    public synchronized boolean resize(int entries) {
        if (tail - head > entries) {
            return false;
        }
        CompletionRing to = ring.resized(entries);
        for (long i = head; i < tail; i++) {
            ring.copy(i, to);
        }
        ring = to;
        raiseModerated();
        return true;
    }

    /** Removes the completions of a destroyed or reset queue pair. */
    public synchronized void purge(SoftQp qp) {
        long to = head;
        long toSee = seen;
        for (long from = head; from < tail; from++) {
            if (ring.owner(from) == qp) {
                qp.dropped(ring.source(from));
                toSee -= from < seen ? 1 : 0;
            } else {
                ring.move(from, to++);
            }
        }
        for (long i = to; i < tail; i++) {
            ring.forget(i);
        }
        seen = toSee;
        tail = to;
    }

    /** Arms one event for a later completion. Until then, arming for any completion prevails over solicited only. */
    public synchronized void arm(boolean solicitedOnly) {
        if (moderated > 0) {
            if (channel != null && channel.events.isLater(this)) {
                return; // the event that is due is the one
            }
            moderated = 0;
        }
        armedSolicited = solicitedOnly && (!armed || armedSolicited);
        armed = true;
    }

    public synchronized void ack(int events) {
        eventsAcked += events;
        notifyAll();
    }

    /**
     * Waits for a bounded time until all events that were taken are acknowledged.
     *
     * @return whether they are acknowledged
     */
    public synchronized boolean awaitAcked(long millis) {
        if (channel != null) {
            armed = false;
            moderated = 0;
            eventsSent -= channel.events.forget(cq -> cq == this);
        }
        Environment environment = context.device.environment();
        long end = environment.nanoTime() + millis * 1_000_000;
        while (eventsAcked < eventsSent) {
            long left = (end - environment.nanoTime()) / 1_000_000;
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
