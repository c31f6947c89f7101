package io.rdma.internal.ffi;

import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;

/**
 * The part of {@link Verbs} that only datagrams need: address handles and multicast groups. A device that has no
 * datagrams inherits the refusals.
 */
public interface DatagramVerbs {
    /**
     * Creates an address handle, {@code ibv_create_ah(3)}.
     *
     * @param pd handle
     * @param attr the path; on RoCE it must be global
     * @return handle
     */
    default long createAh(long pd, AhAttr attr) {
        throw unsupported("ibv_create_ah");
    }

    /**
     * Destroys an address handle, {@code ibv_destroy_ah(3)}; no request that names it may be in flight.
     *
     * @param ah handle
     */
    default void destroyAh(long ah) {
        throw unsupported("ibv_destroy_ah");
    }

    /**
     * Has a UD queue pair receive what is sent to a group, {@code ibv_attach_mcast(3)}.
     *
     * @param qp handle
     * @param gid of the group, 16 bytes
     * @param lid of the group, 0 on Ethernet
     */
    default void attachMcast(long qp, byte[] gid, int lid) {
        throw unsupported("ibv_attach_mcast");
    }

    /**
     * Ends {@link #attachMcast}, {@code ibv_detach_mcast(3)}; a queue pair that is destroyed must be detached before.
     *
     * @param qp handle
     * @param gid of the group, 16 bytes
     * @param lid as it was attached with
     */
    default void detachMcast(long qp, byte[] gid, int lid) {
        throw unsupported("ibv_detach_mcast");
    }

    private static VerbsException unsupported(String call) {
        return new VerbsException(call, Errno.EOPNOTSUPP, "This device has no datagrams");
    }
}
