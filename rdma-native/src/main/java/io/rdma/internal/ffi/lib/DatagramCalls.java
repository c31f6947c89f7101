package io.rdma.internal.ffi.lib;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.internal.os.CallState;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/**
 * The functions that libibverbs exports for address handles and multicast groups. The conventions are those
 * of {@link IbverbsCalls}.
 */
final class DatagramCalls {
    private static final MethodHandle CREATE_AH =
            IbverbsCalls.capturing("ibv_create_ah", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle DESTROY_AH =
            IbverbsCalls.plain("ibv_destroy_ah", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle ATTACH_MCAST =
            IbverbsCalls.plain("ibv_attach_mcast", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle DETACH_MCAST =
            IbverbsCalls.plain("ibv_detach_mcast", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

    private DatagramCalls() {}

    /**
     * Calls {@code ibv_create_ah}: address handle, or 0 and errno. On RoCE it may query the network for the
     * neighbour's address.
     */
    static long createAh(long pd, long attr) {
        try {
            return (long) CREATE_AH.invokeExact(CallState.segment(), pd, attr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_destroy_ah}: 0 or an errno. */
    static int destroyAh(long ah) {
        try {
            return (int) DESTROY_AH.invokeExact(ah);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_attach_mcast}: 0 or an errno. */
    static int attachMcast(long qp, long gid, int lid) {
        try {
            return (int) ATTACH_MCAST.invokeExact(qp, gid, lid);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_detach_mcast}: 0 or an errno. */
    static int detachMcast(long qp, long gid, int lid) {
        try {
            return (int) DETACH_MCAST.invokeExact(qp, gid, lid);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }
}
