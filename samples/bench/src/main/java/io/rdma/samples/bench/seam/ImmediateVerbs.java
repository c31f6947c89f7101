package io.rdma.samples.bench.seam;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.AhAttr;
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
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.samples.support.DeviceOf;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import io.rdma.verbs.RdmaDevice;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariant: the handle of a queue pair or completion queue is its index here. The data path finds the object as fast
// as C follows a pointer.

/**
 * A device whose requests are complete when the post returns. It supports writes and sends of reliable connections
 * within this process. It checks nothing: it serves to measure the library, whose correctness is tested elsewhere.
 */
public class ImmediateVerbs implements Verbs {
    private static final String NAME = "immediate0";
    private static final byte[] GID = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff, 127, 0, 0, 1};
    private static final DeviceEntry ENTRY = new DeviceEntry(NAME, 1, Ibv.NODE_CA, Ibv.TRANSPORT_IB);
    private static final int MANY = 1 << 24;
    private static final String NO_SHARED_RECEIVES = "This device has no shared receive queues";

    private final AtomicInteger handles = new AtomicInteger();
    private final ConcurrentHashMap<Long, ImmediateChannel> channels = new ConcurrentHashMap<>();
    private volatile @Nullable ImmediateQp[] pairs = new @Nullable ImmediateQp[64];
    private volatile @Nullable ImmediateCq[] queues = new @Nullable ImmediateCq[64];

    /**
     * Returns a new device as the layers above see it.
     *
     * @return a device that is not listed in {@code RdmaDevices}, whose list is for users
     */
    public RdmaDevice device() {
        return DeviceOf.only(this);
    }

    private int nextHandle() {
        return handles.incrementAndGet();
    }

    private static <T> T found(@Nullable T object) {
        if (object == null) {
            throw new IllegalStateException("no such object on " + NAME);
        }
        return object;
    }

    private ImmediateQp pair(long handle) {
        return found(pairs[(int) handle]);
    }

    private ImmediateCq queue(long handle) {
        return found(queues[(int) handle]);
    }

    private ImmediateChannel channel(long handle) {
        return found(channels.get(handle));
    }

    @Override
    public List<DeviceEntry> getDeviceList() {
        return List.of(ENTRY);
    }

    @Override
    public long openDevice(String name) {
        return createCompChannel(0); // each context has a channel for its asynchronous events
    }

    @Override
    public void closeDevice(long context) {
        destroyCompChannel(context);
    }

    @Override
    public DeviceAttr queryDevice(long context) {
        return new DeviceAttr(
                "",
                1,
                1,
                Long.MAX_VALUE,
                4096,
                0,
                0,
                0,
                MANY,
                MANY,
                0,
                2,
                2,
                MANY,
                MANY,
                MANY,
                MANY,
                16,
                0,
                16,
                16,
                0,
                Ibv.ATOMIC_NONE,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                1,
                0,
                1);
    }

    @Override
    public PortAttr queryPort(long context, int port) {
        return new PortAttr(
                Ibv.PORT_ACTIVE,
                Ibv.MTU_4096,
                Ibv.MTU_4096,
                1,
                0,
                1 << 30,
                0,
                0,
                1,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                2,
                32,
                5,
                Ibv.LINK_LAYER_ETHERNET,
                0);
    }

    @Override
    public List<GidEntry> queryGidTable(long context) {
        return List.of(new GidEntry(GID.clone(), 0, 1, Ibv.GID_TYPE_ROCE_V2, 0));
    }

    @Override
    public GidEntry queryGidEx(long context, int port, int index) {
        return queryGidTable(context).getFirst();
    }

    @Override
    public int numCompVectors(long context) {
        return 1;
    }

    @Override
    public int queryPkey(long context, int port, int index) {
        return 0xffff;
    }

    @Override
    public long allocPd(long context) {
        return nextHandle();
    }

    @Override
    public void deallocPd(long pd) {}

    @Override
    public Mr regMr(long pd, long address, long length, long iova, int access) {
        int key = nextHandle();
        return new Mr(key, key, key);
    }

    @Override
    public void deregMr(long mr) {}

    @Override
    public long createCompChannel(long context) {
        long handle = nextHandle();
        channels.put(handle, new ImmediateChannel());
        return handle;
    }

    @Override
    public void destroyCompChannel(long channel) {
        channels.remove(channel);
    }

    @Override
    public synchronized Cq createCq(long context, int cqe, long channel, int compVector) {
        int handle = nextHandle();
        if (handle >= queues.length) {
            queues = Arrays.copyOf(queues, 2 * handle);
        }
        queues[handle] = new ImmediateCq(handle, cqe, channels.get(channel));
        return new Cq(handle, cqe);
    }

    @Override
    public synchronized void destroyCq(long cq) {
        queues[(int) cq] = null;
    }

    @Override
    public Srq createSrq(long pd, SrqAttr attr) {
        throw new VerbsException("ibv_create_srq", Errno.EOPNOTSUPP, NO_SHARED_RECEIVES);
    }

    @Override
    public void modifySrq(long srq, SrqAttr attr, int mask) {
        throw new VerbsException("ibv_modify_srq", Errno.EOPNOTSUPP, NO_SHARED_RECEIVES);
    }

    @Override
    public SrqAttr querySrq(long srq) {
        throw new VerbsException("ibv_query_srq", Errno.EOPNOTSUPP, NO_SHARED_RECEIVES);
    }

    @Override
    public void destroySrq(long srq) {}

    @Override
    public int postSrqRecv(long srq, long wr, long badWr) {
        return -Errno.EOPNOTSUPP;
    }

    @Override
    public synchronized Qp createQp(long pd, QpInitAttr attr) {
        int handle = nextHandle();
        if (handle >= pairs.length) {
            pairs = Arrays.copyOf(pairs, 2 * handle);
        }
        pairs[handle] = new ImmediateQp(handle, queue(attr.sendCq()), queue(attr.recvCq()), attr.cap());
        return new Qp(handle, handle, attr.cap());
    }

    @Override
    public void modifyQp(long qp, QpAttr attr, int mask) {
        ImmediateQp pair = pair(qp);
        if ((mask & Ibv.QP_DEST_QPN) != 0) {
            pair.connect(pair(attr.destQpNum()));
        }
        if ((mask & Ibv.QP_STATE) != 0) {
            pair.toState(attr.qpState());
        }
    }

    @Override
    public QpAttr queryQp(long qp, int mask) {
        return inState(pair(qp).state());
    }

    /** Returns attributes of which only the state is set. */
    static QpAttr inState(int state) {
        AhAttr noPath = null;
        return new QpAttr(
                state,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                new QpCap(0, 0, 0, 0, 0),
                noPath,
                0,
                false,
                false,
                0,
                0,
                0,
                1,
                0,
                0,
                0,
                null);
    }

    @Override
    public synchronized void destroyQp(long qp) {
        pairs[(int) qp] = null;
    }

    @Override
    public int postSend(long qp, long wr, long badWr) {
        return pair(qp).postSend(wr);
    }

    @Override
    public int postRecv(long qp, long wr, long badWr) {
        return pair(qp).postReceive(wr, badWr);
    }

    @Override
    public int pollCq(long cq, int numEntries, long wc) {
        return queue(cq).poll(numEntries, wc);
    }

    @Override
    public int reqNotifyCq(long cq, boolean solicitedOnly) {
        queue(cq).arm();
        return 0;
    }

    @Override
    public boolean pollCompChannel(long channel, int timeoutMillis) {
        return channel(channel).await(timeoutMillis);
    }

    @Override
    public void wakeCompChannel(long channel) {
        channel(channel).wake();
    }

    @Override
    public long getCqEvent(long channel) {
        return channel(channel).take();
    }

    @Override
    public void ackCqEvents(long cq, int events) {}

    /** Waits for a wake-up or the time-out. This device has no asynchronous events, so no event ends the wait. */
    @Override
    public boolean pollAsyncEvents(long context, int timeoutMillis) {
        return channel(context).await(timeoutMillis);
    }

    @Override
    public void wakeAsyncEvents(long context) {
        channel(context).wake();
    }

    @Override
    public @Nullable AsyncEventEntry getAsyncEvent(long context) {
        return null;
    }
}
