package io.rdma.verbs;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ffi.XrcVerbs;
import io.rdma.internal.ibv.GidEntry;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.os.Libc;
import io.rdma.types.CompletionTimestamp;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.Errno;
import io.rdma.types.ExtendedDeviceAttributes;
import io.rdma.types.GidTableEntry;
import io.rdma.types.GidType;
import io.rdma.types.PortAttributes;
import io.rdma.types.PostingInterface;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open device, {@code struct ibv_context}: it answers queries and creates all other objects. It cannot be closed
 * before these. Any thread.
 */
public final class DeviceContext extends NativeObject {
    private final String name;
    private final int transportType;
    private final boolean lent;
    private final OpenObjects objects = new OpenObjects();
    private final PlacementOperations placement;
    private @Nullable AsyncEvents events;

    DeviceContext(Verbs verbs, long handle, String name, int transportType) {
        this(verbs, handle, name, transportType, false);
    }

    private DeviceContext(Verbs verbs, long handle, String name, int transportType, boolean lent) {
        super(verbs, handle);
        this.name = name;
        this.transportType = transportType;
        this.lent = lent;
        this.placement = new PlacementOperations(verbs, handle);
    }

    /** Returns a context that the connection manager opened and will close. */
    static DeviceContext lent(Verbs verbs, long handle, String name, int transportType) {
        return new DeviceContext(verbs, handle, name, transportType, true);
    }

    /**
     * Creates an event channel of the connection manager, {@code rdma_create_event_channel(3)}. All devices of
     * libibverbs share librdmacm; the software device has its own connection manager.
     *
     * @return the channel, to be closed
     * @throws VerbsException ENODEV or ENOENT if the kernel has no RDMA CM, EOPNOTSUPP if the device has none
     * @throws RdmaException if librdmacm is missing
     */
    public CmEventChannel createEventChannel() {
        handle();
        return CmEventChannel.of(verbs);
    }

    /**
     * Returns the name of the device.
     *
     * @return such as {@code rxe0}
     */
    public String name() {
        return name;
    }

    /**
     * Returns whether it is the embedded software device.
     *
     * @return false for devices of libibverbs
     */
    public boolean isSoftware() {
        return verbs.isSoftware();
    }

    /**
     * Returns whether the device speaks iWARP, see {@link RdmaDevice#isIwarp}.
     *
     * @return false for InfiniBand and RoCE
     */
    public boolean isIwarp() {
        return transportType == Ibv.TRANSPORT_IWARP;
    }

    /**
     * Queries the capabilities, {@code ibv_query_device(3)}.
     *
     * @return the attributes
     */
    public DeviceAttributes queryDevice() {
        return Structures.attributes(verbs.queryDevice(handle()));
    }

    /**
     * Queries more capabilities, {@code ibv_query_device_ex(3)}: on-demand paging, timestamps, device memory.
     *
     * @return the attributes
     */
    public ExtendedDeviceAttributes queryDeviceExtended() {
        return Structures.attributes(verbs.memory().queryDeviceEx(handle()));
    }

    /**
     * Reads the clock of the device, {@code ibv_query_rt_values_ex(3)}: that of
     * {@link CompletionTimestamp#DEVICE_CLOCK}.
     *
     * @return ticks, see {@link ExtendedDeviceAttributes#hcaCoreClock}
     * @throws VerbsException EOPNOTSUPP if the device cannot read it
     */
    public long queryRawClock() {
        return verbs.optional().queryRawClock(handle());
    }

    /**
     * Compares the clock of the device with that of this process.
     *
     * @return a mapping from completions' timestamps to {@link System#nanoTime}
     * @throws VerbsException EOPNOTSUPP if the device cannot read its clock, or does not tell its frequency
     */
    public DeviceClock compareClocks() {
        ExtendedDeviceAttributes attributes = queryDeviceExtended();
        if (attributes.completionTimestampMask() == 0 || attributes.hcaCoreClock() == 0) {
            throw new VerbsException(
                    "ibv_query_device_ex",
                    Errno.EOPNOTSUPP,
                    "This device has no timestamps: use the time at which the completion is polled");
        }
        return DeviceClock.compare(this, attributes.completionTimestampMask(), attributes.hcaCoreClock());
    }

    /**
     * Queries a port, {@code ibv_query_port(3)}.
     *
     * @param port from 1
     * @return its attributes
     */
    public PortAttributes queryPort(int port) {
        return Structures.attributes(verbs.queryPort(handle(), port));
    }

    /**
     * Queries all valid GIDs of all ports, {@code ibv_query_gid_table(3)}.
     *
     * @return the entries in the order of the table
     */
    public List<GidTableEntry> queryGidTable() {
        List<GidTableEntry> table = new ArrayList<>();
        for (GidEntry entry : verbs.queryGidTable(handle())) {
            table.add(Structures.entry(entry));
        }
        return List.copyOf(table);
    }

    /**
     * Queries one GID, {@code ibv_query_gid_ex(3)}.
     *
     * @param port from 1
     * @param index index in the GID table of the port
     * @return the entry
     * @throws VerbsException EINVAL if there is no such port or index, ENODATA if that entry of the table is empty
     */
    public GidTableEntry queryGid(int port, int index) {
        return Structures.entry(verbs.queryGidEx(handle(), port, index));
    }

    /**
     * Queries a partition key, {@code ibv_query_pkey(3)}.
     *
     * @param port from 1
     * @param index from 0
     * @return 16 bits
     */
    public int queryPkey(int port, int index) {
        return verbs.queryPkey(handle(), port, index);
    }

    /**
     * Returns the path back to the sender of a datagram, {@code ibv_init_ah_from_wc(3)}. Together with
     * {@link ProtectionDomain#createAddressHandle} it is {@code ibv_create_ah_from_wc(3)}.
     *
     * @param port port on which the datagram arrived, from 1
     * @param batch completions that contain the one of the receive
     * @param index index of that completion
     * @param received memory of the receive, at least its first 40 bytes
     * @return the path, from the local GID to which the datagram was sent
     * @throws IllegalArgumentException if the datagram was not sent to a GID of this port, but to a multicast group. In
     *     that case choose a GID and call {@link AddressHandleAttributes#answering}
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
                        + ", which is no GID of port " + port + ": choose from which one to answer"));
        return AddressHandleAttributes.answering(batch, index, header, sgidIndex, port);
    }

    /**
     * Allocates a protection domain, {@code ibv_alloc_pd(3)}, without a limit for its memory.
     *
     * @return the domain, to be closed after its regions and queue pairs
     */
    public ProtectionDomain allocateProtectionDomain() {
        return allocateProtectionDomain(MemoryPolicy.unlimited());
    }

    /**
     * Allocates a protection domain, {@code ibv_alloc_pd(3)}.
     *
     * @param policy policy for its memory
     * @return the domain, to be closed after its regions and queue pairs
     */
    public ProtectionDomain allocateProtectionDomain(MemoryPolicy policy) {
        long device = handle();
        return objects.make(
                () -> new ProtectionDomain(verbs, null, device, verbs.allocPd(device), policy, placement, objects));
    }

    /**
     * Allocates a thread domain, {@code ibv_alloc_td(3)}.
     *
     * @return the domain, to be closed after its parent domains
     * @throws VerbsException EOPNOTSUPP if the device has none
     */
    public ThreadDomain allocateThreadDomain() {
        long device = handle();
        return objects.make(() -> new ThreadDomain(verbs, verbs.optional().allocTd(device), objects));
    }

    /**
     * Allocates memory on the device itself, {@code ibv_alloc_dm(3)}.
     *
     * @param bytes up to {@link ExtendedDeviceAttributes#maxDmSize}
     * @param logAlignment alignment as an exponent of 2
     * @return the memory, to be closed after its regions
     * @throws VerbsException EOPNOTSUPP if the device has none
     */
    public DeviceMemory allocateDeviceMemory(long bytes, int logAlignment) {
        long device = handle();
        return objects.make(
                () -> new DeviceMemory(verbs, verbs.memory().allocDm(device, bytes, logAlignment), bytes, objects));
    }

    /**
     * Creates a completion channel, {@code ibv_create_comp_channel(3)}.
     *
     * @return the channel, to be closed after its completion queues
     */
    public CompletionChannel createCompletionChannel() {
        long device = handle();
        return objects.make(() -> new CompletionChannel(verbs, verbs.createCompChannel(device), objects));
    }

    /**
     * Creates a completion queue, {@code ibv_create_cq(3)}.
     *
     * @param entries smallest acceptable number of entries: at least the sum of the depths of all queues that complete
     *     here. An overrun is fatal to all of them
     * @param channel completion channel for its events, or null
     * @return the completion queue, to be closed after its queue pairs
     */
    public CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel) {
        return createCompletionQueue(entries, channel, 0);
    }

    /**
     * Creates a completion queue with a completion vector, {@code ibv_create_cq(3)}.
     *
     * @param entries as for {@link #createCompletionQueue(int, CompletionChannel)}
     * @param channel completion channel for its events, or null
     * @param vector interrupt that signals its events, from 0 to {@link #completionVectors} - 1
     * @return the completion queue, to be closed after its queue pairs
     * @throws VerbsException EINVAL if the device has no such vector
     */
    public CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel, int vector) {
        long device = handle();
        long events = channel == null ? 0 : channel.handle();
        return objects.make(
                () -> new CompletionQueue(verbs, null, verbs.createCq(device, entries, events, vector), objects));
    }

    /**
     * Returns the number of completion vectors, {@code num_comp_vectors}.
     *
     * @return at least 1
     */
    public int completionVectors() {
        return verbs.numCompVectors(handle());
    }

    /**
     * Creates a completion queue that is polled by one of the two interfaces, {@code ibv_create_cq(3)} or
     * {@code ibv_create_cq_ex(3)}.
     *
     * @param entries as for {@link #createCompletionQueue(int, CompletionChannel)}
     * @param channel completion channel for its events, or null
     * @param polling interface by which it is polled
     * @param timestamp kind of time that {@link CompletionBatch#timestamp} returns
     * @return the completion queue, to be closed after its queue pairs
     * @throws IllegalArgumentException for a timestamp with the classic interface, or for BOTH
     * @throws VerbsException EOPNOTSUPP if the device lacks the extended interface or that timestamp
     */
    public CompletionQueue createCompletionQueue(
            int entries, @Nullable CompletionChannel channel, PostingInterface polling, CompletionTimestamp timestamp) {
        if (polling == PostingInterface.BOTH) {
            throw new IllegalArgumentException("completions are polled by one interface: use CLASSIC or EXTENDED");
        }
        if (polling == PostingInterface.CLASSIC) {
            if (timestamp != CompletionTimestamp.NONE) {
                throw new IllegalArgumentException(
                        "the timestamp " + timestamp + " needs the extended interface: use PostingInterface.EXTENDED");
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
     * Opens an XRC domain for this process alone, {@code ibv_open_xrcd(3)}.
     *
     * @return the domain, to be closed after its shared receive queues and queue pairs
     * @throws VerbsException EOPNOTSUPP or ENOSYS if the device has no XRC
     */
    public XrcDomain openXrcDomain() {
        long device = handle();
        return openXrcDomain(device, -1, XrcVerbs.O_CREAT);
    }

    private XrcDomain openXrcDomain(long device, int descriptor, int oflags) {
        return objects.make(
                () -> new XrcDomain(verbs, device, verbs.xrc().openXrcd(device, descriptor, oflags), objects));
    }

    /**
     * Opens the XRC domain of a file, {@code ibv_open_xrcd(3)} with its descriptor. All processes that open the same
     * file share one domain of the device. A process can then {@link XrcDomain#openReceiveQueuePair open} queue pairs
     * that another one has created. The content of the file has no meaning. The software devices of two processes are
     * two devices: there, opened devices of one process share domains.
     *
     * @param file existing file that this process may read
     * @param create whether the domain is created if no process has it open
     * @return the domain, to be closed after its shared receive queues and queue pairs
     * @throws VerbsException ENOENT or EACCES if the file cannot be opened; EAGAIN if the domain does not exist and is
     *     not to be created; EOPNOTSUPP or ENOSYS if the device has no XRC
     */
    public XrcDomain openXrcDomain(Path file, boolean create) {
        long device = handle();
        int descriptor = Libc.open(file.toString());
        if (descriptor < 0) {
            throw new VerbsException("open " + file, -descriptor, "Create the file, and let this process read it");
        }
        try {
            return openXrcDomain(device, descriptor, create ? XrcVerbs.O_CREAT : 0);
        } finally {
            Libc.close(descriptor); // the domain holds the inode
        }
    }

    /**
     * Opens the asynchronous events of this device, {@code ibv_get_async_event(3)}.
     *
     * @return the events, to be closed before the device
     * @throws IllegalStateException if they are open already, because two readers would take each other's events; or if
     *     the connection manager opened this device
     */
    public synchronized AsyncEvents asyncEvents() {
        if (lent) {
            throw new IllegalStateException("the events of " + name + " belong to the connection manager, which opened"
                    + " it: open the device again by RdmaDevices.named and take the events there");
        }
        if (hasEventsOpen()) {
            throw new IllegalStateException("the asynchronous events of " + name
                    + " have a reader already: close it, or let it pass the events on");
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
                    "ibv_close_device", Errno.EBUSY, "The connection manager opened this device and closes it");
        }
        if (hasEventsOpen()) {
            throw new VerbsException(
                    "ibv_close_device", Errno.EBUSY, "The device's asynchronous events are open: close them first");
        }
        objects.close(name, () -> verbs.closeDevice(handle));
    }
}
