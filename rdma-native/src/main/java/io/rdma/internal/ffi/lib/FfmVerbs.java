package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ffi.lib.Outcome.minusOne;
import static io.rdma.internal.ffi.lib.Outcome.pointer;
import static io.rdma.internal.ffi.lib.Outcome.zero;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ffi.MemoryVerbs;
import io.rdma.internal.ffi.MemoryWindowVerbs;
import io.rdma.internal.ffi.OptionalVerbs;
import io.rdma.internal.ffi.Rdmacm;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ffi.XrcVerbs;
import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.AsyncEventEntry;
import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.DeviceEntry;
import io.rdma.internal.ibv.GidEntry;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.PortAttr;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.internal.os.CallState;
import io.rdma.internal.os.WakeableDescriptor;
import io.rdma.types.Errno;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** {@link Verbs} over the real libibverbs. Handles are C's pointers. */
public final class FfmVerbs implements Verbs {
    private static final int DEVICE_NODE_TYPE = 16;
    private static final int DEVICE_TRANSPORT_TYPE = 20;
    private static final int DEVICE_NAME = 24;
    private static final int DEVICE_NAME_BYTES = 64;
    private static final int CHANNEL_FD = 8;
    private static final int GID_ENTRY_BYTES = 32;

    private final Map<Long, WakeableDescriptor> channels = new ConcurrentHashMap<>();
    private final XrcVerbs xrc = new FfmXrc();
    private final ExtendedVerbs extended = new FfmExtended();
    private final Map<Long, FfmAsyncEvents> contexts = new ConcurrentHashMap<>();

    private final MemoryWindowVerbs windows = new FfmMemoryWindows();
    private final MemoryVerbs memory = new FfmMemory();
    private final OptionalVerbs optional = new FfmOptional();

    private FfmVerbs() {}

    /** The library, loaded once, or the reason why it could not be loaded. */
    private static final class Holder {
        static final Optional<FfmVerbs> VERBS;
        static final Optional<String> REASON;

        static {
            Optional<FfmVerbs> verbs = Optional.empty();
            Optional<String> reason = Optional.empty();
            try {
                LibIbverbs.load();
                if (Boolean.getBoolean(FfmFork.PROPERTY)) {
                    FfmFork.init();
                }
                verbs = Optional.of(new FfmVerbs());
            } catch (RdmaException | UnsupportedOperationException e) {
                reason = Optional.ofNullable(e.getMessage());
            }
            VERBS = verbs;
            REASON = reason;
        }
    }

    /**
     * Returns the real verbs.
     *
     * @return empty if libibverbs is missing
     */
    public static Optional<FfmVerbs> ifAvailable() {
        return Holder.VERBS;
    }

    /**
     * Returns the reason why there are no real verbs, with the remedy.
     *
     * @return empty if there are
     */
    public static Optional<String> unavailableReason() {
        return Holder.REASON;
    }

    @Override
    public List<DeviceEntry> getDeviceList() {
        List<DeviceEntry> entries = new ArrayList<>();
        eachDevice(device -> {
            entries.add(new DeviceEntry(
                    name(device),
                    Long.reverseBytes(IbverbsCalls.getDeviceGuid(device)),
                    NativeMemory.getInt(device + DEVICE_NODE_TYPE),
                    transportType(device)));
            return 0;
        });
        return List.copyOf(entries);
    }

    /**
     * Calls a visitor for each device until it returns a value other than 0.
     *
     * @return that value, or 0
     */
    private static long eachDevice(LongUnaryOperator visitor) {
        long list = IbverbsCalls.getDeviceList(0);
        if (list == 0) {
            int errno = CallState.errno();
            if (errno == Errno.ENOSYS || errno == 0) {
                return 0; // the kernel has no RDMA: no devices
            }
            throw Remedy.failed("ibv_get_device_list", errno);
        }
        try {
            long device;
            for (long at = list; (device = NativeMemory.getLong(at)) != 0; at += Long.BYTES) {
                long result = visitor.applyAsLong(device);
                if (result != 0) {
                    return result;
                }
            }
            return 0;
        } finally {
            IbverbsCalls.freeDeviceList(list);
        }
    }

    static int transportType(long device) {
        return NativeMemory.getInt(device + DEVICE_TRANSPORT_TYPE);
    }

    static String name(long device) {
        byte[] bytes = new byte[DEVICE_NAME_BYTES];
        int length = 0;
        byte b;
        while (length < DEVICE_NAME_BYTES && (b = NativeMemory.getByte(device + DEVICE_NAME + length)) != 0) {
            bytes[length++] = b;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    @Override
    public long openDevice(String name) {
        long context = eachDevice(device -> {
            if (!name(device).equals(name)) {
                return 0;
            }
            long opened = IbverbsCalls.openDevice(device);
            if (opened == 0) {
                throw Remedy.failed("ibv_open_device(" + name + ")", CallState.errno());
            }
            return opened;
        });
        if (context == 0) {
            throw new VerbsException(
                    "ibv_open_device(" + name + ")",
                    Errno.ENODEV,
                    "libibverbs has these devices: "
                            + getDeviceList().stream().map(DeviceEntry::name).toList());
        }
        try {
            contexts.put(context, new FfmAsyncEvents(context));
            return context;
        } catch (Throwable e) {
            IbverbsCalls.closeDevice(context);
            throw e;
        }
    }

    private FfmAsyncEvents events(long context) {
        FfmAsyncEvents known = contexts.get(context);
        if (known == null) {
            throw new VerbsException("ibv_context", Errno.EINVAL, "The device is closed");
        }
        return known;
    }

    @Override
    public void closeDevice(long context) {
        FfmAsyncEvents known = events(context);
        minusOne("ibv_close_device", IbverbsCalls.closeDevice(context));
        contexts.remove(context, known);
        known.close();
    }

    @Override
    public DeviceAttr queryDevice(long context) {
        try (Arena arena = Arena.ofConfined()) {
            long attr = arena.allocate(DeviceAttrLayout.SIZE, 8).address();
            zero("ibv_query_device", IbverbsCalls.queryDevice(context, attr));
            return DeviceAttrLayout.read(attr);
        }
    }

    @Override
    public PortAttr queryPort(long context, int port) {
        try (Arena arena = Arena.ofConfined()) {
            // The exported function fills fewer fields than the provider's. The arena's zeros remain in the others.
            long attr = arena.allocate(PortAttrLayout.SIZE, 8).address();
            zero("ibv_query_port", ProviderCalls.queryPort(context, port, attr, PortAttrLayout.SIZE));
            return PortAttrLayout.read(attr);
        }
    }

    @Override
    public List<GidEntry> queryGidTable(long context) {
        requireGidTable("_ibv_query_gid_table");
        int most = 0;
        int ports = queryDevice(context).physPortCnt();
        for (int port = 1; port <= ports; port++) {
            most += queryPort(context, port).gidTblLen();
        }
        if (most == 0) {
            return List.of();
        }
        try (Arena arena = Arena.ofConfined()) {
            long table = arena.allocate((long) most * GID_ENTRY_BYTES, 8).address();
            long count = IbverbsCalls.queryGidTable(context, table, most, 0, GID_ENTRY_BYTES);
            if (count < 0) {
                throw Remedy.failed("ibv_query_gid_table", (int) -count);
            }
            List<GidEntry> entries = new ArrayList<>();
            for (long at = table; at < table + count * GID_ENTRY_BYTES; at += GID_ENTRY_BYTES) {
                entries.add(gidEntry(at));
            }
            return List.copyOf(entries);
        }
    }

    @Override
    public GidEntry queryGidEx(long context, int port, int index) {
        requireGidTable("_ibv_query_gid_ex");
        try (Arena arena = Arena.ofConfined()) {
            long entry = arena.allocate(GID_ENTRY_BYTES, 8).address();
            zero("ibv_query_gid_ex", IbverbsCalls.queryGidEx(context, port, index, entry, 0, GID_ENTRY_BYTES));
            return gidEntry(entry);
        }
    }

    private static void requireGidTable(String call) {
        if (!IbverbsCalls.has(call)) {
            throw new VerbsException(call, Errno.ENOSYS, "This libibverbs is too old: rdma-core 32 or newer has it");
        }
    }

    private static GidEntry gidEntry(long at) {
        return new GidEntry(
                AhAttrLayout.readGid(at),
                NativeMemory.getInt(at + 16),
                NativeMemory.getInt(at + 20),
                NativeMemory.getInt(at + 24),
                NativeMemory.getInt(at + 28));
    }

    @Override
    public int numCompVectors(long context) {
        return Math.max(1, NativeMemory.getInt(context + ProviderCalls.NUM_COMP_VECTORS));
    }

    @Override
    public int queryPkey(long context, int port, int index) {
        long pkey = CallState.scratch();
        minusOne("ibv_query_pkey", IbverbsCalls.queryPkey(context, port, index, pkey));
        return Short.toUnsignedInt(Short.reverseBytes(NativeMemory.getShort(pkey)));
    }

    @Override
    public long allocPd(long context) {
        return pointer("ibv_alloc_pd", IbverbsCalls.allocPd(context));
    }

    @Override
    public void deallocPd(long pd) {
        zero("ibv_dealloc_pd", IbverbsCalls.deallocPd(pd));
    }

    @Override
    public Mr regMr(long pd, long address, long length, long iova, int access) {
        long mr;
        if (IbverbsCalls.has("ibv_reg_mr_iova2")) {
            mr = pointer("ibv_reg_mr_iova2", IbverbsCalls.regMrIova2(pd, address, length, iova, access));
        } else if (iova == address) {
            mr = pointer("ibv_reg_mr", IbverbsCalls.regMr(pd, address, length, access));
        } else {
            throw new VerbsException(
                    "ibv_reg_mr_iova2",
                    Errno.ENOSYS,
                    "This libibverbs is too old for a zero-based region: rdma-core 28 or newer supports it");
        }
        return FfmMemory.mr(mr);
    }

    @Override
    public void deregMr(long mr) {
        zero("ibv_dereg_mr", IbverbsCalls.deregMr(mr));
    }

    @Override
    public long createCompChannel(long context) {
        long channel = pointer("ibv_create_comp_channel", IbverbsCalls.createCompChannel(context));
        try {
            channels.put(channel, new WakeableDescriptor(NativeMemory.getInt(channel + CHANNEL_FD)));
            return channel;
        } catch (Throwable e) {
            IbverbsCalls.destroyCompChannel(channel);
            throw e;
        }
    }

    @Override
    public void destroyCompChannel(long channel) {
        WakeableDescriptor known = channel(channel);
        zero("ibv_destroy_comp_channel", IbverbsCalls.destroyCompChannel(channel));
        channels.remove(channel, known); // unless another thread's new channel already has its address
        known.close();
    }

    private WakeableDescriptor channel(long channel) {
        WakeableDescriptor known = channels.get(channel);
        if (known == null) {
            throw new VerbsException("ibv_comp_channel", Errno.EINVAL, "The completion channel is destroyed");
        }
        return known;
    }

    @Override
    public Cq createCq(long context, int cqe, long channel, int compVector) {
        long cq = pointer("ibv_create_cq", IbverbsCalls.createCq(context, cqe, 0, channel, compVector));
        return new Cq(cq, NativeMemory.getInt(cq + FfmMemory.CQ_CQE));
    }

    @Override
    public void destroyCq(long cq) {
        zero("ibv_destroy_cq", IbverbsCalls.destroyCq(cq));
    }

    @Override
    public Srq createSrq(long pd, SrqAttr attr) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(SrqAttrLayout.INIT_ATTR_BYTES, 8).address();
            SrqAttrLayout.write(at + SrqAttrLayout.INIT_ATTR_ATTR, new SrqAttr(attr.maxWr(), attr.maxSge(), 0));
            long srq = pointer("ibv_create_srq", IbverbsCalls.createSrq(pd, at));
            return new Srq(srq, SrqAttrLayout.read(at + SrqAttrLayout.INIT_ATTR_ATTR));
        }
    }

    @Override
    public void modifySrq(long srq, SrqAttr attr, int mask) {
        long at = CallState.scratch();
        SrqAttrLayout.write(at, attr);
        zero("ibv_modify_srq", IbverbsCalls.modifySrq(srq, at, mask));
    }

    @Override
    public SrqAttr querySrq(long srq) {
        long at = CallState.scratch();
        zero("ibv_query_srq", IbverbsCalls.querySrq(srq, at));
        return SrqAttrLayout.read(at);
    }

    @Override
    public void destroySrq(long srq) {
        zero("ibv_destroy_srq", IbverbsCalls.destroySrq(srq));
    }

    @Override
    public Qp createQp(long pd, QpInitAttr attr) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(QpInitAttrLayout.SIZE, 8).address();
            QpInitAttrLayout.write(at, attr);
            long qp = pointer("ibv_create_qp", IbverbsCalls.createQp(pd, at));
            return new Qp(qp, NativeMemory.getInt(qp + FfmAsyncEvents.QP_NUM), QpInitAttrLayout.readCap(at));
        }
    }

    @Override
    public void modifyQp(long qp, QpAttr attr, int mask) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(QpAttrLayout.SIZE, 8).address();
            QpAttrLayout.write(at, attr);
            zero("ibv_modify_qp", IbverbsCalls.modifyQp(qp, at, mask));
        }
    }

    @Override
    public QpAttr queryQp(long qp, int mask) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(QpAttrLayout.SIZE, 8).address();
            long init = arena.allocate(QpInitAttrLayout.SIZE, 8).address();
            zero("ibv_query_qp", IbverbsCalls.queryQp(qp, at, mask, init));
            return QpAttrLayout.read(at);
        }
    }

    @Override
    public QpInitAttr queryQpInit(long qp) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(QpAttrLayout.SIZE, 8).address();
            long init = arena.allocate(QpInitAttrLayout.SIZE, 8).address();
            zero("ibv_query_qp", IbverbsCalls.queryQp(qp, at, Ibv.QP_STATE | Ibv.QP_CAP, init));
            return QpInitAttrLayout.read(init);
        }
    }

    @Override
    public void destroyQp(long qp) {
        zero("ibv_destroy_qp", IbverbsCalls.destroyQp(qp));
    }

    @Override
    public long createAh(long pd, AhAttr attr) {
        long at = CallState.scratch();
        AhAttrLayout.write(at, attr);
        return pointer("ibv_create_ah", DatagramCalls.createAh(pd, at));
    }

    @Override
    public void destroyAh(long ah) {
        zero("ibv_destroy_ah", DatagramCalls.destroyAh(ah));
    }

    @Override
    public void attachMcast(long qp, byte[] gid, int lid) {
        long at = CallState.scratch();
        AhAttrLayout.writeGid(at, gid);
        zero("ibv_attach_mcast", DatagramCalls.attachMcast(qp, at, lid));
    }

    @Override
    public void detachMcast(long qp, byte[] gid, int lid) {
        long at = CallState.scratch();
        AhAttrLayout.writeGid(at, gid);
        zero("ibv_detach_mcast", DatagramCalls.detachMcast(qp, at, lid));
    }

    @Override
    public int postSend(long qp, long wr, long badWr) {
        return negative(ProviderCalls.postSend(qp, wr, badWr));
    }

    @Override
    public int postRecv(long qp, long wr, long badWr) {
        return negative(ProviderCalls.postRecv(qp, wr, badWr));
    }

    @Override
    public int postSrqRecv(long srq, long wr, long badWr) {
        return negative(ProviderCalls.postSrqRecv(srq, wr, badWr));
    }

    /** Makes the result of a post 0 or negative: providers differ in its sign. */
    private static int negative(int result) {
        return -Math.abs(result);
    }

    @Override
    public int pollCq(long cq, int numEntries, long wc) {
        int polled = ProviderCalls.pollCq(cq, numEntries, wc);
        // ibv_poll_cq(3): a negative result is an error, but the numbers of providers are not errnos.
        return polled >= 0 ? polled : -Errno.EIO;
    }

    @Override
    public int reqNotifyCq(long cq, boolean solicitedOnly) {
        return negative(ProviderCalls.reqNotifyCq(cq, solicitedOnly ? 1 : 0));
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
        long cq = CallState.scratch();
        minusOne("ibv_get_cq_event", IbverbsCalls.getCqEvent(channel, cq, cq + Long.BYTES));
        return NativeMemory.getLong(cq);
    }

    @Override
    public void ackCqEvents(long cq, int events) {
        IbverbsCalls.ackCqEvents(cq, events);
    }

    @Override
    public boolean pollAsyncEvents(long context, int timeoutMillis) {
        return events(context).await(timeoutMillis);
    }

    @Override
    public void wakeAsyncEvents(long context) {
        events(context).wake();
    }

    @Override
    public @Nullable AsyncEventEntry getAsyncEvent(long context) {
        return events(context).take();
    }

    @Override
    public Rdmacm rdmacm() {
        return FfmRdmacm.get();
    }

    @Override
    public MemoryWindowVerbs windows() {
        return windows;
    }

    @Override
    public XrcVerbs xrc() {
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
