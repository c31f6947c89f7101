package io.rdma.internal.ffi.lib;

import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import org.jspecify.annotations.Nullable;

/** The exceptions for failed calls of librdmacm, with the remedy. */
final class CmRemedy {
    private static final int ENETUNREACH = 101;
    private static final int EHOSTUNREACH = 113;

    private CmRemedy() {}

    static VerbsException failed(String call, int errno) {
        return new VerbsException(call, errno, remedy(call, errno));
    }

    private static @Nullable String remedy(String call, int errno) {
        boolean address = call.equals("rdma_bind_addr") || call.equals("rdma_resolve_addr");
        return switch (errno) {
            case Errno.ENODEV, Errno.ENOENT, Errno.ENOSYS ->
                address
                        ? "No RDMA device belongs to the network interface of this address: see rdma link show"
                        : "The kernel offers no RDMA CM: load its module (modprobe rdma_ucm), and see that there is"
                                + " /dev/infiniband/rdma_cm";
            case Errno.EACCES, Errno.EPERM ->
                "Allow this user to open /dev/infiniband/rdma_cm, or pass it into the container";
            case Errno.EADDRINUSE -> "Choose another port, or 0 for a free one";
            case Errno.EADDRNOTAVAIL -> "The address does not belong to this host, or to none of its RDMA devices";
            case ENETUNREACH, EHOSTUNREACH -> "This host has no route to that address";
            default -> null;
        };
    }
}
