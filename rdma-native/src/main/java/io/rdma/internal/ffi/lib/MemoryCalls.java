package io.rdma.internal.ffi.lib;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.internal.os.CallState;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The method handles of {@link FfmMemory} and {@link FfmFork}, with C's results. A handle without a symbol takes the
 * provider's function as its first argument.
 */
final class MemoryCalls {
    static final MethodHandle REREG_MR = IbverbsCalls.capturing(
            "ibv_rereg_mr",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    static final MethodHandle REG_DMABUF_MR = IbverbsCalls.capturing(
            "ibv_reg_dmabuf_mr",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
    static final MethodHandle RESIZE_CQ =
            IbverbsCalls.plain("ibv_resize_cq", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
    static final MethodHandle FORK_INIT = IbverbsCalls.plain("ibv_fork_init", FunctionDescriptor.of(JAVA_INT));
    static final MethodHandle IS_FORK_INITIALIZED =
            IbverbsCalls.plain("ibv_is_fork_initialized", FunctionDescriptor.of(JAVA_INT));

    private static final Linker LINKER = Linker.nativeLinker();

    /** Signature {@code struct x *f(void *, void *)}. */
    static final MethodHandle POINTER_OF_TWO =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG), CallState.ERRNO);

    static final MethodHandle QUERY_DEVICE_EX =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    static final MethodHandle FREE_DM = LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    static final MethodHandle REG_DM_MR = LINKER.downcallHandle(
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT), CallState.ERRNO);
    static final MethodHandle MEMCPY_DM =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    static final MethodHandle ADVISE_MR =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));

    private MemoryCalls() {}

    static long pointerOfTwo(MemorySegment function, long first, long second) {
        try {
            return (long) POINTER_OF_TWO.invokeExact(function, CallState.segment(), first, second);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }
}
