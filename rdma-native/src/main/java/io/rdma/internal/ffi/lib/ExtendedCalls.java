package io.rdma.internal.ffi.lib;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.internal.os.CallState;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls through the function pointers of {@code struct ibv_qp_ex} and {@code struct ibv_cq_ex}, which
 * {@code verbs.h} makes inline. There is one method for each signature. The caller must have checked that the
 * function pointer is not null.
 *
 * <p>Invariant: no call is {@code critical}. Providers hold a spin lock from {@code wr_start} to {@code wr_complete}
 * and from {@code start_poll} to {@code end_poll}. A thread that spins for the lock inside a critical call would keep
 * the virtual machine from reaching the safepoint at which the owner of the lock waits.
 */
final class ExtendedCalls {
    private static final MethodHandle CREATE =
            handle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG), CallState.ERRNO);
    private static final MethodHandle DO = handle(FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle DO_INT = handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    private static final MethodHandle DO_KEY = handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle DO_KEY_INT =
            handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle DO_KEY_LONG =
            handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle DO_KEY_LONGS =
            handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle DO_FLUSH =
            handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle DO_LONGS = handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle DO_BIND =
            handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle DO_LONG_INTS =
            handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle GET_INT = handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle GET_LONG = handle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle START_POLL = handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    private ExtendedCalls() {}

    private static MethodHandle handle(FunctionDescriptor descriptor, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(descriptor, options);
    }

    private static MemorySegment function(long pointer) {
        return MemorySegment.ofAddress(pointer);
    }

    /** Calls {@code create_qp_ex} or {@code create_cq_ex}: object, or 0 and errno. */
    static long create(long function, long context, long attr) {
        try {
            return (long) CREATE.invokeExact(function(function), CallState.segment(), context, attr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_start}, {@code wr_send}, {@code wr_abort} or {@code end_poll}. */
    static void run(long function, long object) {
        try {
            DO.invokeExact(function(function), object);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_send_imm}, {@code wr_send_inv}, {@code wr_local_inv} or {@code wr_set_xrc_srqn}. */
    static void run(long function, long qp, int value) {
        try {
            DO_INT.invokeExact(function(function), qp, value);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_rdma_read} or {@code wr_rdma_write}. */
    static void remote(long function, long qp, int rkey, long address) {
        try {
            DO_KEY.invokeExact(function(function), qp, rkey, address);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_rdma_write_imm}; the immediate data is passed as it lies in memory. */
    static void remoteImm(long function, long qp, int rkey, long address, int imm) {
        try {
            DO_KEY_INT.invokeExact(function(function), qp, rkey, address, imm);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_atomic_fetch_add}, or {@code wr_atomic_write} with the address of its bytes. */
    static void fetchAdd(long function, long qp, int rkey, long address, long add) {
        try {
            DO_KEY_LONG.invokeExact(function(function), qp, rkey, address, add);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_atomic_cmp_swp}. */
    static void compareSwap(long function, long qp, int rkey, long address, long compare, long swap) {
        try {
            DO_KEY_LONGS.invokeExact(function(function), qp, rkey, address, compare, swap);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_flush}. C's last two arguments are {@code uint8_t}, which are passed as an int. */
    static void flush(long function, long qp, int rkey, long address, long length, int type, int level) {
        try {
            DO_FLUSH.invokeExact(function(function), qp, rkey, address, length, type, level);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_bind_mw}. */
    static void bind(long function, long qp, long mw, int rkey, long bindInfo) {
        try {
            DO_BIND.invokeExact(function(function), qp, mw, rkey, bindInfo);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_set_ud_addr}. */
    static void destination(long function, long qp, long ah, int qpn, int qkey) {
        try {
            DO_LONG_INTS.invokeExact(function(function), qp, ah, qpn, qkey);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_set_sge}. */
    static void entry(long function, long qp, int lkey, long address, int length) {
        try {
            DO_KEY_INT.invokeExact(function(function), qp, lkey, address, length);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_set_sge_list} or {@code wr_set_inline_data}. */
    static void data(long function, long qp, long first, long second) {
        try {
            DO_LONGS.invokeExact(function(function), qp, first, second);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code wr_complete} or {@code read_*} of up to 32 bits. */
    static int getInt(long function, long object) {
        try {
            return (int) GET_INT.invokeExact(function(function), object);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code read_completion_ts} or {@code read_completion_wallclock_ns}. */
    static long getLong(long function, long object) {
        try {
            return (long) GET_LONG.invokeExact(function(function), object);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code start_poll} or {@code get_srq_num}: an object and an address. */
    static int startPoll(long function, long cq, long attr) {
        try {
            return (int) START_POLL.invokeExact(function(function), cq, attr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }
}
