package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.AsyncEventEntry;
import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.DeviceEntry;
import io.rdma.internal.ibv.GidEntry;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.PortAttr;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.RecvWr;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.internal.ibv.Wc;
import io.rdma.types.QueuePairState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

// The device is small enough for a model checker: no thread, one lock, one completion queue with its channel, one queue
// pair. A request completes inside its post; the thread that polls runs concurrently all the same.

/** Smallest device that the engine runs on. Work requests complete as soon as they are posted, and no data moves. */
public final class ModelVerbs implements Verbs {
    private static final int QP_NUMBER = 7;

    private record Completion(long wrId, int status) {}

    private final ArrayDeque<Completion> completions = new ArrayDeque<>();
    private final List<Long> receives = new ArrayList<>();
    private boolean broken;
    private boolean destroyed;
    private boolean armed;
    private int events;
    private int unacknowledged;
    private boolean woken;
    private int registered;
    private int deregistered;

    /** Returns the device, open. */
    public DeviceContext context() {
        return new DeviceContext(this, 1, "model0", Ibv.TRANSPORT_IB);
    }

    /** Adds a completion that the device makes by itself. */
    public synchronized void complete(long wrId) {
        add(wrId, 0);
    }

    /** Returns the number of regions that were registered and not deregistered. */
    public synchronized int regions() {
        return registered - deregistered;
    }

    /** Returns how often a region was deregistered. */
    public synchronized int deregistered() {
        return deregistered;
    }

    /** Returns a region of this device that owns no memory. */
    public MemoryRegion region() {
        return new MemoryRegion(this, regMr(1, 0, 8, 0, 0), MemorySegment.ofArray(new byte[8]), null);
    }

    private void add(long wrId, int status) {
        completions.add(new Completion(wrId, status));
        if (armed) {
            armed = false;
            events++;
            unacknowledged++;
            notifyAll();
        }
    }

    private void checkAlive() {
        if (destroyed) {
            throw new AssertionError("a post to a queue pair that is destroyed");
        }
    }

    @Override
    public synchronized int postSend(long qp, long first, long badWr) {
        checkAlive();
        for (long wr = first; wr != 0; wr = SendWr.next(wr)) {
            if (broken) {
                add(SendWr.wrId(wr), Ibv.WC_WR_FLUSH_ERR);
            } else if ((SendWr.sendFlags(wr) & Ibv.SEND_SIGNALED) != 0) {
                add(SendWr.wrId(wr), 0);
            }
        }
        return 0;
    }

    @Override
    public synchronized int postRecv(long qp, long first, long badWr) {
        checkAlive();
        for (long wr = first; wr != 0; wr = RecvWr.next(wr)) {
            if (broken) {
                add(RecvWr.wrId(wr), Ibv.WC_WR_FLUSH_ERR);
            } else {
                receives.add(RecvWr.wrId(wr));
            }
        }
        return 0;
    }

    @Override
    public synchronized void modifyQp(long qp, QpAttr attr, int mask) {
        if ((mask & Ibv.QP_STATE) != 0 && attr.qpState() == Ibv.QPS_ERR && !broken) {
            broken = true;
            receives.forEach(wrId -> add(wrId, Ibv.WC_WR_FLUSH_ERR));
            receives.clear();
        }
    }

    @Override
    public synchronized void destroyQp(long qp) {
        destroyed = true;
    }

    @Override
    public synchronized int pollCq(long cq, int numEntries, long wc) {
        int polled = 0;
        while (polled < numEntries && !completions.isEmpty()) {
            Completion completion = completions.remove();
            long entry = wc + (long) polled++ * Wc.SIZE;
            Wc.wrId(entry, completion.wrId());
            Wc.status(entry, completion.status());
            Wc.qpNum(entry, QP_NUMBER);
        }
        return polled;
    }

    @Override
    public synchronized int reqNotifyCq(long cq, boolean solicitedOnly) {
        armed = true;
        return 0;
    }

    @Override
    public synchronized boolean pollCompChannel(long channel, int timeoutMillis) {
        while (timeoutMillis < 0 && events == 0 && !woken) {
            try {
                wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        woken = false;
        return events > 0;
    }

    @Override
    public synchronized void wakeCompChannel(long channel) {
        woken = true;
        notifyAll();
    }

    @Override
    public synchronized long getCqEvent(long channel) {
        if (events == 0) {
            throw new IllegalStateException("would block");
        }
        events--;
        return 1;
    }

    @Override
    public synchronized void ackCqEvents(long cq, int count) {
        unacknowledged -= count;
    }

    @Override
    public synchronized void destroyCq(long cq) {
        if (unacknowledged != 0) {
            throw new IllegalStateException("ibv_destroy_cq would block: " + unacknowledged + " events");
        }
    }

    @Override
    public synchronized Mr regMr(long pd, long address, long length, long iova, int access) {
        registered++;
        return new Mr(registered, registered, registered);
    }

    @Override
    public synchronized void deregMr(long mr) {
        deregistered++;
    }

    @Override
    public Cq createCq(long context, int cqe, long channel, int compVector) {
        return new Cq(1, cqe);
    }

    @Override
    public Qp createQp(long pd, QpInitAttr attr) {
        return new Qp(1, QP_NUMBER, attr.cap());
    }

    @Override
    public long allocPd(long context) {
        return 1;
    }

    @Override
    public long createCompChannel(long context) {
        return 1;
    }

    @Override
    public void deallocPd(long pd) {}

    @Override
    public void destroyCompChannel(long channel) {}

    @Override
    public void closeDevice(long context) {}

    @Override
    public List<DeviceEntry> getDeviceList() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long openDevice(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public DeviceAttr queryDevice(long context) {
        throw new UnsupportedOperationException();
    }

    @Override
    public PortAttr queryPort(long context, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<GidEntry> queryGidTable(long context) {
        throw new UnsupportedOperationException();
    }

    @Override
    public GidEntry queryGidEx(long context, int port, int index) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int numCompVectors(long context) {
        return 1;
    }

    @Override
    public int queryPkey(long context, int port, int index) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized QpAttr queryQp(long qp, int mask) {
        return QueuePairAttributes.toState(broken ? QueuePairState.ERR : QueuePairState.RTS)
                .values();
    }

    @Override
    public Srq createSrq(long pd, SrqAttr attr) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void modifySrq(long srq, SrqAttr attr, int mask) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SrqAttr querySrq(long srq) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void destroySrq(long srq) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int postSrqRecv(long srq, long wr, long badWr) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean pollAsyncEvents(long context, int timeoutMillis) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void wakeAsyncEvents(long context) {
        throw new UnsupportedOperationException();
    }

    @Override
    public AsyncEventEntry getAsyncEvent(long context) {
        throw new UnsupportedOperationException();
    }
}
