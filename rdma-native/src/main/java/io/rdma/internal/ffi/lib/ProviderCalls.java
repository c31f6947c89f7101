package io.rdma.internal.ffi.lib;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.os.CallState;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls that {@code verbs.h} makes inline, through the function pointers of a context, which differ by provider.
 *
 * <p>Invariant: {@code struct verbs_context} lies below its {@code ibv_context} and exists only if {@code abi_compat}
 * is all ones. One of its fields is valid only if {@code sz} covers it. {@code abi_compat} lies behind a mutex whose
 * size differs by architecture.
 */
public final class ProviderCalls {
    private static final long OPS = 8;
    /** Offset of the function pointer in {@code struct ibv_context}, like every {@code OPS_*}. */
    public static final long OPS_POLL_CQ = OPS + 88;

    private static final long OPS_REQ_NOTIFY_CQ = OPS + 96;
    private static final long OPS_POST_SRQ_RECV = OPS + 160;
    /** Offset of the function pointer. */
    public static final long OPS_POST_SEND = OPS + 200;
    /** Offset of the function pointer. */
    public static final long OPS_POST_RECV = OPS + 208;

    /** Offset in {@code struct ibv_context}. */
    static final long NUM_COMP_VECTORS = 272;

    private static final long MUTEX = 280;
    private static final long ABI_COMPAT = abiCompat(System.getProperty("os.arch"));
    private static final long VERBS_SZ = -8;
    private static final long VERBS_QUERY_PORT = -320;
    static final long VERBS_CREATE_CQ_EX = -120;
    static final long VERBS_OPEN_QP = -64;
    static final long VERBS_CREATE_QP_EX = -56;
    static final long VERBS_GET_SRQ_NUM = -48;
    static final long VERBS_CREATE_SRQ_EX = -40;
    static final long VERBS_OPEN_XRCD = -32;
    static final long VERBS_CLOSE_XRCD = -24;

    private static final MethodHandle POST = handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle POLL = handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle NOTIFY = handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle QUERY_PORT =
            handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));

    private ProviderCalls() {}

    static long abiCompat(String architecture) {
        return MUTEX + mutexBytes(architecture);
    }

    /** Returns {@code sizeof(pthread_mutex_t)}. */
    static int mutexBytes(String architecture) {
        return "aarch64".equals(architecture) ? 48 : 40;
    }

    /**
     * Returns {@code sizeof(struct verbs_context) - offsetof(struct verbs_context, field)}: the {@code sz} that covers
     * a field.
     */
    static long sizeFor(long field, String architecture) {
        return -field + abiCompat(architecture) + Long.BYTES;
    }

    /** Returns the function in a field of {@code struct verbs_context}, or 0 if the provider has none. */
    static long extension(long context, long field) {
        boolean there = NativeMemory.getLong(context + ABI_COMPAT) == -1
                && NativeMemory.getLong(context + VERBS_SZ) >= -field + ABI_COMPAT + Long.BYTES;
        return there ? NativeMemory.getLong(context + field) : 0;
    }

    private static MethodHandle handle(FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(descriptor);
    }

    /**
     * Returns the provider's function. {@code qp->context}, {@code cq->context} and {@code srq->context} are the
     * first field.
     */
    private static MemorySegment function(long object, long operation) {
        return MemorySegment.ofAddress(NativeMemory.getLong(NativeMemory.getLong(object) + operation));
    }

    /** Calls {@code ibv_post_send}: 0, or a positive errno. */
    public static int postSend(long qp, long wr, long badWr) {
        try {
            return (int) POST.invokeExact(function(qp, OPS_POST_SEND), qp, wr, badWr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_post_recv}: 0, or a positive errno. */
    public static int postRecv(long qp, long wr, long badWr) {
        try {
            return (int) POST.invokeExact(function(qp, OPS_POST_RECV), qp, wr, badWr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    static int postSrqRecv(long srq, long wr, long badWr) {
        try {
            return (int) POST.invokeExact(function(srq, OPS_POST_SRQ_RECV), srq, wr, badWr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_poll_cq}: the number of completions, or a negative number. */
    public static int pollCq(long cq, int numEntries, long wc) {
        try {
            return (int) POLL.invokeExact(function(cq, OPS_POLL_CQ), cq, numEntries, wc);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    static int reqNotifyCq(long cq, int solicitedOnly) {
        try {
            return (int) NOTIFY.invokeExact(function(cq, OPS_REQ_NOTIFY_CQ), cq, solicitedOnly);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /**
     * Calls the provider's {@code ibv_query_port} if there is one, as the inline function does. Else it calls the
     * exported one, which fills only a prefix of the structure.
     */
    static int queryPort(long context, int port, long attr, long size) {
        long function = extension(context, VERBS_QUERY_PORT);
        if (function == 0) {
            return IbverbsCalls.queryPort(context, port, attr);
        }
        try {
            return (int) QUERY_PORT.invokeExact(MemorySegment.ofAddress(function), context, port, attr, size);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }
}
