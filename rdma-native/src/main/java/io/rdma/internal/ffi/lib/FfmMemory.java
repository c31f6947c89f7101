package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getLong;
import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putLong;

import io.rdma.internal.ffi.MemoryVerbs;
import io.rdma.internal.ibv.DeviceAttrEx;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.Sge;
import io.rdma.internal.os.CallState;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * {@link MemoryVerbs} over libibverbs: by its exported symbols if it has them, else by the provider's functions
 * in {@code verbs_context}.
 */
final class FfmMemory implements MemoryVerbs {
    static final int MR_LKEY = 36;
    static final int MR_RKEY = 40;
    static final int CQ_CQE = 28;
    static final long VERBS_ADVISE_MR = -312;
    static final long VERBS_REG_DM_MR = -264;
    static final long VERBS_ALLOC_DM = -256;
    static final long VERBS_FREE_DM = -248;
    static final long VERBS_ALLOC_PARENT_DOMAIN = -208;
    static final long VERBS_QUERY_DEVICE_EX = -104;
    static final int DM_MEMCPY_TO = 8;
    static final int DM_MEMCPY_FROM = 16;
    static final int ALLOC_DM_ATTR_BYTES = 16;
    static final int PARENT_DOMAIN_INIT_ATTR_BYTES = 48;
    static final int PARENT_DOMAIN_TD = 8;
    private static final int REREG_MR_ERR_INPUT = -1;
    private static final int REREG_MR_ERR_DONT_FORK_NEW = -2;
    private static final int REREG_MR_ERR_DO_FORK_OLD = -3;

    static Mr mr(long mr) {
        return new Mr(mr, getInt(mr + MR_LKEY), getInt(mr + MR_RKEY));
    }

    /** Returns a provider's function. */
    static MemorySegment function(String call, long context, long field, String what) {
        MemorySegment function = VerbsContext.function(context, field);
        if (function == null) {
            throw lacking(call, what);
        }
        return function;
    }

    private static VerbsException lacking(String call, String what) {
        return new VerbsException(call, Errno.EOPNOTSUPP, "This device does not support " + what);
    }

    @Override
    public DeviceAttrEx queryDeviceEx(long context) {
        MemorySegment function = VerbsContext.function(context, VERBS_QUERY_DEVICE_EX);
        if (function == null) {
            return DeviceAttrEx.NONE;
        }
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(DeviceAttrExLayout.SIZE, 8).address();
            int result = (int)
                    MemoryCalls.QUERY_DEVICE_EX.invokeExact(function, context, 0L, at, (long) DeviceAttrExLayout.SIZE);
            if (Outcome.isLack(result)) {
                return DeviceAttrEx.NONE;
            }
            Outcome.zero("ibv_query_device_ex", result);
            return DeviceAttrExLayout.read(at);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    @Override
    public Mr reregMr(long mr, int flags, long pd, long address, long length, int access) {
        int result;
        try {
            result =
                    (int) MemoryCalls.REREG_MR.invokeExact(CallState.segment(), mr, flags, pd, address, length, access);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
        return reregistered(mr, result, CallState.errno());
    }

    /**
     * Returns the region after {@code ibv_rereg_mr(3)}, by {@code enum ibv_rereg_mr_err_code}. With DO_FORK_OLD the new
     * registration is valid: a child process merely does not inherit the old memory.
     */
    static Mr reregistered(long mr, int result, int errno) {
        if (result == 0 || result == REREG_MR_ERR_DO_FORK_OLD) {
            return mr(mr);
        }
        boolean untouched =
                result == REREG_MR_ERR_INPUT || result == REREG_MR_ERR_DONT_FORK_NEW || Outcome.isLack(errno);
        throw new VerbsException(
                "ibv_rereg_mr",
                errno,
                untouched ? "The region is unchanged" : "The region must not be used any more: close it");
    }

    @Override
    public Mr regDmabufMr(long pd, long offset, long length, long iova, int fd, int access) {
        if (!IbverbsCalls.has("ibv_reg_dmabuf_mr")) {
            throw new VerbsException(
                    "ibv_reg_dmabuf_mr", Errno.ENOSYS, "This libibverbs is too old: rdma-core 34 or newer has it");
        }
        try {
            long mr = (long)
                    MemoryCalls.REG_DMABUF_MR.invokeExact(CallState.segment(), pd, offset, length, iova, fd, access);
            return mr(Outcome.pointer("ibv_reg_dmabuf_mr", mr));
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    @Override
    public long allocDm(long context, long length, int logAlign) {
        MemorySegment function = function("ibv_alloc_dm", context, VERBS_ALLOC_DM, "device memory");
        try (Arena arena = Arena.ofConfined()) {
            long attr = arena.allocate(ALLOC_DM_ATTR_BYTES, 8).address();
            putLong(attr, length);
            putInt(attr + 8, logAlign);
            return Outcome.pointer("ibv_alloc_dm", MemoryCalls.pointerOfTwo(function, context, attr));
        }
    }

    @Override
    public void freeDm(long dm) {
        try {
            Outcome.zero("ibv_free_dm", (int) MemoryCalls.FREE_DM.invokeExact(
                    function("ibv_free_dm", getLong(dm), VERBS_FREE_DM, "device memory"), dm));
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    @Override
    public Mr regDmMr(long pd, long dm, long offset, long length, int access) {
        MemorySegment function = function("ibv_reg_dm_mr", getLong(pd), VERBS_REG_DM_MR, "device memory");
        try {
            long mr = (long)
                    MemoryCalls.REG_DM_MR.invokeExact(function, CallState.segment(), pd, dm, offset, length, access);
            return mr(Outcome.pointer("ibv_reg_dm_mr", mr));
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    @Override
    public void memcpyToDm(long dm, long offset, long from, long length) {
        copy("ibv_memcpy_to_dm", getLong(dm + DM_MEMCPY_TO), dm, offset, from, length);
    }

    @Override
    public void memcpyFromDm(long to, long dm, long offset, long length) {
        copy("ibv_memcpy_from_dm", getLong(dm + DM_MEMCPY_FROM), to, dm, offset, length);
    }

    private static void copy(String call, long function, long first, long second, long third, long length) {
        if (function == 0) {
            throw lacking(call, "copies to and from device memory");
        }
        try {
            Outcome.zero(call, (int)
                    MemoryCalls.MEMCPY_DM.invokeExact(MemorySegment.ofAddress(function), first, second, third, length));
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    @Override
    public long allocParentDomain(long context, long pd, long td) {
        MemorySegment function =
                function("ibv_alloc_parent_domain", context, VERBS_ALLOC_PARENT_DOMAIN, "parent domains");
        try (Arena arena = Arena.ofConfined()) {
            long attr = arena.allocate(PARENT_DOMAIN_INIT_ATTR_BYTES, 8).address();
            putLong(attr, pd);
            putLong(attr + PARENT_DOMAIN_TD, td);
            return Outcome.pointer("ibv_alloc_parent_domain", MemoryCalls.pointerOfTwo(function, context, attr));
        }
    }

    @Override
    public void adviseMr(long pd, int advice, boolean flush, long address, int length, int lkey) {
        MemorySegment function = function("ibv_advise_mr", getLong(pd), VERBS_ADVISE_MR, "advice on memory regions");
        try (Arena arena = Arena.ofConfined()) {
            long sge = arena.allocate(Sge.SIZE, 8).address();
            Sge.addr(sge, address);
            Sge.length(sge, length);
            Sge.lkey(sge, lkey);
            int flags = flush ? Ibv.ADVISE_MR_FLAG_FLUSH : 0;
            Outcome.zero("ibv_advise_mr", (int) MemoryCalls.ADVISE_MR.invokeExact(function, pd, advice, flags, sge, 1));
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    @Override
    public int resizeCq(long cq, int cqe) {
        try {
            Outcome.zero("ibv_resize_cq", (int) MemoryCalls.RESIZE_CQ.invokeExact(cq, cqe));
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
        return getInt(cq + CQ_CQE);
    }
}
