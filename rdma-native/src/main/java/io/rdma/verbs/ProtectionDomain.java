package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.os.Pages;
import io.rdma.types.AccessFlag;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.Errno;
import io.rdma.types.ExtendedDeviceAttributes;
import io.rdma.types.HugePages;
import io.rdma.types.MemoryAdvice;
import io.rdma.types.MemoryWindowType;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.RegistrationLimitException;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.types.Signaling;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A protection domain, {@code ibv_alloc_pd(3)}. Queue pairs and memory regions can be used together only if they belong
 * to the same one.
 */
public final class ProtectionDomain extends NativeObject {
    private static final long FREE_PAUSE_NANOS = 1_000_000;

    private final ProtectionDomain root; // domain that this one stands for: objects of one root work together
    private final long context;
    private final OpenObjects siblings;
    private final MemoryPolicy policy;
    private final PlacementOperations placement;
    private final CallsUnderWay calls = new CallsUnderWay("ProtectionDomain");
    private final Set<MemoryRegion> refused = ConcurrentHashMap.newKeySet(); // closed, but not deregistered

    ProtectionDomain(
            Verbs verbs,
            @Nullable ProtectionDomain standsFor,
            long context,
            long handle,
            MemoryPolicy policy,
            PlacementOperations placement,
            OpenObjects siblings) {
        super(verbs, handle, siblings);
        this.root = standsFor == null ? this : standsFor.root;
        this.context = context;
        this.siblings = siblings;
        this.policy = policy;
        this.placement = placement;
    }

    /**
     * Makes a call of the library that takes this domain. Meanwhile the domain is not destroyed.
     *
     * @param call gets the handle of the domain
     * @throws IllegalStateException if the domain is closed
     */
    <T> T call(LongFunction<T> call) {
        return calls.make(() -> call.apply(handle()));
    }

    ProtectionDomain root() {
        return root;
    }

    /** Returns the handle of the device context that this domain belongs to. */
    long context() {
        return context;
    }

    /**
     * Registers memory of the caller, {@code ibv_reg_mr(3)}. The memory must stay alive until the region is closed. The
     * region keeps the segment reachable.
     *
     * @param memory native memory, perhaps of a mapped file; heap segments cannot be registered
     * @param access permitted operations; local reads are always permitted
     * @return the region
     * @throws IllegalArgumentException if it is a heap segment, or if it is read-only and {@code access} has a right to
     *     write
     * @throws VerbsException EFAULT if the kernel cannot pin the pages of a mapped file with these rights, ENOMEM if
     *     RLIMIT_MEMLOCK is too low
     * @throws RegistrationLimitException if the registration would exceed the budget
     */
    public MemoryRegion register(MemorySegment memory, Set<AccessFlag> access) {
        return register(memory, access, false, () -> {});
    }

    /**
     * Registers a part of a region again, with rights and keys of its own. A peer is given this grant instead of the
     * whole region. It loses access when the grant is closed, whether or not the region is still open. The region's
     * memory stays allocated until the grant is closed.
     *
     * @param region open
     * @param offset first byte
     * @param length in bytes
     * @param access permitted operations
     * @return the grant
     * @throws IndexOutOfBoundsException if the part does not lie inside the region
     * @throws IllegalStateException if the region is closed
     * @throws RegistrationLimitException if the registration would exceed the budget
     */
    public MemoryRegion grant(MemoryRegion region, long offset, long length, Set<AccessFlag> access) {
        return grant(region, offset, length, access, () -> {});
    }

    /**
     * Registers a part of a region again, as {@link #grant(MemoryRegion, long, long, Set)} does, and reports its end.
     *
     * @param region as for that method
     * @param offset as for that method
     * @param length as for that method
     * @param access as for that method
     * @param ended runs once, when the grant is deregistered, on the thread that deregisters it; must not block
     *     or throw
     * @return the grant
     */
    public MemoryRegion grant(MemoryRegion region, long offset, long length, Set<AccessFlag> access, Runnable ended) {
        MemorySegment part = region.segment().asSlice(offset, length);
        region.retain();
        try {
            return register(part, access, true, () -> {
                region.release();
                ended.run();
            });
        } catch (Throwable e) {
            region.release();
            throw e;
        }
    }

    /**
     * Allocates page-aligned zeroed memory and registers it. Closing the region frees the memory.
     *
     * @param bytes at least 1
     * @param access permitted operations
     * @return the region
     * @throws RegistrationLimitException if the registration would exceed the budget
     */
    public MemoryRegion allocate(long bytes, Set<AccessFlag> access) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("a memory region needs at least 1 byte, not " + bytes);
        }
        Arena arena = Arena.ofShared();
        try {
            return register(Pages.allocate(arena, bytes, policy.hugePages()), access, true, () -> free(arena));
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new VerbsException(
                    "malloc(" + bytes + ")", Errno.ENOMEM, "There is not enough memory: allocate less");
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }

    /**
     * Returns whether {@link #allocate} places memory in huge pages, so that few large slabs cost less than many
     * small ones.
     *
     * @return true unless the policy is {@link HugePages#NONE}
     */
    public boolean usesHugePages() {
        return policy.hugePages() != HugePages.NONE;
    }

    /**
     * Returns the policy for the memory of this domain.
     *
     * @return immutable
     */
    public MemoryPolicy policy() {
        return policy;
    }

    /**
     * Frees the memory of an arena. While a thread still uses it, for example in a system call, it cannot be freed. A
     * virtual thread then retries until the memory is freed.
     */
    private void free(Arena arena) {
        try {
            arena.close();
        } catch (IllegalStateException inUse) {
            environment().start("rdma-free", () -> {
                while (true) {
                    LockSupport.parkNanos(FREE_PAUSE_NANOS);
                    try {
                        arena.close();
                        return;
                    } catch (IllegalStateException stillInUse) {
                        // retry
                    }
                }
            });
        }
    }

    private MemoryRegion register(MemorySegment memory, Set<AccessFlag> access, boolean fixed, Runnable deregistered) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("only native memory can be registered: allocate it from an Arena");
        }
        long bytes = memory.byteSize();
        long iova = access.contains(AccessFlag.ZERO_BASED) ? 0 : memory.address();
        int flags = AccessFlag.registered(access);
        ReregisterOptions.requireWritable(memory, access);
        return region(
                memory,
                iova,
                bytes,
                policy.budget(),
                fixed,
                deregistered,
                pd -> verbs.regMr(pd, memory.address(), bytes, iova, flags));
    }

    /** Registers a region whose bytes are charged to a budget. */
    private MemoryRegion region(
            MemorySegment memory,
            long iova,
            long bytes,
            RegistrationBudget budget,
            boolean fixed,
            Runnable deregistered,
            LongFunction<Mr> registration) {
        budget.take(bytes);
        try {
            MemoryRegion.Extent extent = new MemoryRegion.Extent(call(registration), memory, iova, bytes, budget);
            return new MemoryRegion(verbs, extent, fixed, deregistered, refused::add);
        } catch (Throwable e) {
            budget.giveBack(bytes);
            throw e;
        }
    }

    /**
     * Registers the whole address space of the process on demand, {@code IBV_ACCESS_ON_DEMAND} with
     * {@code ibv_reg_mr(3)}. No memory is pinned: the device faults pages in. The region is not charged to the budget.
     *
     * @param access permitted operations; with a remote right, the peer can access all memory of this process
     * @return the region, whose segment is the whole address space
     * @throws VerbsException EOPNOTSUPP if the device lacks {@link ExtendedDeviceAttributes#implicitOnDemand}
     */
    public MemoryRegion registerEverythingOnDemand(Set<AccessFlag> access) {
        int flags = AccessFlag.registered(access) | Ibv.ACCESS_ON_DEMAND;
        Mr mr = call(pd -> verbs.regMr(pd, 0, -1, 0, flags)); // NULL and SIZE_MAX
        MemoryRegion.Extent all = new MemoryRegion.Extent(mr, NativeMemory.ALL, 0, Long.MAX_VALUE, null);
        return new MemoryRegion(verbs, all, true, () -> {}, refused::add);
    }

    /**
     * Registers a part of a dma-buf, which is memory of another device, {@code ibv_reg_dmabuf_mr(3)}. The descriptor
     * may be closed afterwards.
     *
     * @param descriptor file descriptor of the dma-buf
     * @param offset first byte within the dma-buf
     * @param length in bytes
     * @param iova address by which work requests and peers name the first byte; must lie at the same place within its
     *     page as the offset
     * @param access permitted operations
     * @return the region, whose segment is empty
     * @throws VerbsException EOPNOTSUPP or ENOSYS if the device or the library does not support it, EBADF if the
     *     descriptor is not that of a dma-buf
     */
    public MemoryRegion registerDmaBuf(int descriptor, long offset, long length, long iova, Set<AccessFlag> access) {
        int flags = AccessFlag.registered(access);
        return region(
                MemorySegment.NULL,
                iova,
                length,
                policy.budget(),
                true,
                () -> {},
                pd -> verbs.memory().regDmabufMr(pd, offset, length, iova, descriptor, flags));
    }

    /**
     * Registers a part of a device's own memory, {@code ibv_reg_dm_mr}, see {@code ibv_alloc_dm(3)}. The region is
     * zero-based: peers and work requests address it from 0.
     *
     * @param memory to be closed after the region
     * @param offset first byte
     * @param length in bytes
     * @param access permitted operations
     * @return the region, whose segment is empty
     * @throws VerbsException EINVAL if the part does not lie inside the memory
     */
    public MemoryRegion register(DeviceMemory memory, long offset, long length, Set<AccessFlag> access) {
        int flags = AccessFlag.registered(access) | Ibv.ACCESS_ZERO_BASED;
        Mr mr = call(pd -> verbs.memory().regDmMr(pd, memory.handle(), offset, length, flags));
        return new MemoryRegion(
                verbs, new MemoryRegion.Extent(mr, MemorySegment.NULL, 0, length, null), true, () -> {}, refused::add);
    }

    /**
     * Gives advice about a part of an on-demand region, {@code ibv_advise_mr(3)}.
     *
     * @param advice the advice
     * @param wait whether to return only when the device has followed it
     * @param region registered with {@link AccessFlag#ON_DEMAND}
     * @param offset first byte
     * @param length bytes, at most 2 to the power of 31 minus 1
     * @throws IndexOutOfBoundsException if the part does not lie inside the region
     * @throws VerbsException EOPNOTSUPP if the device does not support it
     */
    public void advise(MemoryAdvice advice, boolean wait, MemoryRegion region, long offset, int length) {
        Objects.checkFromIndexSize(offset, length, region.length());
        call(pd -> {
            verbs.memory().adviseMr(pd, advice.code(), wait, region.address() + offset, length, region.lkey());
            return null;
        });
    }

    /**
     * Allocates a null region, {@code ibv_alloc_null_mr(3)}. A local work request may name it with any address: reads
     * of it find zeros, and writes to it are lost. So a receive can skip a part of a message. Inline requests cannot
     * name it, because the processor reads their addresses. Peers cannot use it.
     *
     * @return the region, whose segment is empty
     * @throws VerbsException EOPNOTSUPP if the device has no null regions
     */
    public MemoryRegion allocateNullRegion() {
        Mr mr = call(pd -> verbs.optional().allocNullMr(pd));
        MemoryRegion.Extent all = new MemoryRegion.Extent(mr, MemorySegment.NULL, 0, Long.MAX_VALUE, null);
        return new MemoryRegion(verbs, all, true, () -> {}, refused::add);
    }

    /**
     * Allocates a parent domain, {@code ibv_alloc_parent_domain(3)}. It stands for this domain: objects created in
     * either of them work together.
     *
     * @return to be closed before this one
     * @throws VerbsException EOPNOTSUPP if the device has no parent domains
     */
    public ProtectionDomain allocateParentDomain() {
        return parentDomain(0);
    }

    /**
     * Allocates a parent domain with a thread domain, {@code ibv_alloc_parent_domain(3)}. At most one thread at a time
     * may use an object that is created in it: post, receive or destroy. Otherwise the provider may corrupt a queue or
     * abort the process.
     *
     * @param threads thread domain of the same device
     * @return to be closed before this one and the thread domain
     * @throws VerbsException EOPNOTSUPP if the device has no parent domains
     */
    public ProtectionDomain allocateParentDomain(ThreadDomain threads) {
        return parentDomain(threads.handle());
    }

    private ProtectionDomain parentDomain(long threads) {
        return siblings.make(() -> new ProtectionDomain(
                verbs,
                this,
                context,
                call(pd -> verbs.memory().allocParentDomain(context, pd, threads)),
                policy,
                placement,
                siblings));
    }

    /**
     * Creates a queue pair of type {@link QueuePairType#RC} in RESET, {@code ibv_create_qp(3)}.
     *
     * @param sendQueue completion queue of its sends
     * @param receiveQueue completion queue of its receives
     * @param capacity requested depths; {@link QueuePair#capacity()} returns the granted ones
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
     * @param sendQueue completion queue of its sends
     * @param receiveQueue completion queue of its receives
     * @param capacity requested depths; {@link QueuePair#capacity()} returns the granted ones
     * @return to be closed before its completion queues
     * @throws VerbsException EOPNOTSUPP or EINVAL if the device lacks the transport
     */
    public QueuePair createQueuePair(
            QueuePairType type, CompletionQueue sendQueue, CompletionQueue receiveQueue, QueuePairCapacity capacity) {
        return createQueuePair(type, sendQueue, receiveQueue, null, capacity, PostingInterface.CLASSIC);
    }

    /**
     * Creates a queue pair of type {@link QueuePairType#RC} in RESET that takes its receives from a shared receive
     * queue, {@code ibv_create_qp(3)}. Receives cannot be posted to the queue pair itself.
     *
     * @param sendQueue completion queue of its sends
     * @param receiveQueue completion queue of its receives
     * @param shared shared receive queue of this domain
     * @param capacity requested depths; those of receives are ignored, {@link QueuePair#capacity()} returns those of
     *     the shared receive queue
     * @return to be closed before its completion queues and the shared receive queue
     * @throws IllegalArgumentException if the shared receive queue belongs to another domain
     */
    public QueuePair createQueuePair(
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            SharedReceiveQueue shared,
            QueuePairCapacity capacity) {
        return createQueuePair(QueuePairType.RC, sendQueue, receiveQueue, shared, capacity);
    }

    /**
     * Creates a queue pair in RESET that takes its receives from a shared receive queue, {@code ibv_create_qp(3)}.
     * Receives cannot be posted to the queue pair itself.
     *
     * @param type transport
     * @param sendQueue completion queue of its sends
     * @param receiveQueue completion queue of its receives
     * @param shared shared receive queue of this domain
     * @param capacity requested depths; those of receives are ignored, {@link QueuePair#capacity()} returns those of
     *     the shared receive queue
     * @return to be closed before its completion queues and the shared receive queue
     * @throws IllegalArgumentException if the shared receive queue belongs to another domain
     * @throws VerbsException EOPNOTSUPP or EINVAL if the device lacks the transport, or shared receive queues for it
     */
    public QueuePair createQueuePair(
            QueuePairType type,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            SharedReceiveQueue shared,
            QueuePairCapacity capacity) {
        return createQueuePair(type, sendQueue, receiveQueue, shared, capacity, PostingInterface.CLASSIC);
    }

    /**
     * Creates a queue pair in RESET with the given posting interface, {@code ibv_create_qp(3)}
     * or {@code ibv_create_qp_ex(3)}.
     *
     * @param type transport
     * @param sendQueue completion queue of its sends
     * @param receiveQueue completion queue of its receives
     * @param shared shared receive queue of this domain; null if the queue pair has a receive queue of its own
     * @param capacity requested depths; {@link QueuePair#capacity()} returns the granted ones
     * @param posting interface by which requests are posted to it
     * @return to be closed before its completion queues and the shared receive queue
     * @throws IllegalArgumentException if the shared receive queue belongs to another domain
     * @throws VerbsException EOPNOTSUPP or EINVAL if the device lacks the transport, shared receive queues for it, the
     *     extended interface, or an operation of the extended interface
     */
    public QueuePair createQueuePair(
            QueuePairType type,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            @Nullable SharedReceiveQueue shared,
            QueuePairCapacity capacity,
            PostingInterface posting) {
        return createQueuePair(type, sendQueue, receiveQueue, shared, capacity, posting, Signaling.REQUESTED);
    }

    /**
     * Creates a queue pair in RESET as
     * {@link #createQueuePair(QueuePairType, CompletionQueue, CompletionQueue, SharedReceiveQueue, QueuePairCapacity,
     * PostingInterface)} does, and chooses the sends that generate a completion.
     *
     * @param type as for that method
     * @param sendQueue as for that method
     * @param receiveQueue as for that method
     * @param shared as for that method
     * @param capacity as for that method
     * @param posting as for that method
     * @param signaling sends that generate a completion when they succeed
     * @return as for that method
     */
    public QueuePair createQueuePair(
            QueuePairType type,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            @Nullable SharedReceiveQueue shared,
            QueuePairCapacity capacity,
            PostingInterface posting,
            Signaling signaling) {
        QpInitAttr attr = Structures.initAttr(this, type, sendQueue, receiveQueue, shared, capacity, signaling);
        PlacementOperations.Made<Qp> made = call(pd -> placement.create(
                type,
                posting,
                sendOps -> sendOps == 0
                        ? verbs.createQp(pd, attr)
                        : verbs.extended().createQpEx(pd, attr, sendOps)));
        SendInterface sends = SendInterface.of(verbs, posting, type, made);
        Qp qp = made.object();
        long handle = qp.handle();
        QueuePairCapacity granted = Structures.granted(qp, type, shared, capacity);
        return new QueuePair(verbs, sends, context, type, qp, granted, () -> verbs.destroyQp(handle));
    }

    /** Returns the operations of the memory placement extensions that the device has. */
    PlacementOperations placement() {
        return placement;
    }

    /**
     * Creates a shared receive queue for extended reliable connections, {@code ibv_create_srq_ex(3)}
     * with {@code IBV_SRQT_XRC}.
     *
     * @param xrc domain whose receiving queue pairs use it
     * @param completions completion queue of its receives
     * @param attributes requested depth, without a limit
     * @return to be closed before the completion queue and both domains; queue pairs do not keep it open
     * @throws VerbsException EINVAL if the request exceeds the device's limits
     */
    public SharedReceiveQueue createSharedReceiveQueue(
            XrcDomain xrc, CompletionQueue completions, SharedReceiveQueueAttributes attributes) {
        return new SharedReceiveQueue(
                verbs,
                this,
                call(pd ->
                        verbs.xrc().createXrcSrq(pd, xrc.handle(), completions.handle(), Structures.of(attributes))));
    }

    /**
     * Creates an address handle, {@code ibv_create_ah(3)}. On RoCE the call may block until the network has resolved
     * the neighbour's address.
     *
     * @param attributes the path
     * @return to be closed before this domain
     * @throws VerbsException EINVAL if a RoCE path has no global route; another errno if the destination is unreachable
     */
    public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
        return new AddressHandle(verbs, call(pd -> verbs.createAh(pd, attributes.toAttr())), attributes);
    }

    /**
     * Creates a shared receive queue, {@code ibv_create_srq(3)}.
     *
     * @param attributes requested depth; a limit is ignored, {@link SharedReceiveQueue#armLimit} sets it
     * @return to be closed after its queue pairs
     * @throws VerbsException EINVAL if the request exceeds the device's limits, EOPNOTSUPP or ENOSYS if the device has
     *     no shared receive queues
     */
    public SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueAttributes attributes) {
        return new SharedReceiveQueue(verbs, this, call(pd -> verbs.createSrq(pd, Structures.of(attributes))));
    }

    /**
     * Allocates a memory window, {@code ibv_alloc_mw(3)}.
     *
     * @param type see {@link DeviceAttributes#hasMemoryWindows} and {@link DeviceAttributes#hasMemoryWindowsOfType2}
     * @return to be closed before its queue pair and this domain
     * @throws VerbsException EOPNOTSUPP or ENOSYS if the device has no memory windows
     */
    public MemoryWindow allocateMemoryWindow(MemoryWindowType type) {
        return new MemoryWindow(verbs, call(pd -> verbs.windows().allocMw(pd, type.code())), type);
    }

    @Override
    void destroy(long handle) {
        for (MemoryRegion region : refused) { // closed already: no later call would deregister them
            if (refused.remove(region)) {
                region.deregister();
            }
        }
        calls.end("ibv_dealloc_pd", () -> verbs.deallocPd(handle));
    }
}
