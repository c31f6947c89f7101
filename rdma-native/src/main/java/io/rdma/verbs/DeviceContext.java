package io.rdma.verbs;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ffi.GidEntry;
import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.Verbs;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open device, {@code struct ibv_context}: where queries go and objects come from. It cannot be closed before these.
 * Any thread.
 */
public final class DeviceContext extends NativeObject {
    private final String name;
    private final boolean lent;
    private final OpenObjects objects = new OpenObjects();
    private @Nullable AsyncEvents events;

    DeviceContext(Verbs verbs, long handle, String name) {
        this(verbs, handle, name, false);
    }

    private DeviceContext(Verbs verbs, long handle, String name, boolean lent) {
        super(verbs, handle);
        this.name = name;
        this.lent = lent;
    }

    /** One that the connection manager has opened, and closes. */
    static DeviceContext lent(Verbs verbs, long handle, String name) {
        return new DeviceContext(verbs, handle, name, true);
    }

    /**
     * Creates a channel for events of the connection manager, {@code rdma_create_event_channel(3)}: librdmacm's for all
     * devices of libibverbs, the software device's own.
     *
     * @return to be closed
     * @throws VerbsException ENODEV or ENOENT where the kernel has no RDMA CM, EOPNOTSUPP where the device has none
     * @throws RdmaException where librdmacm is missing
     */
    public CmEventChannel createEventChannel() {
        handle();
        return CmEventChannel.of(verbs);
    }

    /**
     * Name of the device.
     *
     * @return such as {@code rxe0}
     */
    public String name() {
        return name;
    }

    /**
     * Whether it is the embedded software device.
     *
     * @return false for devices of libibverbs
     */
    public boolean isSoftware() {
        return verbs.isSoftware();
    }

    /**
     * Capabilities, {@code ibv_query_device(3)}.
     *
     * @return the attributes
     */
    public DeviceAttributes queryDevice() {
        return DeviceAttributes.of(verbs.queryDevice(handle()));
    }

    /**
     * More capabilities, {@code ibv_query_device_ex(3)}: on-demand paging, time stamps, device memory.
     *
     * @return the attributes
     */
    public ExtendedDeviceAttributes queryDeviceExtended() {
        return ExtendedDeviceAttributes.of(verbs.memory().queryDeviceEx(handle()));
    }

    /**
     * A port, {@code ibv_query_port(3)}.
     *
     * @param port from 1
     * @return its attributes
     */
    public PortAttributes queryPort(int port) {
        return PortAttributes.of(verbs.queryPort(handle(), port));
    }

    /**
     * All valid GIDs of all ports, {@code ibv_query_gid_table(3)}.
     *
     * @return in the order of the table
     */
    public List<GidTableEntry> queryGidTable() {
        List<GidTableEntry> table = new ArrayList<>();
        for (GidEntry entry : verbs.queryGidTable(handle())) {
            table.add(GidTableEntry.of(entry));
        }
        return List.copyOf(table);
    }

    /**
     * One GID, {@code ibv_query_gid_ex(3)}.
     *
     * @param port from 1
     * @param index in the port's table
     * @return the entry
     * @throws VerbsException EINVAL if there is no such port or index, ENODATA if that place of the table is empty
     */
    public GidTableEntry queryGid(int port, int index) {
        return GidTableEntry.of(verbs.queryGidEx(handle(), port, index));
    }

    /**
     * A partition key, {@code ibv_query_pkey(3)}.
     *
     * @param port from 1
     * @param index from 0
     * @return 16 bits
     */
    public int queryPkey(int port, int index) {
        return verbs.queryPkey(handle(), port, index);
    }

    /**
     * The path back to who sent a datagram, {@code ibv_init_ah_from_wc(3)}; with
     * {@link ProtectionDomain#createAddressHandle} it is {@code ibv_create_ah_from_wc(3)}.
     *
     * @param port where it arrived, from 1
     * @param batch with the completion of the receive
     * @param index of it
     * @param received what the receive named, its first 40 bytes at least
     * @return the path, from the GID that the datagram was sent to
     * @throws IllegalArgumentException if it was not sent to a GID of this port but to a multicast group: then choose a
     *     GID, and {@link AddressHandleAttributes#answering}
     */
    public AddressHandleAttributes addressOfSender(int port, CompletionBatch batch, int index, MemorySegment received) {
        if (!batch.hasGlobalRoute(index)) {
            return AddressHandleAttributes.answering(batch, index, null, 0, port);
        }
        GlobalRoutingHeader header = GlobalRoutingHeader.read(received);
        int sgidIndex = queryGidTable().stream()
                .filter(entry -> entry.port() == port && entry.gid().equals(header.dgid()))
                .filter(entry -> !header.dgid().isIpv4Mapped() || entry.type() == GidType.ROCE_V2)
                .mapToInt(GidTableEntry::index)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the datagram was sent to " + header.dgid()
                        + ", which is no GID of port " + port + ": say from which one to answer"));
        return AddressHandleAttributes.answering(batch, index, header, sgidIndex, port);
    }

    /**
     * Allocates a protection domain, {@code ibv_alloc_pd(3)}.
     *
     * @return to be closed after its regions and queue pairs
     */
    public ProtectionDomain allocateProtectionDomain() {
        return allocateProtectionDomain(MemoryPolicy.unlimited());
    }

    /**
     * Allocates a protection domain, {@code ibv_alloc_pd(3)}.
     *
     * @param policy for its memory
     * @return to be closed after its regions and queue pairs
     */
    public ProtectionDomain allocateProtectionDomain(MemoryPolicy policy) {
        long device = handle();
        return objects.make(() -> new ProtectionDomain(verbs, device, verbs.allocPd(device), policy, objects));
    }

    /**
     * Allocates memory on the device itself, {@code ibv_alloc_dm(3)}.
     *
     * @param bytes up to {@link ExtendedDeviceAttributes#maxDmSize}
     * @param logAlignment exponent of 2
     * @return to be closed after its regions
     * @throws VerbsException EOPNOTSUPP where the device has none
     */
    public DeviceMemory allocateDeviceMemory(long bytes, int logAlignment) {
        long device = handle();
        return objects.make(
                () -> new DeviceMemory(verbs, verbs.memory().allocDm(device, bytes, logAlignment), bytes, objects));
    }

    /**
     * Creates a completion channel, {@code ibv_create_comp_channel(3)}.
     *
     * @return to be closed after its completion queues
     */
    public CompletionChannel createCompletionChannel() {
        long device = handle();
        return objects.make(() -> new CompletionChannel(verbs, verbs.createCompChannel(device), objects));
    }

    /**
     * Creates a completion queue, {@code ibv_create_cq(3)}.
     *
     * @param entries least number of entries: at least the sum of the depths of all queues that complete here, an
     *     overrun is fatal to all of them
     * @param channel where its events go, or null
     * @return to be closed after its queue pairs
     */
    public CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel) {
        long device = handle();
        long events = channel == null ? 0 : channel.handle();
        return objects.make(
                () -> new CompletionQueue(verbs, null, verbs.createCq(device, entries, events, 0), objects));
    }

    /**
     * Creates a completion queue that is polled by one of the two interfaces, {@code ibv_create_cq(3)} or
     * {@code ibv_create_cq_ex(3)}.
     *
     * @param entries as for {@link #createCompletionQueue(int, CompletionChannel)}
     * @param channel where its events go, or null
     * @param polling how it is polled
     * @param timestamp what {@link CompletionBatch#timestamp} will have
     * @return to be closed after its queue pairs
     * @throws IllegalArgumentException for a timestamp with the classic interface
     * @throws VerbsException EOPNOTSUPP if the device lacks the extended interface or that timestamp
     */
    public CompletionQueue createCompletionQueue(
            int entries, @Nullable CompletionChannel channel, PostingInterface polling, CompletionTimestamp timestamp) {
        if (polling == PostingInterface.CLASSIC) {
            if (timestamp != CompletionTimestamp.NONE) {
                throw new IllegalArgumentException(
                        "completions have a timestamp with the extended interface only, not " + timestamp);
            }
            return createCompletionQueue(entries, channel);
        }
        long device = handle();
        long events = channel == null ? 0 : channel.handle();
        ExtendedVerbs extended = verbs.extended();
        long flags = Ibv.WC_STANDARD_FLAGS | timestamp.flag();
        return objects.make(() ->
                new CompletionQueue(verbs, extended, extended.createCqEx(device, entries, events, 0, flags), objects));
    }

    /**
     * Opens a domain of extended reliable connections for this process alone, {@code ibv_open_xrcd(3)}.
     *
     * @return to be closed after its shared receive queues and queue pairs
     * @throws VerbsException EOPNOTSUPP or ENOSYS if the device has none
     */
    public XrcDomain openXrcDomain() {
        long device = handle();
        return objects.make(() -> new XrcDomain(verbs, device, verbs.xrc().openXrcd(device), objects));
    }

    /**
     * Opens the asynchronous events of this device, {@code ibv_get_async_event(3)}.
     *
     * @return to be closed before the device
     * @throws IllegalStateException if they are open already: two readers would take each other's events
     */
    public synchronized AsyncEvents asyncEvents() {
        if (lent) {
            throw new IllegalStateException("the events of a device that the connection manager opened are its own");
        }
        if (hasEventsOpen()) {
            throw new IllegalStateException("the asynchronous events of " + name
                    + " have a reader already: close that, or have it hand events on");
        }
        AsyncEvents opened = new AsyncEvents(verbs, handle());
        events = opened;
        return opened;
    }

    private boolean hasEventsOpen() {
        return events != null && !events.isClosed();
    }

    @Override
    synchronized void destroy(long handle) {
        if (lent) {
            throw new VerbsException(
                    "ibv_close_device", Errno.EBUSY, "The connection manager opened it, and closes it");
        }
        if (hasEventsOpen()) {
            throw new VerbsException(
                    "ibv_close_device", Errno.EBUSY, "Its asynchronous events are open: close them first");
        }
        objects.close(name, () -> verbs.closeDevice(handle));
    }
}
