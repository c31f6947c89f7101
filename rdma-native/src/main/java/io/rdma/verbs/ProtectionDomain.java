package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.Mr;
import io.rdma.internal.ffi.Qp;
import io.rdma.internal.ffi.QpCap;
import io.rdma.internal.ffi.QpInitAttr;
import io.rdma.internal.ffi.Verbs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A protection domain, {@code ibv_alloc_pd(3)}: queue pairs and memory work together only within one. */
public final class ProtectionDomain extends NativeObject {
    /** Slabs start on a page and fill pages: with fork support the kernel's advice would hit neighbours otherwise. */
    private static final long PAGE = 4096;

    ProtectionDomain(Verbs verbs, long handle) {
        super(verbs, handle);
    }

    /**
     * Registers memory of the caller, {@code ibv_reg_mr(3)}. The memory must stay alive until the region is closed; the region keeps the
     * segment reachable.
     *
     * @param memory native memory; heap segments cannot be registered
     * @param access what is allowed; local reading always is
     * @return the region
     * @throws VerbsException ENOMEM where RLIMIT_MEMLOCK is too low
     */
    public MemoryRegion register(MemorySegment memory, Set<AccessFlag> access) {
        return register(memory, access, null);
    }

    /**
     * Allocates page-aligned zeroed memory and registers it; closing the region frees it.
     *
     * @param bytes at least 1
     * @param access what is allowed
     * @return the region
     */
    public MemoryRegion allocate(long bytes, Set<AccessFlag> access) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("a memory region needs at least 1 byte, not " + bytes);
        }
        Arena arena = Arena.ofShared();
        try {
            long rounded = Math.addExact(bytes, PAGE - 1) / PAGE * PAGE;
            return register(arena.allocate(rounded, PAGE).asSlice(0, bytes), access, arena);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new VerbsException(
                    "malloc(" + bytes + ")", Errno.ENOMEM, "There is not that much memory: ask for less");
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }

    private MemoryRegion register(MemorySegment memory, Set<AccessFlag> access, @Nullable Arena owned) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("only native memory can be registered: allocate it from an Arena");
        }
        int flags = AccessFlag.mask(access.toArray(AccessFlag[]::new));
        int remoteWrites = Ibv.ACCESS_REMOTE_WRITE | Ibv.ACCESS_REMOTE_ATOMIC;
        if ((flags & remoteWrites) != 0) {
            flags |= Ibv.ACCESS_LOCAL_WRITE; // ibv_reg_mr(3) demands it
        }
        Mr mr = verbs.regMr(handle(), memory.address(), memory.byteSize(), memory.address(), flags);
        return new MemoryRegion(verbs, mr, memory, owned);
    }

    /**
     * Creates a reliable-connection queue pair in RESET, {@code ibv_create_qp(3)}.
     *
     * @param sendQueue where sends complete
     * @param receiveQueue where receives complete
     * @param capacity wanted depths; see {@link QueuePair#capacity()} for what was granted
     * @return to be closed before its completion queues
     */
    public QueuePair createQueuePair(
            CompletionQueue sendQueue, CompletionQueue receiveQueue, QueuePairCapacity capacity) {
        return createQueuePair(sendQueue, receiveQueue, 0, capacity);
    }

    /**
     * Creates a reliable-connection queue pair in RESET that takes its receives from a shared queue, {@code ibv_create_qp(3)}; none can be posted to itself.
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
        if (!shared.isOf(this)) {
            // Devices differ in whose domain counts then: libibverbs lets it pass, and each message fails.
            throw new IllegalArgumentException("the shared receive queue is of another protection domain");
        }
        return createQueuePair(
                sendQueue,
                receiveQueue,
                shared.handle(),
                capacity.withMaxReceiveWr(shared.attributes().maxWr())
                        .withMaxReceiveSge(shared.attributes().maxSge()));
    }

    private QueuePair createQueuePair(
            CompletionQueue sendQueue, CompletionQueue receiveQueue, long shared, QueuePairCapacity capacity) {
        QpCap cap = capacity.toCap();
        Qp qp = verbs.createQp(
                handle(),
                new QpInitAttr(
                        sendQueue.handle(),
                        receiveQueue.handle(),
                        shared,
                        shared == 0 ? cap : withReceives(cap, 0, 0),
                        QueuePairType.RC.code(),
                        false));
        QpCap granted =
                shared == 0 ? qp.cap() : withReceives(qp.cap(), capacity.maxReceiveWr(), capacity.maxReceiveSge());
        return new QueuePair(verbs, qp.handle(), qp.qpNum(), QueuePairCapacity.of(granted));
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

    @Override
    void destroy(long handle) {
        verbs.deallocPd(handle);
    }
}
