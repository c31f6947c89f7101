package io.rdma.internal.soft;

import io.rdma.environment.Environment;
import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ffi.MemoryVerbs;
import io.rdma.internal.ffi.MemoryWindowVerbs;
import io.rdma.internal.ffi.OptionalVerbs;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.AsyncEventEntry;
import io.rdma.internal.ibv.CmQpAttr;
import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.DeviceEntry;
import io.rdma.internal.ibv.GidEntry;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.PortAttr;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.internal.soft.cm.CmDevice;
import io.rdma.internal.soft.cm.SoftRdmacm;
import io.rdma.internal.soft.device.Posting;
import io.rdma.internal.soft.device.SoftDevice;
import io.rdma.internal.soft.device.SoftFailure;
import io.rdma.internal.soft.link.CaptureFile;
import io.rdma.internal.soft.link.FaultPlan;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.objects.HandleTable;
import io.rdma.internal.soft.objects.Personality;
import io.rdma.internal.soft.objects.SoftAh;
import io.rdma.internal.soft.objects.SoftCompChannel;
import io.rdma.internal.soft.objects.SoftContext;
import io.rdma.internal.soft.objects.SoftCq;
import io.rdma.internal.soft.objects.SoftDm;
import io.rdma.internal.soft.objects.SoftLimits;
import io.rdma.internal.soft.objects.SoftMr;
import io.rdma.internal.soft.objects.SoftObject;
import io.rdma.internal.soft.objects.SoftPath;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.objects.SoftSrq;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

// Invariants
// - The monitor serialises the control path. Protocol state is accessed on the device thread only, through call().
// - The device runs while at least one context is open.

/** Implementation of {@link Verbs} by the embedded software device {@code soft0}. */
public final class SoftVerbs implements CmDevice {
    private static final long ACK_WAIT_MILLIS = 2000;

    final HandleTable handles = new HandleTable();
    private final SoftXrc xrc = new SoftXrc(this);
    private final ExtendedVerbs extended = new SoftExtended(this);
    private final SoftConfig config;
    private final MemoryWindowVerbs windows = new SoftMemoryWindows(this);
    private final SoftRdmacm rdmacm;
    private final SoftMemory memory = new SoftMemory(this);
    private final OptionalVerbs optional = new SoftOptional(this);
    private final SoftQueuePairs queuePairs = new SoftQueuePairs(this);
    private final SoftSharedReceiveQueues sharedReceiveQueues = new SoftSharedReceiveQueues(this);
    private @Nullable SoftDevice device;
    private int contexts;

    public SoftVerbs(SoftConfig config) {
        this.config = config;
        rdmacm = new SoftRdmacm(this);
    }

    private static final class Shared {
        static final Map<Personality, SoftVerbs> ALL = new ConcurrentHashMap<>();

        static SoftVerbs make(Personality personality) {
            SoftVerbs made = new SoftVerbs(SoftConfig.fromProperties().withPersonality(personality));
            made.rdmacm.agent().sayGoodbyeAtExit();
            return made;
        }
    }

    /**
     * Returns the software device {@code soft0} of this process.
     *
     * @return always the same instance
     */
    public static SoftVerbs shared() {
        return shared(Personality.COMPLETE);
    }

    /**
     * Returns this process's software device of a personality.
     *
     * @return always the same instance
     */
    static SoftVerbs shared(Personality personality) {
        return Shared.ALL.computeIfAbsent(personality, Shared::make);
    }

    @Override
    public String name() {
        return config.name();
    }

    @Override
    public SoftRdmacm rdmacm() {
        return rdmacm;
    }

    @Override
    public Environment environment() {
        return config.environment();
    }

    @Override
    public boolean isSoftware() {
        return true;
    }

    /**
     * Returns the fault plan of this device's links.
     *
     * @return always the same object
     */
    public FaultPlan faults() {
        return config.faults();
    }

    /**
     * Returns the device's counters by name.
     *
     * @return counts since the device was opened; all zero if it is not open
     */
    public synchronized Map<String, Long> counters() {
        SoftDevice now = device;
        return now == null ? new Counters().snapshot() : now.counted();
    }

    /**
     * Returns the number of objects that are open, by their type in C.
     *
     * @return a snapshot in the order of the types' names, without types of which none is open
     */
    public SortedMap<String, Integer> open() {
        SortedMap<String, Integer> counts = new TreeMap<>();
        Stream.concat(handles.all(SoftObject.class).stream(), rdmacm.objects().stream())
                .forEach(object -> counts.merge(object.struct(), 1, Integer::sum));
        return counts;
    }

    /**
     * Returns the address at which the device listens.
     *
     * @return null if the device is not open
     */
    public synchronized @Nullable InetSocketAddress address() {
        SoftDevice now = device;
        return now == null ? null : now.local();
    }

    /**
     * Writes all packets to a file from now on, until the device is closed or this is called again.
     *
     * @param file path of the file, which is replaced; null to stop
     * @throws UncheckedIOException if the file cannot be written
     */
    public synchronized void captureTo(@Nullable Path file) {
        try {
            device().captureTo(file == null ? null : new CaptureFile(file, name(), environment()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Injects a failure of the device, as hardware may have it.
     *
     * @throws VerbsException ENODEV if the device is not open
     */
    public synchronized void fail(SoftFailure failure) {
        device().fail(failure);
    }

    /**
     * Injects the failure of a queue pair.
     *
     * @throws VerbsException ENODEV if the device is not open, EINVAL if it has no such queue pair
     */
    public synchronized void failQueuePair(int number) {
        device().failQueuePair(number);
    }

    @Override
    public boolean onOwnAddress() {
        return config.port() == SoftAddress.ROCE_PORT;
    }

    @Override
    public InetAddress configured() {
        return config.address();
    }

    @Override
    public int activeMtu() {
        return config.activeMtu();
    }

    @Override
    public void onUse(int qpn, Runnable listener) {
        SoftDevice on = device();
        on.call(() -> {
            SoftQp qp = on.find(qpn);
            if (qp != null) {
                qp.manager.setOnUse(listener);
            }
            return 0;
        });
    }

    @Override
    public synchronized void sendManagement(byte[] mad, InetSocketAddress to) {
        SoftDevice now = device;
        if (now != null) {
            now.call(() -> {
                now.management().send(mad, to);
                return 0;
            });
        }
    }

    <T extends SoftObject> T object(String call, long handle, Class<T> kind) {
        T found = handles.find(handle, kind);
        if (found == null) {
            throw new VerbsException(call, Errno.EINVAL, "The handle is not, or no longer, a " + kind.getSimpleName());
        }
        return found;
    }

    SoftDevice device() {
        SoftDevice now = device;
        if (now == null) {
            throw new VerbsException(name(), Errno.ENODEV, "The device is not open");
        }
        return now;
    }

    void release(String call, SoftObject object) {
        if (object.users > 0) {
            throw SoftDevice.busy(call);
        }
        handles.remove(object);
    }

    @Override
    public List<DeviceEntry> getDeviceList() {
        return List.of(config.personality().entry(name()));
    }

    @Override
    public synchronized long openDevice(String name) {
        if (!name().equals(name)) {
            throw new VerbsException(
                    "ibv_open_device(" + name + ")", Errno.ENODEV, "This software device has the name " + name());
        }
        if (device == null) {
            SoftDevice made = new SoftDevice(config, handles, rdmacm.agent());
            try {
                ConfiguredCapture.start(made, name(), this == shared());
            } catch (Throwable e) {
                made.close();
                throw e;
            }
            device = made;
        }
        contexts++;
        SoftContext opened = new SoftContext(device);
        device.add(opened);
        return handles.add(opened);
    }

    @Override
    public synchronized void closeDevice(long context) {
        SoftContext object = object("ibv_close_device", context, SoftContext.class);
        release("ibv_close_device", object);
        device().remove(object);
        if (--contexts == 0) {
            device().close();
            device = null;
        }
    }

    @Override
    public DeviceAttr queryDevice(long context) {
        object("ibv_query_device", context, SoftContext.class);
        return config.personality().attributes();
    }

    @Override
    public synchronized PortAttr queryPort(long context, int port) {
        object("ibv_query_port", context, SoftContext.class);
        checkPort("ibv_query_port", port);
        return port == personality().port()
                ? device().port(config.activeMtu())
                : SoftLimits.port(false, config.activeMtu(), 0, 0);
    }

    private void checkPort(String call, int port) {
        int last = personality().port();
        if (port < 1 || port > last) {
            throw new VerbsException(call, Errno.EINVAL, name() + " has the ports 1 to " + last + ", not " + port);
        }
    }

    @Override
    public synchronized List<GidEntry> queryGidTable(long context) {
        object("ibv_query_gid_table", context, SoftContext.class);
        return IntStream.range(0, device().gids()).mapToObj(this::gid).toList();
    }

    private GidEntry gid(int index) {
        byte[] gid = SoftAddress.gid(device().local(index));
        return new GidEntry(gid, index, personality().port(), personality().gidType(), 0);
    }

    @Override
    public synchronized GidEntry queryGidEx(long context, int port, int index) {
        object("ibv_query_gid_ex", context, SoftContext.class);
        checkPort("ibv_query_gid_ex", port);
        if (index < 0 || index >= device().gids() || port != personality().port()) {
            throw new VerbsException("ibv_query_gid_ex", Errno.EINVAL, "Port " + port + " has no GID " + index);
        }
        return gid(index);
    }

    @Override
    public int numCompVectors(long context) {
        object("ibv_context", context, SoftContext.class);
        return SoftLimits.COMPLETION_VECTORS;
    }

    @Override
    public int queryPkey(long context, int port, int index) {
        object("ibv_query_pkey", context, SoftContext.class);
        checkPort("ibv_query_pkey", port);
        if (index != 0) {
            throw new VerbsException(
                    "ibv_query_pkey",
                    Errno.EINVAL,
                    name() + " has the default partition at index 0 only, none at " + index);
        }
        return 0xffff;
    }

    @Override
    public synchronized long allocPd(long context) {
        SoftContext owner = object("ibv_alloc_pd", context, SoftContext.class);
        owner.users++;
        return handles.add(new SoftPd(owner, null));
    }

    @Override
    public synchronized void deallocPd(long pd) {
        SoftPd object = object("ibv_dealloc_pd", pd, SoftPd.class);
        release("ibv_dealloc_pd", object);
        object.freed();
    }

    @Override
    public synchronized Mr regMr(long pd, long address, long length, long iova, int access) {
        SoftPd owner = object("ibv_reg_mr", pd, SoftPd.class);
        memory.check("ibv_reg_mr", address, length, iova, access);
        return register(owner, null, address, length, iova, access);
    }

    Mr register(SoftPd owner, @Nullable SoftDm dm, long address, long length, long iova, int access) {
        SoftDevice on = device();
        SoftMr mr = on.call(() -> {
            SoftMr made = new SoftMr(
                    owner, dm, address, length, iova, access, on.keys().fresh());
            on.keys().add(made);
            return made;
        });
        owner.users++;
        if (dm != null) {
            dm.users++;
        }
        return new Mr(handles.add(mr), mr.key, mr.key);
    }

    @Override
    public synchronized void deregMr(long mr) {
        SoftMr object = object("ibv_dereg_mr", mr, SoftMr.class);
        SoftDevice on = device();
        // On the device thread: after this call nothing accesses the memory.
        on.call(() -> {
            if (object.windows > 0) {
                throw SoftDevice.busy("ibv_dereg_mr");
            }
            on.keys().remove(object);
            return 0;
        });
        release("ibv_dereg_mr", object);
        object.pd.users--;
        if (object.dm != null) {
            object.dm.users--;
        }
    }

    @Override
    public synchronized long createCompChannel(long context) {
        SoftContext owner = object("ibv_create_comp_channel", context, SoftContext.class);
        owner.users++;
        return handles.add(new SoftCompChannel(owner));
    }

    @Override
    public synchronized void destroyCompChannel(long channel) {
        SoftCompChannel object = object("ibv_destroy_comp_channel", channel, SoftCompChannel.class);
        release("ibv_destroy_comp_channel", object);
        object.context.users--;
    }

    @Override
    public synchronized Cq createCq(long context, int cqe, long channel, int compVector) {
        SoftContext owner = object("ibv_create_cq", context, SoftContext.class);
        SoftCompChannel events = channel == 0 ? null : object("ibv_create_cq", channel, SoftCompChannel.class);
        int most = config.personality().limits().cqe();
        if (cqe < 1 || cqe > most || compVector < 0 || compVector >= SoftLimits.COMPLETION_VECTORS) {
            throw new VerbsException(
                    "ibv_create_cq",
                    Errno.EINVAL,
                    "Entries must be from 1 to " + most + ", and the completion vector from 0 to "
                            + (SoftLimits.COMPLETION_VECTORS - 1));
        }
        owner.users++;
        if (events != null) {
            events.users++;
        }
        return new Cq(handles.add(new SoftCq(owner, cqe, events, device().timing())), cqe);
    }

    @Override
    public void destroyCq(long cq) {
        SoftCq object = object("ibv_destroy_cq", cq, SoftCq.class);
        // Outside the monitor: C blocks until all events are acknowledged; this waits for a bounded time only.
        if (object.users > 0 || !object.awaitAcked(ACK_WAIT_MILLIS)) {
            throw SoftDevice.busy("ibv_destroy_cq");
        }
        synchronized (this) {
            release("ibv_destroy_cq", object);
            object.context.forget(object);
            object.context.users--;
            if (object.channel != null) {
                object.channel.users--;
            }
        }
    }

    @Override
    public Srq createSrq(long pd, SrqAttr attr) {
        return sharedReceiveQueues.create(pd, attr);
    }

    /** Refuses a depth that shared receive queues of the device do not have. */
    void checkSrq(String call, SrqAttr attr) {
        sharedReceiveQueues.check(call, attr);
    }

    @Override
    public void modifySrq(long srq, SrqAttr attr, int mask) {
        sharedReceiveQueues.modify(srq, attr, mask);
    }

    @Override
    public SrqAttr querySrq(long srq) {
        return sharedReceiveQueues.query(srq);
    }

    @Override
    public void destroySrq(long srq) {
        sharedReceiveQueues.destroy(srq);
    }

    @Override
    public Qp createQp(long pd, QpInitAttr attr) {
        return queuePairs.create(pd, attr);
    }

    @Override
    public void modifyQp(long qp, QpAttr attr, int mask) {
        queuePairs.modify(qp, attr, mask);
    }

    @Override
    public void bringUp(int qpn, CmQpAttr toRtr, CmQpAttr toRts, boolean awaitsPeer, Runnable onEnd) {
        queuePairs.bringUp(qpn, toRtr, toRts, awaitsPeer, onEnd);
    }

    @Override
    public QpAttr queryQp(long qp, int mask) {
        return queuePairs.query(qp);
    }

    @Override
    public QpInitAttr queryQpInit(long qp) {
        return queuePairs.queryInit(qp);
    }

    @Override
    public void destroyQp(long qp) {
        queuePairs.destroy(qp);
    }

    /** Refuses a call if the device does not have its subject. */
    void require(String call, boolean has, String what) {
        if (!has) {
            throw unsupported(call, what);
        }
    }

    VerbsException unsupported(String call, String what) {
        return new VerbsException(call, Errno.EOPNOTSUPP, name() + " does not have " + what);
    }

    @Override
    public boolean isIwarp() {
        return config.personality().isIwarp();
    }

    @Override
    public Personality personality() {
        return config.personality();
    }

    @Override
    public synchronized long createAh(long pd, AhAttr attr) {
        SoftPd owner = object("ibv_create_ah", pd, SoftPd.class);
        InetSocketAddress target = SoftPath.target("ibv_create_ah", device(), attr);
        SoftAh made = new SoftAh(owner, target, SoftPath.of(attr, target, device().hasHeaders()));
        owner.users++;
        return handles.add(made);
    }

    @Override
    public synchronized void destroyAh(long ah) {
        SoftAh object = object("ibv_destroy_ah", ah, SoftAh.class);
        release("ibv_destroy_ah", object);
        object.pd.users--;
    }

    @Override
    public void attachMcast(long qp, byte[] gid, int lid) {
        SoftQp object = object("ibv_attach_mcast", qp, SoftQp.class);
        object.device.call(() -> {
            device().datagrams().attach(object, gid);
            return 0;
        });
    }

    @Override
    public void detachMcast(long qp, byte[] gid, int lid) {
        SoftQp object = object("ibv_detach_mcast", qp, SoftQp.class);
        object.device.call(() -> {
            device().datagrams().detach(object, gid);
            return 0;
        });
    }

    @Override
    public int postSend(long qp, long wr, long badWr) {
        SoftQp object = handles.find(qp, SoftQp.class);
        return object == null ? -Errno.EINVAL : Posting.send(object, wr, badWr);
    }

    @Override
    public int postRecv(long qp, long wr, long badWr) {
        SoftQp object = handles.find(qp, SoftQp.class);
        return object == null ? -Errno.EINVAL : Posting.receive(object, wr, badWr);
    }

    @Override
    public int postSrqRecv(long srq, long wr, long badWr) {
        SoftSrq object = handles.find(srq, SoftSrq.class);
        return object == null ? -Errno.EINVAL : Posting.receive(object, wr, badWr);
    }

    @Override
    public int pollCq(long cq, int numEntries, long wc) {
        SoftCq object = handles.find(cq, SoftCq.class);
        return object == null ? -Errno.EINVAL : object.poll(numEntries, wc, 0);
    }

    @Override
    public int reqNotifyCq(long cq, boolean solicitedOnly) {
        SoftCq object = handles.find(cq, SoftCq.class);
        if (object == null) {
            return -Errno.EINVAL;
        }
        object.arm(solicitedOnly);
        return 0;
    }

    @Override
    public boolean pollCompChannel(long channel, int timeoutMillis) {
        SoftCompChannel object = object("poll", channel, SoftCompChannel.class);
        if (timeoutMillis != 0) {
            object.context.device.left();
        }
        return object.events.await(timeoutMillis);
    }

    @Override
    public void wakeCompChannel(long channel) {
        object("eventfd", channel, SoftCompChannel.class).events.wake();
    }

    @Override
    public long getCqEvent(long channel) {
        SoftCompChannel object = object("ibv_get_cq_event", channel, SoftCompChannel.class);
        if (!object.events.await(0)) {
            object.context.device.left();
        }
        return object.events.take().handle;
    }

    @Override
    public void ackCqEvents(long cq, int events) {
        object("ibv_ack_cq_events", cq, SoftCq.class).ack(events);
    }

    @Override
    public boolean pollAsyncEvents(long context, int timeoutMillis) {
        return object("poll", context, SoftContext.class).events().await(timeoutMillis);
    }

    @Override
    public void wakeAsyncEvents(long context) {
        object("eventfd", context, SoftContext.class).events().wake();
    }

    @Override
    public @Nullable AsyncEventEntry getAsyncEvent(long context) {
        return object("ibv_get_async_event", context, SoftContext.class)
                .events()
                .poll();
    }

    @Override
    public MemoryWindowVerbs windows() {
        return windows;
    }

    @Override
    public SoftXrc xrc() {
        return xrc;
    }

    @Override
    public ExtendedVerbs extended() {
        return extended;
    }

    @Override
    public MemoryVerbs memory() {
        return memory;
    }

    @Override
    public OptionalVerbs optional() {
        return optional;
    }
}
