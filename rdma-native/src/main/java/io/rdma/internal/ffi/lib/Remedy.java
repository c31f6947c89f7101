package io.rdma.internal.ffi.lib;

import io.rdma.internal.os.Libc;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import org.jspecify.annotations.Nullable;

/** The exceptions for failed calls, with the remedy. */
final class Remedy {
    private static final String PERMISSION =
            "Allow this user to open /dev/infiniband/uverbs*: add it to the group that owns the files"
                    + " (often rdma), or pass the devices into the container";

    private static final String PINNING =
            "The kernel cannot pin these pages. Since Linux 6.5 a device cannot write a file on a disk that is mapped"
                    + " READ_WRITE: put it on tmpfs, or register it without rights to write. Before Linux 6.2 a file"
                    + " that is mapped READ_ONLY cannot be registered: map it READ_WRITE or PRIVATE. Or register it"
                    + " ON_DEMAND";

    private static final String RATES = "Choose a rate from qpRateLimitMin to qpRateLimitMax of the device's extended"
            + " attributes, for a queue pair in RTS";

    private Remedy() {}

    static VerbsException failed(String call, int errno) {
        return new VerbsException(call, errno, remedy(call, errno));
    }

    private static @Nullable String remedy(String call, int errno) {
        return switch (errno) {
            case Errno.EACCES, Errno.EPERM -> PERMISSION;
            // Without permission, rdma-core looks for the device file elsewhere and reports that it found none.
            case Errno.ENOENT -> call.startsWith("ibv_open_device") ? PERMISSION : null;
            case Errno.ENOMEM, Errno.EAGAIN ->
                call.startsWith("ibv_reg_mr") || call.startsWith("ibv_create")
                        ? "The memory that may be locked is " + memlock()
                                + ": raise it with ulimit -l, limits.conf or LimitMEMLOCK"
                        : null;
            case Errno.EFAULT -> call.startsWith("ibv_reg_mr") ? PINNING : null;
            case Errno.EBUSY -> "An object that was made from this one is still open: close that first";
            case Errno.EOPNOTSUPP, Errno.ENOSYS ->
                "This device or its provider does not support it: do without it, or use another device";
            // EINVAL of other calls has too many causes to name one.
            case Errno.EINVAL -> call.startsWith("ibv_modify_qp_rate_limit") ? RATES : null;
            case Errno.ENODEV -> "The device was removed: list the devices again";
            default -> null;
        };
    }

    private static String memlock() {
        long limit = Libc.softLimit(Libc.RLIMIT_MEMLOCK);
        return limit == -1 ? "unlimited" : limit + " bytes (RLIMIT_MEMLOCK)";
    }
}
