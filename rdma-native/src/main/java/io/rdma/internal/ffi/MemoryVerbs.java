package io.rdma.internal.ffi;

import io.rdma.internal.ibv.DeviceAttrEx;
import io.rdma.internal.ibv.Mr;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;

/**
 * The calls for kinds of memory beyond {@link Verbs#regMr}, by the conventions of {@link Verbs}. A device that lacks
 * one fails with EOPNOTSUPP, as the default methods do.
 */
public interface MemoryVerbs {
    /** Creates the exception for a call that the device lacks. */
    private static VerbsException lacks(String call, String what) {
        return new VerbsException(call, Errno.EOPNOTSUPP, "This device does not support " + what);
    }

    /**
     * Queries further capabilities, {@code ibv_query_device_ex(3)}.
     *
     * @param context handle
     * @return the attributes; all 0 if the provider does not know the call
     */
    default DeviceAttrEx queryDeviceEx(long context) {
        return DeviceAttrEx.NONE;
    }

    /**
     * Changes a region, {@code ibv_rereg_mr(3)}. No request may use the region during the call.
     *
     * @param mr handle
     * @param flags {@code IBV_REREG_MR_CHANGE_*}: selects the parameters below that take effect
     * @param pd handle
     * @param address first byte
     * @param length in bytes
     * @param access {@code IBV_ACCESS_*}
     * @return the same handle, perhaps with other keys
     */
    default Mr reregMr(long mr, int flags, long pd, long address, long length, int access) {
        throw lacks("ibv_rereg_mr", "reregistration: register the memory again");
    }

    /**
     * Registers memory of another device, {@code ibv_reg_dmabuf_mr(3)}.
     *
     * @param pd handle
     * @param offset offset within the dma-buf
     * @param length in bytes
     * @param iova address by which work requests name the first byte
     * @param fd descriptor of the dma-buf
     * @param access {@code IBV_ACCESS_*}
     * @return handle and keys
     */
    default Mr regDmabufMr(long pd, long offset, long length, long iova, int fd, int access) {
        throw lacks("ibv_reg_dmabuf_mr", "the registration of dma-bufs");
    }

    /**
     * Allocates memory on the device, {@code ibv_alloc_dm(3)}.
     *
     * @param context handle
     * @param length in bytes
     * @param logAlign alignment, exponent of 2
     * @return handle
     */
    default long allocDm(long context, long length, int logAlign) {
        throw lacks("ibv_alloc_dm", "device memory");
    }

    /**
     * Frees memory on the device, {@code ibv_free_dm}, see {@code ibv_alloc_dm(3)}.
     *
     * @param dm handle
     */
    default void freeDm(long dm) {
        throw lacks("ibv_free_dm", "device memory");
    }

    /**
     * Registers memory on the device, {@code ibv_reg_dm_mr}, see {@code ibv_alloc_dm(3)}.
     *
     * @param pd handle
     * @param dm handle
     * @param offset offset within that memory
     * @param length in bytes
     * @param access {@code IBV_ACCESS_*}, with {@code ZERO_BASED}
     * @return handle and keys
     */
    default Mr regDmMr(long pd, long dm, long offset, long length, int access) {
        throw lacks("ibv_reg_dm_mr", "device memory");
    }

    /**
     * Copies to the device, {@code ibv_memcpy_to_dm}, see {@code ibv_alloc_dm(3)}.
     *
     * @param dm handle
     * @param offset offset within that memory
     * @param from source address
     * @param length in bytes
     */
    default void memcpyToDm(long dm, long offset, long from, long length) {
        throw lacks("ibv_memcpy_to_dm", "device memory");
    }

    /**
     * Copies from the device, {@code ibv_memcpy_from_dm}, see {@code ibv_alloc_dm(3)}.
     *
     * @param to target address
     * @param dm handle
     * @param offset offset within that memory
     * @param length in bytes
     */
    default void memcpyFromDm(long to, long dm, long offset, long length) {
        throw lacks("ibv_memcpy_from_dm", "device memory");
    }

    /**
     * Allocates a parent domain, {@code ibv_alloc_parent_domain(3)}. Free it like a protection domain, and
     * before {@code pd} and {@code td}.
     *
     * @param context handle
     * @param pd handle of the protection domain that it stands for
     * @param td handle of the thread domain of its queue pairs, or 0 for none
     * @return handle
     */
    default long allocParentDomain(long context, long pd, long td) {
        throw lacks("ibv_alloc_parent_domain", "parent domains");
    }

    /**
     * Gives advice about a part of an on-demand region, {@code ibv_advise_mr(3)}.
     *
     * @param pd handle
     * @param advice {@code IBV_ADVISE_MR_ADVICE_*}
     * @param flush whether to wait until the device has followed the advice
     * @param address address of the part, as work requests name it
     * @param length in bytes, below 2 to the power of 32
     * @param lkey local key
     */
    default void adviseMr(long pd, int advice, boolean flush, long address, int length, int lkey) {
        throw lacks("ibv_advise_mr", "advice on memory regions");
    }

    /**
     * Changes the depth of a completion queue, {@code ibv_resize_cq(3)}.
     *
     * @param cq handle
     * @param cqe least number of entries, at least the number of completions in the queue
     * @return the granted number of entries
     */
    default int resizeCq(long cq, int cqe) {
        throw lacks("ibv_resize_cq", "resizing completion queues");
    }
}
