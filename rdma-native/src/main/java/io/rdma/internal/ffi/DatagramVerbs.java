package io.rdma.internal.ffi;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;

/**
 * The part of {@link Verbs} that only datagrams need: address handles and multicast groups. A device without datagrams
 * inherits the default methods, which fail.
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
     * Destroys an address handle, {@code ibv_destroy_ah(3)}. No request that uses it may be in flight.
     *
     * @param ah handle
     */
    default void destroyAh(long ah) {
        throw unsupported("ibv_destroy_ah");
    }

    /**
     * Attaches a UD queue pair to a multicast group, {@code ibv_attach_mcast(3)}.
     *
     * @param qp handle
     * @param gid GID of the group, 16 bytes
     * @param lid LID of the group, 0 on Ethernet
     */
    default void attachMcast(long qp, byte[] gid, int lid) {
        throw unsupported("ibv_attach_mcast");
    }

    /**
     * Detaches a queue pair from a multicast group, {@code ibv_detach_mcast(3)}. This must precede the destruction of
     * the queue pair.
     *
     * @param qp handle
     * @param gid GID of the group, 16 bytes
     * @param lid as attached
     */
    default void detachMcast(long qp, byte[] gid, int lid) {
        throw unsupported("ibv_detach_mcast");
    }

    private static VerbsException unsupported(String call) {
        return new VerbsException(call, Errno.EOPNOTSUPP, "This device does not support datagrams");
    }
}
