package io.rdma.internal.ffi.lib;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.internal.os.CallState;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/**
 * The functions that libibverbs exports: one handle and one method each, with results as C returns them.
 *
 * <p>Invariants: pointers and {@code size_t} are {@code long}; {@code uint8_t} is an {@code int} that the caller keeps
 * in range. If a call sets errno, {@link CallState#errno()} returns it until the thread's next call. No call is
 * {@code critical}, because each may make system calls or wait. The class must be initialised only after
 * {@link LibIbverbs#load()} has succeeded.
 */
final class IbverbsCalls {
    private static final LibIbverbs LIBRARY = LibIbverbs.load();

    private static final MethodHandle GET_DEVICE_LIST =
            capturing("ibv_get_device_list", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle FREE_DEVICE_LIST =
            plain("ibv_free_device_list", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle GET_DEVICE_GUID =
            plain("ibv_get_device_guid", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle OPEN_DEVICE =
            capturing("ibv_open_device", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CLOSE_DEVICE =
            capturing("ibv_close_device", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle QUERY_DEVICE =
            plain("ibv_query_device", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle QUERY_PORT =
            plain("ibv_query_port", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle QUERY_GID_EX = plain(
            "_ibv_query_gid_ex",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle QUERY_GID_TABLE = plain(
            "_ibv_query_gid_table",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle QUERY_PKEY =
            capturing("ibv_query_pkey", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle ALLOC_PD = capturing("ibv_alloc_pd", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle DEALLOC_PD = plain("ibv_dealloc_pd", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle REG_MR_IOVA2 = capturing(
            "ibv_reg_mr_iova2", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle REG_MR =
            capturing("ibv_reg_mr", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle DEREG_MR = plain("ibv_dereg_mr", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle CREATE_COMP_CHANNEL =
            capturing("ibv_create_comp_channel", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle DESTROY_COMP_CHANNEL =
            plain("ibv_destroy_comp_channel", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle CREATE_CQ = capturing(
            "ibv_create_cq", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle DESTROY_CQ = plain("ibv_destroy_cq", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle CREATE_SRQ =
            capturing("ibv_create_srq", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle MODIFY_SRQ =
            plain("ibv_modify_srq", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle QUERY_SRQ =
            plain("ibv_query_srq", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle DESTROY_SRQ =
            plain("ibv_destroy_srq", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle CREATE_QP =
            capturing("ibv_create_qp", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle MODIFY_QP =
            plain("ibv_modify_qp", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle QUERY_QP =
            plain("ibv_query_qp", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle DESTROY_QP = plain("ibv_destroy_qp", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle GET_CQ_EVENT =
            capturing("ibv_get_cq_event", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle ACK_CQ_EVENTS =
            plain("ibv_ack_cq_events", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    private static final MethodHandle GET_ASYNC_EVENT =
            capturing("ibv_get_async_event", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle ACK_ASYNC_EVENT =
            plain("ibv_ack_async_event", FunctionDescriptor.ofVoid(JAVA_LONG));

    private IbverbsCalls() {}

    static MethodHandle plain(String name, FunctionDescriptor descriptor) {
        return handle(name, descriptor);
    }

    static MethodHandle capturing(String name, FunctionDescriptor descriptor) {
        return handle(name, descriptor, CallState.ERRNO);
    }

    /** Creates a handle. If the symbol is missing, the handle must not be called: see {@link #has}. */
    private static MethodHandle handle(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        MethodHandle unbound = Linker.nativeLinker().downcallHandle(descriptor, options);
        return LIBRARY.find(name)
                .map(unbound::bindTo)
                .orElseGet(() -> MethodHandles.empty(unbound.type().dropParameterTypes(0, 1)));
    }

    /** Returns whether the loaded library exports a symbol that older versions lack. */
    static boolean has(String symbol) {
        return LIBRARY.find(symbol).isPresent();
    }

    /** Calls {@code ibv_get_device_list}: array of device pointers, or 0 and errno. */
    static long getDeviceList(long count) {
        try {
            return (long) GET_DEVICE_LIST.invokeExact(CallState.segment(), count);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_free_device_list}: afterwards the pointers of devices that are not open are invalid. */
    static void freeDeviceList(long list) {
        try {
            FREE_DEVICE_LIST.invokeExact(list);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_get_device_guid}: network order. */
    static long getDeviceGuid(long device) {
        try {
            return (long) GET_DEVICE_GUID.invokeExact(device);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_open_device}: context, or 0 and errno. */
    static long openDevice(long device) {
        try {
            return (long) OPEN_DEVICE.invokeExact(CallState.segment(), device);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_close_device}: 0, or -1 and errno. */
    static int closeDevice(long context) {
        try {
            return (int) CLOSE_DEVICE.invokeExact(CallState.segment(), context);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_query_device}: 0 or an errno. */
    static int queryDevice(long context, long attr) {
        try {
            return (int) QUERY_DEVICE.invokeExact(context, attr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_query_port}: 0 or an errno; fills a prefix of the structure only. */
    static int queryPort(long context, int port, long attr) {
        try {
            return (int) QUERY_PORT.invokeExact(context, port, attr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code _ibv_query_gid_ex}: 0 or an errno. */
    static int queryGidEx(long context, int port, int index, long entry, int flags, long entrySize) {
        try {
            return (int) QUERY_GID_EX.invokeExact(context, port, index, entry, flags, entrySize);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code _ibv_query_gid_table}: number of entries or a negative errno. */
    static long queryGidTable(long context, long entries, long maxEntries, int flags, long entrySize) {
        try {
            return (long) QUERY_GID_TABLE.invokeExact(context, entries, maxEntries, flags, entrySize);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_query_pkey}: 0, or -1 and errno. */
    static int queryPkey(long context, int port, int index, long pkey) {
        try {
            return (int) QUERY_PKEY.invokeExact(CallState.segment(), context, port, index, pkey);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_alloc_pd}: protection domain, or 0 and errno. */
    static long allocPd(long context) {
        try {
            return (long) ALLOC_PD.invokeExact(CallState.segment(), context);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_dealloc_pd}: 0 or an errno. */
    static int deallocPd(long pd) {
        try {
            return (int) DEALLOC_PD.invokeExact(pd);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_reg_mr_iova2}: region, or 0 and errno. */
    static long regMrIova2(long pd, long address, long length, long iova, int access) {
        try {
            return (long) REG_MR_IOVA2.invokeExact(CallState.segment(), pd, address, length, iova, access);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_reg_mr}: region, or 0 and errno. */
    static long regMr(long pd, long address, long length, int access) {
        try {
            return (long) REG_MR.invokeExact(CallState.segment(), pd, address, length, access);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_dereg_mr}: 0 or an errno. */
    static int deregMr(long mr) {
        try {
            return (int) DEREG_MR.invokeExact(mr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_create_comp_channel}: channel, or 0 and errno. */
    static long createCompChannel(long context) {
        try {
            return (long) CREATE_COMP_CHANNEL.invokeExact(CallState.segment(), context);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_destroy_comp_channel}: 0 or an errno. */
    static int destroyCompChannel(long channel) {
        try {
            return (int) DESTROY_COMP_CHANNEL.invokeExact(channel);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_create_cq}: completion queue, or 0 and errno. */
    static long createCq(long context, int cqe, long cqContext, long channel, int vector) {
        try {
            return (long) CREATE_CQ.invokeExact(CallState.segment(), context, cqe, cqContext, channel, vector);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_destroy_cq}: 0 or an errno; blocks while events are unacknowledged. */
    static int destroyCq(long cq) {
        try {
            return (int) DESTROY_CQ.invokeExact(cq);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /**
     * Calls {@code ibv_create_srq}: shared receive queue, or 0 and errno; writes the granted values into
     * the attributes.
     */
    static long createSrq(long pd, long attr) {
        try {
            return (long) CREATE_SRQ.invokeExact(CallState.segment(), pd, attr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_modify_srq}: 0 or an errno. */
    static int modifySrq(long srq, long attr, int mask) {
        try {
            return (int) MODIFY_SRQ.invokeExact(srq, attr, mask);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_query_srq}: 0 or an errno. */
    static int querySrq(long srq, long attr) {
        try {
            return (int) QUERY_SRQ.invokeExact(srq, attr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_destroy_srq}: 0 or an errno; blocks while events are unacknowledged. */
    static int destroySrq(long srq) {
        try {
            return (int) DESTROY_SRQ.invokeExact(srq);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_create_qp}: queue pair, or 0 and errno; writes the granted values into the attributes. */
    static long createQp(long pd, long attr) {
        try {
            return (long) CREATE_QP.invokeExact(CallState.segment(), pd, attr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_modify_qp}: 0 or an errno. */
    static int modifyQp(long qp, long attr, int mask) {
        try {
            return (int) MODIFY_QP.invokeExact(qp, attr, mask);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_query_qp}: 0 or an errno. */
    static int queryQp(long qp, long attr, int mask, long initAttr) {
        try {
            return (int) QUERY_QP.invokeExact(qp, attr, mask, initAttr);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_destroy_qp}: 0 or an errno. */
    static int destroyQp(long qp) {
        try {
            return (int) DESTROY_QP.invokeExact(qp);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_get_cq_event}: 0, or -1 and errno; blocks. */
    static int getCqEvent(long channel, long cq, long cqContext) {
        try {
            return (int) GET_CQ_EVENT.invokeExact(CallState.segment(), channel, cq, cqContext);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_ack_cq_events}: takes the lock of the queue. */
    static void ackCqEvents(long cq, int events) {
        try {
            ACK_CQ_EVENTS.invokeExact(cq, events);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_get_async_event}: 0, or -1 and errno; blocks if the descriptor is blocking. */
    static int getAsyncEvent(long context, long event) {
        try {
            return (int) GET_ASYNC_EVENT.invokeExact(CallState.segment(), context, event);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code ibv_ack_async_event}: afterwards the object that the event is for may be destroyed. */
    static void ackAsyncEvent(long event) {
        try {
            ACK_ASYNC_EVENT.invokeExact(event);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }
}
