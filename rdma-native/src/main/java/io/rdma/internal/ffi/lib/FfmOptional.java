package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.getLong;
import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putShort;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.internal.ffi.OptionalVerbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.os.CallState;
import io.rdma.types.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * {@link OptionalVerbs} over libibverbs, where all of it is inline, through {@code struct verbs_context}. A provider
 * lacks a call if it has no function for it, or one that says so. Then the default method throws.
 */
final class FfmOptional implements OptionalVerbs {
    static final long VERBS_ALLOC_NULL_MR = -304;
    static final long VERBS_MODIFY_QP_RATE_LIMIT = -216;
    static final long VERBS_DEALLOC_TD = -200;
    static final long VERBS_ALLOC_TD = -192;
    static final long VERBS_MODIFY_CQ = -184;
    static final long VERBS_QUERY_RT_VALUES = -128;
    static final int MODIFY_CQ_ATTR_BYTES = 8;
    static final int MODERATE_COUNT = 4;
    static final int MODERATE_PERIOD = 6;
    static final int RATE_LIMIT_ATTR_BYTES = 16;
    static final int RATE_LIMIT_BURST = 4;
    static final int RATE_LIMIT_TYPICAL_PACKET = 8;
    static final int VALUES_BYTES = 24;
    static final int RAW_CLOCK_SECONDS = 8;
    static final int RAW_CLOCK_NANOS = 16;
    static final int TD_INIT_ATTR_BYTES = 4;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private static final MethodHandle INT_OF_TWO =
            Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle INT_OF_ONE =
            Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle POINTER_OF_ONE =
            Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG), CallState.ERRNO);

    private static int intOfTwo(@Nullable MemorySegment function, long first, long second) {
        try {
            return function == null ? Errno.EOPNOTSUPP : (int) INT_OF_TWO.invokeExact(function, first, second);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Returns whether a call that returned NULL failed because the provider lacks it. */
    private static boolean isLack(@Nullable MemorySegment function, long result) {
        return function == null || result == 0 && Outcome.isLack(CallState.errno());
    }

    @Override
    public void modifyCq(long cq, int count, int period) {
        try (Arena arena = Arena.ofConfined()) {
            long attr = arena.allocate(MODIFY_CQ_ATTR_BYTES, 8).address();
            putInt(attr, Ibv.CQ_ATTR_MODERATE);
            putShort(attr + MODERATE_COUNT, (short) count);
            putShort(attr + MODERATE_PERIOD, (short) period);
            int result = intOfTwo(VerbsContext.function(getLong(cq), VERBS_MODIFY_CQ), cq, attr);
            if (Outcome.isLack(result)) {
                OptionalVerbs.super.modifyCq(cq, count, period);
            }
            Outcome.zero("ibv_modify_cq", result);
        }
    }

    @Override
    public long queryRawClock(long context) {
        try (Arena arena = Arena.ofConfined()) {
            long values = arena.allocate(VALUES_BYTES, 8).address();
            putInt(values, Ibv.VALUES_MASK_RAW_CLOCK);
            int result = intOfTwo(VerbsContext.function(context, VERBS_QUERY_RT_VALUES), context, values);
            if (Outcome.isLack(result)) {
                return OptionalVerbs.super.queryRawClock(context);
            }
            Outcome.zero("ibv_query_rt_values_ex", result);
            // Providers put all ticks into the nanoseconds; the seconds are theirs to use.
            return getLong(values + RAW_CLOCK_SECONDS) * NANOS_PER_SECOND + getLong(values + RAW_CLOCK_NANOS);
        }
    }

    @Override
    public void modifyQpRateLimit(long qp, int rate, int burst, int typicalPacket) {
        try (Arena arena = Arena.ofConfined()) {
            long attr = arena.allocate(RATE_LIMIT_ATTR_BYTES, 8).address();
            putInt(attr, rate);
            putInt(attr + RATE_LIMIT_BURST, burst);
            putShort(attr + RATE_LIMIT_TYPICAL_PACKET, (short) typicalPacket);
            int result = intOfTwo(VerbsContext.function(getLong(qp), VERBS_MODIFY_QP_RATE_LIMIT), qp, attr);
            if (Outcome.isLack(result)) {
                OptionalVerbs.super.modifyQpRateLimit(qp, rate, burst, typicalPacket);
            }
            Outcome.zero("ibv_modify_qp_rate_limit", result);
        }
    }

    @Override
    public Mr allocNullMr(long pd) {
        MemorySegment function = VerbsContext.function(getLong(pd), VERBS_ALLOC_NULL_MR);
        try {
            long mr = function == null ? 0 : (long) POINTER_OF_ONE.invokeExact(function, CallState.segment(), pd);
            return isLack(function, mr)
                    ? OptionalVerbs.super.allocNullMr(pd)
                    : FfmMemory.mr(Outcome.pointer("ibv_alloc_null_mr", mr));
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    @Override
    public long allocTd(long context) {
        MemorySegment function = VerbsContext.function(context, VERBS_ALLOC_TD);
        try (Arena arena = Arena.ofConfined()) {
            long attr = arena.allocate(TD_INIT_ATTR_BYTES, 8).address();
            long td = function == null ? 0 : MemoryCalls.pointerOfTwo(function, context, attr);
            return isLack(function, td) ? OptionalVerbs.super.allocTd(context) : Outcome.pointer("ibv_alloc_td", td);
        }
    }

    @Override
    public void deallocTd(long td) {
        MemorySegment function = VerbsContext.function(getLong(td), VERBS_DEALLOC_TD);
        try {
            int result = function == null ? Errno.EOPNOTSUPP : (int) INT_OF_ONE.invokeExact(function, td);
            if (Outcome.isLack(result)) {
                OptionalVerbs.super.deallocTd(td);
            }
            Outcome.zero("ibv_dealloc_td", result);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }
}
