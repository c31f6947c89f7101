package io.rdma.verbs;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.Mr;
import io.rdma.internal.ffi.Pages;
import io.rdma.internal.ffi.Qp;
import io.rdma.internal.ffi.QpCap;
import io.rdma.internal.ffi.QpInitAttr;
import io.rdma.internal.ffi.Verbs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A protection domain, {@code ibv_alloc_pd(3)}: queue pairs and memory work together only within one. */
public final class ProtectionDomain extends NativeObject {
    private static final long FREE_PAUSE_NANOS = 1_000_000;

    private final long context;
    private final MemoryPolicy policy;

    ProtectionDomain(Verbs verbs, long context, long handle, MemoryPolicy policy) {
        super(verbs, handle);
        this.context = context;
        this.policy = policy;
    }

    /** Handle of the device that it is of. */
    long context() {
        return context;
    }

    /**
     * Registers memory of the caller, {@code ibv_reg_mr(3)}. The memory must stay alive until the region is closed; the region keeps the
     * segment reachable.
     *
     * @param memory native memory; heap segments cannot be registered
     * @param access what is allowed; local reading always is
     * @return the region
     * @throws VerbsException ENOMEM where RLIMIT_MEMLOCK is too low
     * @throws RegistrationLimitException if the budget does not allow it
     */
    public MemoryRegion register(MemorySegment memory, Set<AccessFlag> access) {
        return register(memory, access, () -> {});
    }

    /**
     * Registers a part of a region once more, with rights and keys of its own: what a peer gets to see instead of the whole, and loses when the grant is
     * closed, whatever happens to the region. The region's memory stays until the grant is closed.
     *
     * @param region open
     * @param offset first byte
     * @param length bytes
     * @param access what is allowed
     * @return the grant
     * @throws IndexOutOfBoundsException if the part does not lie inside
     * @throws IllegalStateException if the region is closed
     * @throws RegistrationLimitException if the budget does not allow it
     */
    public MemoryRegion grant(MemoryRegion region, long offset, long length, Set<AccessFlag> access) {
        MemorySegment part = region.segment().asSlice(offset, length);
        region.retain();
        try {
            return register(part, access, region::release);
        } catch (Throwable e) {
            region.release();
            throw e;
        }
    }

    /**
     * Allocates page-aligned zeroed memory and registers it; closing the region frees it.
     *
     * @param bytes at least 1
     * @param access what is allowed
     * @return the region
     * @throws RegistrationLimitException if the budget does not allow it
     */
    public MemoryRegion allocate(long bytes, Set<AccessFlag> access) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("a memory region needs at least 1 byte, not " + bytes);
        }
        Arena arena = Arena.ofShared();
        try {
            return register(Pages.allocate(arena, bytes, policy.hugePages()), access, () -> free(arena));
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new VerbsException(
                    "malloc(" + bytes + ")", Errno.ENOMEM, "There is not that much memory: ask for less");
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }

    /** Memory that some thread is inside right now, in a system call perhaps, cannot be freed: it is as soon as that thread is out. */
    private static void free(Arena arena) {
        try {
            arena.close();
        } catch (IllegalStateException inUse) {
            Thread.ofVirtual().name("rdma-free").start(() -> {
                while (true) {
                    LockSupport.parkNanos(FREE_PAUSE_NANOS);
                    try {
                        arena.close();
                        return;
                    } catch (IllegalStateException stillInUse) {
                        // again
                    }
                }
            });
        }
    }

    private MemoryRegion register(MemorySegment memory, Set<AccessFlag> access, Runnable deregistered) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("only native memory can be registered: allocate it from an Arena");
        }
        int flags = AccessFlag.mask(access.toArray(AccessFlag[]::new));
        int remoteWrites = Ibv.ACCESS_REMOTE_WRITE | Ibv.ACCESS_REMOTE_ATOMIC;
        if ((flags & remoteWrites) != 0) {
            flags |= Ibv.ACCESS_LOCAL_WRITE; // ibv_reg_mr(3) demands it
        }
        long bytes = memory.byteSize();
        policy.budget().take(bytes);
        try {
            Mr mr = verbs.regMr(handle(), memory.address(), bytes, memory.address(), flags);
            return new MemoryRegion(verbs, mr, memory, () -> {
                policy.budget().giveBack(bytes);
                deregistered.run();
            });
        } catch (Throwable e) {
            policy.budget().giveBack(bytes);
            throw e;
        }
    }

    /**
     * Creates a queue pair of type {@link QueuePairType#RC} in RESET, {@code ibv_create_qp(3)}.
     *
     * @param sendQueue where sends complete
     * @param receiveQueue where receives complete
     * @param capacity wanted depths; see {@link QueuePair#capacity()} for what was granted
     * @return to be closed before its completion queues
     */
    public QueuePair createQueuePair(
            CompletionQueue sendQueue, CompletionQueue receiveQueue, QueuePairCapacity capacity) {
        return createQueuePair(QueuePairType.RC, sendQueue, receiveQueue, capacity);
    }

    /**
     * Creates a queue pair in RESET, {@code ibv_create_qp(3)}.
     *
     * @param type transport
     * @param sendQueue where sends complete
     * @param receiveQueue where receives complete
     * @param capacity wanted depths; see {@link QueuePair#capacity()} for what was granted
     * @return to be closed before its completion queues
     * @throws VerbsException EOPNOTSUPP or EINVAL if the device lacks the transport
     */
    public QueuePair createQueuePair(
            QueuePairType type, CompletionQueue sendQueue, CompletionQueue receiveQueue, QueuePairCapacity capacity) {
        return createQueuePair(type, sendQueue, receiveQueue, null, capacity, VerbsInterface.CLASSIC);
    }

    /**
     * Creates a queue pair of type {@link QueuePairType#RC} in RESET that takes its receives from a shared queue, {@code ibv_create_qp(3)}; none can be posted to itself.
     *
     * @param sendQueue where sends complete
     * @param receiveQueue where its receives complete
     * @param shared of this domain
     * @param capacity wanted depths; those of receives do not count, {@link QueuePair#capacity()} has the shared queue's
     * @return to be closed before its completion queues and the shared queue
     * @throws IllegalArgumentException if the shared queue is of another domain
     */
    public QueuePair createQueuePair(
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            SharedReceiveQueue shared,
            QueuePairCapacity capacity) {
        return createQueuePair(QueuePairType.RC, sendQueue, receiveQueue, shared, capacity);
    }

    /**
     * Creates a queue pair in RESET that takes its receives from a shared queue, {@code ibv_create_qp(3)}; none can be posted to itself.
     *
     * @param type transport
     * @param sendQueue where sends complete
     * @param receiveQueue where its receives complete
     * @param shared of this domain
     * @param capacity wanted depths; those of receives do not count, {@link QueuePair#capacity()} has the shared queue's
     * @return to be closed before its completion queues and the shared queue
     * @throws IllegalArgumentException if the shared queue is of another domain
     * @throws VerbsException EOPNOTSUPP or EINVAL if the device lacks the transport, or shared receives for it
     */
    public QueuePair createQueuePair(
            QueuePairType type,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            SharedReceiveQueue shared,
            QueuePairCapacity capacity) {
        return createQueuePair(type, sendQueue, receiveQueue, shared, capacity, VerbsInterface.CLASSIC);
    }

    /**
     * Creates a queue pair in RESET that is posted to by one of the two interfaces, {@code ibv_create_qp(3)} or {@code ibv_create_qp_ex(3)}.
     *
     * @param type transport
     * @param sendQueue where sends complete
     * @param receiveQueue where its receives complete
     * @param shared of this domain: where it takes its receives from; null for receives of its own
     * @param capacity wanted depths; see {@link QueuePair#capacity()} for what was granted
     * @param posting how it is posted to
     * @return to be closed before its completion queues and the shared queue
     * @throws IllegalArgumentException if the shared queue is of another domain
     * @throws VerbsException EOPNOTSUPP or EINVAL if the device lacks the transport, shared receives for it, the extended interface, or an operation in it
     */
    public QueuePair createQueuePair(
            QueuePairType type,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            @Nullable SharedReceiveQueue shared,
            QueuePairCapacity capacity,
            VerbsInterface posting) {
        if (shared != null && !shared.isOf(this)) {
            // Devices differ in whose domain counts then: libibverbs lets it pass, and each message fails.
            throw new IllegalArgumentException("the shared receive queue is of another protection domain");
        }
        QpCap cap = capacity.toCap();
        QpInitAttr attr = new QpInitAttr(
                sendQueue.handle(),
                receiveQueue.handle(),
                shared == null ? 0 : shared.handle(),
                shared == null ? cap : withReceives(cap, 0, 0),
                type.code(),
                false);
        ExtendedVerbs extended = posting == VerbsInterface.EXTENDED ? verbs.extended() : null;
        Qp qp = extended == null ? verbs.createQp(handle(), attr) : extended.createQpEx(handle(), attr, type.sendOps());
        QpCap granted = shared == null
                ? qp.cap()
                : withReceives(
                        qp.cap(),
                        shared.attributes().maxWr(),
                        shared.attributes().maxSge());
        return new QueuePair(verbs, extended, context, type, qp, QueuePairCapacity.of(granted));
    }

    /**
     * Creates an address handle, {@code ibv_create_ah(3)}; on RoCE it may wait for the network to tell the neighbour's address.
     *
     * @param attributes the path
     * @return to be closed before this domain
     * @throws VerbsException EINVAL if a RoCE path has no global route; another errno if the destination is not to be reached
     */
    public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
        return new AddressHandle(verbs, verbs.createAh(handle(), attributes.toAttr()), attributes);
    }

    private static QpCap withReceives(QpCap cap, int maxRecvWr, int maxRecvSge) {
        return new QpCap(cap.maxSendWr(), maxRecvWr, cap.maxSendSge(), maxRecvSge, cap.maxInlineData());
    }

    /**
     * Creates a shared receive queue, {@code ibv_create_srq(3)}.
     *
     * @param attributes wanted depth; a limit does not count, {@link SharedReceiveQueue#armLimit} sets it
     * @return to be closed after its queue pairs
     * @throws VerbsException EINVAL if the device has not that much, EOPNOTSUPP or ENOSYS if it has none
     */
    public SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueAttributes attributes) {
        return new SharedReceiveQueue(verbs, this, verbs.createSrq(handle(), attributes.toAttr()));
    }

    /**
     * Allocates a memory window, {@code ibv_alloc_mw(3)}.
     *
     * @param type see {@link DeviceAttributes#hasMemoryWindows} and {@link DeviceAttributes#hasMemoryWindowsOfType2}
     * @return to be closed before its queue pair and this domain
     * @throws VerbsException EOPNOTSUPP or ENOSYS if the device has none
     */
    public MemoryWindow allocateMemoryWindow(MemoryWindowType type) {
        return new MemoryWindow(verbs, verbs.windows().allocMw(handle(), type.code()), type);
    }

    @Override
    void destroy(long handle) {
        verbs.deallocPd(handle);
    }
}
