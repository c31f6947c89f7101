package io.rdma.internal.ffi.lib;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.internal.ffi.MemoryWindowVerbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mw;
import io.rdma.internal.ibv.MwBind;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.os.CallState;
import io.rdma.types.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** {@link MemoryWindowVerbs} over the provider's functions, which {@code verbs.h} calls inline. */
final class FfmMemoryWindows implements MemoryWindowVerbs {
    private static final long OPS_ALLOC_MW = 8 + 56;
    private static final long OPS_BIND_MW = 8 + 64;
    private static final long OPS_DEALLOC_MW = 8 + 72;
    private static final int MW_RKEY = 16;
    private static final int MW_TYPE = 24;
    private static final int MW_BIND_BYTES = 48;
    private static final int MW_BIND_INFO = 16;

    private static final MethodHandle ALLOC = Linker.nativeLinker()
            .downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT), CallState.ERRNO);
    private static final MethodHandle DEALLOC =
            Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle BIND =
            Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    /** Returns the provider's function. {@code pd->context} and {@code mw->context} are the first field. */
    private static MemorySegment function(String call, long object, long operation) {
        long function = NativeMemory.getLong(NativeMemory.getLong(object) + operation);
        if (function == 0) {
            throw Remedy.failed(call, Errno.EOPNOTSUPP);
        }
        return MemorySegment.ofAddress(function);
    }

    @Override
    public Mw allocMw(long pd, int type) {
        long mw;
        try {
            mw = (long) ALLOC.invokeExact(function("ibv_alloc_mw", pd, OPS_ALLOC_MW), CallState.segment(), pd, type);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
        Outcome.pointer("ibv_alloc_mw", mw);
        return new Mw(mw, NativeMemory.getInt(mw + MW_RKEY));
    }

    @Override
    public void deallocMw(long mw) {
        int result;
        try {
            result = (int) DEALLOC.invokeExact(function("ibv_dealloc_mw", mw, OPS_DEALLOC_MW), mw);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
        Outcome.zero("ibv_dealloc_mw", result);
    }

    @Override
    public int bindMw(long qp, long mw, MwBind bind) {
        if (NativeMemory.getInt(mw + MW_TYPE) != Ibv.MW_TYPE_1) {
            throw Remedy.failed("ibv_bind_mw", Errno.EINVAL);
        }
        int result;
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(MW_BIND_BYTES, 8).address();
            NativeMemory.putLong(at, bind.wrId());
            NativeMemory.putInt(at + 8, bind.sendFlags());
            NativeMemory.putLong(at + MW_BIND_INFO, bind.mr());
            NativeMemory.putLong(at + MW_BIND_INFO + 8, bind.addr());
            NativeMemory.putLong(at + MW_BIND_INFO + 16, bind.length());
            NativeMemory.putInt(at + MW_BIND_INFO + 24, bind.accessFlags());
            result = (int) BIND.invokeExact(function("ibv_bind_mw", mw, OPS_BIND_MW), qp, mw, at);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
        Outcome.zero("ibv_bind_mw", result);
        return NativeMemory.getInt(mw + MW_RKEY);
    }

    @Override
    public void setMwRkey(long mw, int rkey) {
        NativeMemory.putInt(mw + MW_RKEY, rkey);
    }
}
