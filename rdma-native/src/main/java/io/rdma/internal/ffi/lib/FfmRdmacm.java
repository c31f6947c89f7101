package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ffi.lib.CmLayout.*;
import static io.rdma.internal.ffi.lib.RdmacmCalls.call;
import static io.rdma.internal.ibv.NativeMemory.getByte;
import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getLong;
import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putLong;

import io.rdma.internal.ffi.Rdmacm;
import io.rdma.internal.ibv.CmAddrInfo;
import io.rdma.internal.ibv.CmEventEntry;
import io.rdma.internal.ibv.CmIdEntry;
import io.rdma.internal.ibv.CmQpAttr;
import io.rdma.internal.ibv.Cma;
import io.rdma.internal.ibv.ConnParam;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.os.CallState;
import io.rdma.internal.os.Libc;
import io.rdma.internal.os.WakeableDescriptor;
import io.rdma.types.Errno;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

// Invariants
// - A channel's descriptor is non-blocking: a thread that finds no event gets EAGAIN, even if two readers race.
// - An event is copied with its private data before it is acknowledged, and acknowledged before any caller sees the
// copy. Therefore rdma_destroy_id(3) waits at most for a copy in progress, whichever thread calls it.

/** {@link Rdmacm} over the real librdmacm. Handles are C's pointers. */
public final class FfmRdmacm implements Rdmacm {
    private static final int AI_PASSIVE = 1;

    private final Map<Long, WakeableDescriptor> channels = new ConcurrentHashMap<>();

    private FfmRdmacm() {}

    /** The library, loaded once, or the reason why it could not be loaded. */
    private static final class Holder {
        static final Optional<FfmRdmacm> RDMACM;
        static final Optional<String> REASON;

        static {
            Optional<FfmRdmacm> rdmacm = Optional.empty();
            Optional<String> reason = Optional.empty();
            try {
                RdmacmCalls.load(RdmacmCalls.NAME);
                rdmacm = Optional.of(new FfmRdmacm());
            } catch (RdmaException | UnsupportedOperationException e) {
                reason = Optional.ofNullable(e.getMessage());
            }
            RDMACM = rdmacm;
            REASON = reason;
        }
    }

    /**
     * Returns the real library.
     *
     * @return the only instance
     * @throws RdmaException if librdmacm is missing; the message names the remedy
     */
    public static FfmRdmacm get() {
        return Holder.RDMACM.orElseThrow(
                () -> new RdmaException(Holder.REASON.orElse(RdmacmCalls.NAME + " could not be loaded")));
    }

    private static void zero(String call, int result) {
        if (result != 0) {
            throw CmRemedy.failed(call, CallState.errno());
        }
    }

    @Override
    public long createEventChannel() {
        long channel = RdmacmCalls.pointer(RdmacmCalls.CREATE_EVENT_CHANNEL);
        if (channel == 0) {
            throw CmRemedy.failed("rdma_create_event_channel", CallState.errno());
        }
        try {
            int fd = getInt(channel + CHANNEL_FD);
            int failed = Libc.setNonBlocking(fd);
            if (failed < 0) {
                throw new VerbsException("fcntl", -failed, null);
            }
            channels.put(channel, new WakeableDescriptor(fd));
            return channel;
        } catch (Throwable e) {
            RdmacmCalls.nothing(RdmacmCalls.DESTROY_EVENT_CHANNEL, channel);
            throw e;
        }
    }

    private WakeableDescriptor channel(long channel) {
        WakeableDescriptor known = channels.get(channel);
        if (known == null) {
            throw new VerbsException("rdma_event_channel", Errno.EINVAL, "The event channel is destroyed");
        }
        return known;
    }

    @Override
    public void destroyEventChannel(long channel) {
        WakeableDescriptor known = channel(channel);
        channels.remove(channel);
        RdmacmCalls.nothing(RdmacmCalls.DESTROY_EVENT_CHANNEL, channel);
        known.close();
    }

    @Override
    public boolean pollEventChannel(long channel, int timeoutMillis) {
        return channel(channel).await(timeoutMillis);
    }

    @Override
    public void wakeEventChannel(long channel) {
        channel(channel).wake();
    }

    @Override
    public @Nullable CmEventEntry getCmEvent(long channel) {
        channel(channel);
        long pointer = CallState.scratch();
        if (call(RdmacmCalls.GET_CM_EVENT, channel, pointer) != 0) {
            int errno = CallState.errno();
            if (errno == Errno.EAGAIN || errno == Libc.EINTR) {
                return null;
            }
            throw CmRemedy.failed("rdma_get_cm_event", errno);
        }
        long event = getLong(pointer);
        CmEventEntry copy = readEvent(event);
        zero("rdma_ack_cm_event", call(RdmacmCalls.ACK_CM_EVENT, event));
        return copy;
    }

    @Override
    public long createId(long channel, int portSpace) {
        channel(channel);
        long id = CallState.scratch();
        zero("rdma_create_id", call(RdmacmCalls.CREATE_ID, channel, id, 0L, portSpace));
        return getLong(id);
    }

    @Override
    public void destroyId(long id) {
        zero("rdma_destroy_id", call(RdmacmCalls.DESTROY_ID, id));
    }

    @Override
    public CmIdEntry queryId(long id) {
        long context = getLong(id + ID_VERBS);
        long device = context == 0 ? 0 : getLong(context); // ibv_context.device is the first field
        return new CmIdEntry(
                context,
                device == 0 ? "" : FfmVerbs.name(device),
                device == 0 ? Ibv.TRANSPORT_IB : FfmVerbs.transportType(device),
                getLong(id + ID_PD),
                getByte(id + ID_PORT_NUM) & 0xff,
                SockAddr.read(id + ID_SRC_ADDR),
                SockAddr.read(id + ID_DST_ADDR));
    }

    @Override
    public void bindAddr(long id, InetSocketAddress address) {
        try (Arena arena = Arena.ofConfined()) {
            zero("rdma_bind_addr", call(RdmacmCalls.BIND_ADDR, id, SockAddr.write(arena, address)));
        }
    }

    @Override
    public void resolveAddr(
            long id, @Nullable InetSocketAddress source, InetSocketAddress destination, int timeoutMillis) {
        try (Arena arena = Arena.ofConfined()) {
            long from = source == null ? 0 : SockAddr.write(arena, source);
            long to = SockAddr.write(arena, destination);
            zero("rdma_resolve_addr", call(RdmacmCalls.RESOLVE_ADDR, id, from, to, timeoutMillis));
        }
    }

    @Override
    public void resolveRoute(long id, int timeoutMillis) {
        if (getLong(id + ID_VERBS) == 0) { // C dereferences it
            throw new VerbsException("rdma_resolve_route", Errno.EINVAL, "Resolve the address first");
        }
        zero("rdma_resolve_route", call(RdmacmCalls.RESOLVE_ROUTE, id, timeoutMillis));
    }

    @Override
    public void listen(long id, int backlog) {
        zero("rdma_listen", call(RdmacmCalls.LISTEN, id, backlog));
    }

    @Override
    public void connect(long id, ConnParam param) {
        bound("rdma_connect", id);
        try (Arena arena = Arena.ofConfined()) {
            zero("rdma_connect", call(RdmacmCalls.CONNECT, id, write(arena, param)));
        }
    }

    /** Requires a device. C reads the limits of the identifier's device without checking that it has one. */
    private static void bound(String call, long id) {
        if (getLong(id + ID_VERBS) == 0) {
            throw new VerbsException(call, Errno.EINVAL, "The identifier is not bound to a device yet");
        }
    }

    @Override
    public void accept(long id, ConnParam param) {
        bound("rdma_accept", id);
        try (Arena arena = Arena.ofConfined()) {
            zero("rdma_accept", call(RdmacmCalls.ACCEPT, id, write(arena, param)));
        }
    }

    @Override
    public void reject(long id, byte[] privateData) {
        try (Arena arena = Arena.ofConfined()) {
            zero("rdma_reject", call(RdmacmCalls.REJECT, id, bytes(arena, privateData), privateData.length));
        }
    }

    @Override
    public void disconnect(long id) {
        zero("rdma_disconnect", call(RdmacmCalls.DISCONNECT, id));
    }

    @Override
    public void establish(long id) {
        zero("rdma_establish", call(RdmacmCalls.ESTABLISH, id));
    }

    @Override
    public CmQpAttr initQpAttr(long id, int qpState) {
        try (Arena arena = Arena.ofConfined()) {
            long attr = arena.allocate(QpAttrLayout.SIZE, 8).address();
            long mask = arena.allocate(ValueLayout.JAVA_INT).address();
            putInt(attr, qpState);
            zero("rdma_init_qp_attr", call(RdmacmCalls.INIT_QP_ATTR, id, attr, mask));
            return new CmQpAttr(QpAttrLayout.read(attr), getInt(mask));
        }
    }

    @Override
    public Qp createQp(long id, long pd, QpInitAttr attr) {
        bound("rdma_create_qp", id);
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(QpInitAttrLayout.SIZE, 8).address();
            QpInitAttrLayout.write(at, attr);
            zero("rdma_create_qp", call(RdmacmCalls.CREATE_QP, id, pd, at));
            return made(id, at);
        }
    }

    @Override
    public Qp createQpEx(long id, long pd, QpInitAttr attr, long sendOps) {
        bound("rdma_create_qp_ex", id);
        try (Arena arena = Arena.ofConfined()) {
            long at = FfmExtended.initAttr(arena, pd, attr, sendOps);
            zero("rdma_create_qp_ex", call(RdmacmCalls.CREATE_QP_EX, id, at));
            return made(id, at);
        }
    }

    private static Qp made(long id, long attr) {
        long qp = getLong(id + ID_QP);
        return new Qp(qp, getInt(qp + FfmAsyncEvents.QP_NUM), QpInitAttrLayout.readCap(attr));
    }

    @Override
    public void destroyQp(long id) {
        if (getLong(id + ID_QP) == 0) {
            throw new VerbsException("rdma_destroy_qp", Errno.EINVAL, "The identifier has no queue pair");
        }
        RdmacmCalls.nothing(RdmacmCalls.DESTROY_QP, id);
    }

    @Override
    public void migrateId(long id, long channel) {
        channel(channel);
        zero("rdma_migrate_id", call(RdmacmCalls.MIGRATE_ID, id, channel));
    }

    @Override
    public void setOption(long id, int option, int value) {
        long at = CallState.scratch();
        boolean octet = option == Cma.OPTION_ID_TOS || option == Cma.OPTION_ID_ACK_TIMEOUT;
        putInt(at, value);
        if (octet) {
            NativeMemory.putByte(at, (byte) value);
        }
        long bytes = octet ? 1 : Integer.BYTES;
        zero("rdma_set_option", RdmacmCalls.setOption(id, Cma.OPTION_ID, option, at, bytes));
    }

    @Override
    public void joinMulticast(long id, InetSocketAddress group, int joinFlags) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(JOIN_SIZE, 8).address();
            putInt(at, Cma.CM_JOIN_MC_ATTR_ADDRESS | Cma.CM_JOIN_MC_ATTR_JOIN_FLAGS);
            putInt(at + JOIN_FLAGS, joinFlags);
            putLong(at + JOIN_ADDR, SockAddr.write(arena, group));
            zero("rdma_join_multicast_ex", call(RdmacmCalls.JOIN_MULTICAST_EX, id, at, 0L));
        }
    }

    @Override
    public void leaveMulticast(long id, InetSocketAddress group) {
        try (Arena arena = Arena.ofConfined()) {
            zero("rdma_leave_multicast", call(RdmacmCalls.LEAVE_MULTICAST, id, SockAddr.write(arena, group)));
        }
    }

    @Override
    public List<CmAddrInfo> getAddrInfo(@Nullable String node, String service, boolean passive, int portSpace) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment hints = arena.allocate(ADDRINFO_SIZE, 8);
            putInt(hints.address(), passive ? AI_PASSIVE : 0);
            putInt(hints.address() + ADDRINFO_PORT_SPACE, portSpace);
            long result = arena.allocate(ValueLayout.JAVA_LONG).address();
            long name = node == null ? 0 : arena.allocateFrom(node).address();
            long port = arena.allocateFrom(service).address();
            int failed = call(RdmacmCalls.GETADDRINFO, name, port, hints.address(), result);
            if (failed != 0) {
                // either -1 with errno, or an error number of getaddrinfo(3)
                throw failed == -1
                        ? CmRemedy.failed("rdma_getaddrinfo", CallState.errno())
                        : new VerbsException(
                                "rdma_getaddrinfo",
                                Errno.ENOENT,
                                "There is no host " + node + ", or no port " + service);
            }
            List<CmAddrInfo> found = new ArrayList<>();
            for (long at = getLong(result); at != 0; at = getLong(at + ADDRINFO_NEXT)) {
                found.add(new CmAddrInfo(
                        getInt(at + ADDRINFO_PORT_SPACE),
                        SockAddr.read(getLong(at + ADDRINFO_SRC_ADDR)),
                        SockAddr.read(getLong(at + ADDRINFO_DST_ADDR))));
            }
            RdmacmCalls.nothing(RdmacmCalls.FREEADDRINFO, getLong(result));
            return List.copyOf(found);
        }
    }
}
