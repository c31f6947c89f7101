package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.buffer.RegistrationCache;
import io.rdma.engine.BoundWindow;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.environment.Environment;
import io.rdma.internal.os.StackRoom;
import io.rdma.types.AccessFlag;
import io.rdma.types.MemoryWindowType;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.MemoryWindow;
import io.rdma.verbs.MemoryWindowBinding;
import io.rdma.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Invariants
// - A thread adds a region to the set and then reads whether the connection is closing. The loop reads the set when the
// connection is closing already. So a region that is added meanwhile is closed: by the thread, by the loop, or by both.
// - A window is closed by its bind, if the end of the connection fails the bind, or from its set.
// - Windows are closed before the queue pair, which they hold; regions after it, because its requests use them.
// - A grant is held by nothing that the peer can delay: its key is void when its time is over. So no send uses its
// registration, but that of the region below it.
// - A lease belongs to the cache, and the memory of a message to the message: neither is closed with the connection.

/** Memory of one connection: regions, grants and windows for the peer, leased and allocated buffers. Thread-safe. */
public final class EndpointMemory {
    private static final Set<AccessFlag> LOCAL = EnumSet.of(AccessFlag.LOCAL_WRITE);
    private static final Set<AccessFlag> READ_BY_PEER = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);

    private final Endpoint endpoint;
    private final RegistrationCache registrations;
    private final ProtectionDomain domain;
    private final Set<MemoryRegion> regions = ConcurrentHashMap.newKeySet();
    private final Set<MemoryRegion> grants = ConcurrentHashMap.newKeySet();
    private final Set<BoundWindow> windows = ConcurrentHashMap.newKeySet();

    EndpointMemory(Endpoint endpoint, RegistrationCache registrations) {
        this.endpoint = endpoint;
        this.registrations = registrations;
        this.domain = registrations.domain();
    }

    /**
     * Allocates registered memory. It is closed with the connection at the latest.
     *
     * @param bytes at least 1
     * @param access access rights
     * @return the region, zeroed
     * @throws ConnectionClosedException if the connection is closed
     */
    public MemoryRegion allocate(long bytes, Set<AccessFlag> access) {
        return owned(made(() -> domain.allocate(bytes, access)), regions);
    }

    /**
     * Grants the peer access to a part of a region for some time, with a key of its own. The grant ends when the time
     * is over, when it is closed, or with the connection. A later request of the peer fails, and with it the
     * connection.
     *
     * @param memory region of this connection; local access is enough
     * @param offset first byte
     * @param length bytes
     * @param time until the key becomes invalid
     * @param access rights of the peer
     * @return the grant; its {@link MemoryRegion#remote} is to be sent to the peer
     * @throws ConnectionClosedException if the connection is closed
     * @throws IndexOutOfBoundsException if the part does not lie inside
     */
    public MemoryRegion grant(MemoryRegion memory, long offset, long length, Duration time, Set<AccessFlag> access) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("the time of a grant must be positive: " + time);
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        MemoryRegion grant = owned(
                made(() -> domain.grant(memory, offset, length, access, () -> {
                    over.complete(null);
                    grants.removeIf(MemoryRegion::isClosed);
                })),
                grants);
        // On a thread of its own, because deregistering is slow.
        try {
            Environment.Timer timer = endpoint.loop()
                    .environment()
                    .startAfter(Endpoint.nanos(time), "rdma-grant", () -> endpoint.attempt(grant::close));
            over.thenRun(timer::cancel);
            return grant;
        } catch (Throwable e) { // without its timer the grant would not end in time
            grant.close();
            throw e;
        }
    }

    /**
     * Gives the peer access to a part of a region through a memory window, without a new registration. The access is
     * valid on this connection only. It ends when the window is closed, when the peer sends with invalidate, or when
     * the connection ends. A later request of the peer fails, and with it the connection. Some devices, among them
     * {@code rdma_rxe}, check the range against the whole region only.
     *
     * <p><b>Completes</b> on the loop when the device has bound the window; exceptionally with
     * {@link io.rdma.types.WorkCompletionException}, and the connection is lost, if the region lacks the rights.
     * <b>Cancel</b> closes the window once it is bound. Makes a system call.
     *
     * @param memory region with {@link AccessFlag#MW_BIND}, and {@link AccessFlag#LOCAL_WRITE} if the peer may write
     * @param offset first byte
     * @param length bytes, at least 1
     * @param access rights of the peer
     * @return the window, to be closed; closed with the connection at the latest
     * @throws ConnectionClosedException if the connection is closed
     * @throws IndexOutOfBoundsException if the part does not lie inside
     * @throws io.rdma.engine.UnsupportedRequestException if the connection is unreliable; use {@link #grant} then
     * @throws io.rdma.types.VerbsException EOPNOTSUPP if the device has no windows of type 2; use {@link #grant} then
     */
    public CompletableFuture<BoundWindow> bind(MemoryRegion memory, long offset, long length, Set<AccessFlag> access) {
        MemoryWindowBinding binding = new MemoryWindowBinding(memory, offset, length, access);
        if (length == 0) {
            throw new IllegalArgumentException("a memory window must have at least 1 byte");
        }
        endpoint.options().abilities().require(BindOperation.REQUEST);
        StackRoom.require(StackRoom.SIGNAL);
        MemoryWindow window = made(() -> domain.allocateMemoryWindow(MemoryWindowType.TYPE_2));
        BoundWindow bound = new PeerWindow(window);
        windows.removeIf(BoundWindow::isClosed);
        windows.add(bound);
        BindOperation operation = new BindOperation(window, bound, binding);
        endpoint.submit(operation);
        return operation.result();
    }

    /**
     * Makes memory of the application usable as source or target, see {@link RegistrationCache#lease}. Must not be
     * called on the loop.
     *
     * @param memory native, not of a confined arena
     * @return the leased buffer, to be closed
     * @throws ConnectionClosedException if the connection is closed
     */
    public RegisteredBuffer register(MemorySegment memory) {
        return made(() -> registrations.lease(memory));
    }

    /**
     * Finds the registration of memory that is to be sent, among the regions of {@link #allocate} and the memory of
     * {@link #register}. A lease of a pool is not found, because its owner may give it back while the device reads.
     *
     * @param memory any memory, also read-only
     * @return buffer that holds the registration, to be closed; null if the memory is not registered
     * @throws ConnectionClosedException if the connection is closed
     */
    public @Nullable RegisteredBuffer leaseRegistered(MemorySegment memory) {
        return made(() -> registered(memory));
    }

    private @Nullable RegisteredBuffer registered(MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0 || memory.byteSize() > Integer.MAX_VALUE) {
            return null;
        }
        for (MemoryRegion region : regions) {
            MemorySegment whole = region.segment();
            long offset = memory.address() - whole.address();
            if (offset >= 0
                    && offset <= whole.byteSize() - memory.byteSize()
                    && whole.scope().equals(memory.scope()) // else other memory had these addresses before
                    && region.address() == whole.address() // not zero-based
                    && !region.isClosed()) {
                return RegisteredBuffer.of(region, offset, (int) memory.byteSize());
            }
        }
        return registrations.leaseCached(memory);
    }

    /**
     * Allocates a buffer for one outgoing message that is larger than the buffers of the pool. Its memory is registered
     * for this message alone and freed with it. If the peer has to read the message, the memory is registered for that,
     * too, so that the send needs no other registration. Slow; must not be called on the loop.
     *
     * @param bytes length of the message
     * @return the buffer, to be closed
     * @throws IllegalArgumentException if the peer takes no message of that length
     */
    public RegisteredBuffer allocateBuffer(int bytes) {
        if (bytes > endpoint.options().maxMessageSize()) {
            throw endpoint.options().tooLong(bytes);
        }
        boolean read = bytes > endpoint.options().peerReceiveBufferSize();
        MemoryRegion region = made(() -> domain.allocate(Math.max(1, bytes), messages(read ? READ_BY_PEER : LOCAL)));
        try {
            return read ? RegisteredBuffer.ofMessage(region) : RegisteredBuffer.of(region, 0, bytes);
        } finally {
            region.close(); // the buffer holds it
        }
    }

    /**
     * Allocates memory for one message that the peer has announced. It is not closed with the connection, because the
     * message may outlive it.
     */
    MemoryRegion allocateMessage(long bytes) {
        return made(() -> domain.allocate(bytes, messages(LOCAL)));
    }

    private Set<AccessFlag> messages(Set<AccessFlag> rights) {
        return domain.policy().forMessages(rights);
    }

    private <T extends @Nullable Object> T made(Supplier<T> making) {
        if (endpoint.isClosing()) {
            throw endpoint.closedException(false);
        }
        return endpoint.inDomain(making);
    }

    private MemoryRegion owned(MemoryRegion region, Set<MemoryRegion> all) {
        all.removeIf(MemoryRegion::isClosed);
        all.add(region);
        if (endpoint.isClosing()) {
            region.close(); // a concurrent close may have missed it
        }
        return region;
    }

    /** Closes the windows. Runs before the queue pair is closed, which they hold. */
    void closeWindows() {
        windows.forEach(window -> endpoint.attempt(window::close));
        windows.clear();
    }

    /** Closes the regions and grants. Runs after the queue pair is closed. */
    void closeRegions() {
        List<MemoryRegion> left = new ArrayList<>(grants);
        left.addAll(regions);
        grants.clear();
        regions.clear();
        left.forEach(region -> endpoint.attempt(region::close));
    }
}
