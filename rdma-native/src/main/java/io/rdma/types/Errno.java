package io.rdma.types;

/** Error numbers of Linux that verbs calls return, {@code errno(3)}. */
public final class Errno {
    /** Operation not permitted. */
    public static final int EPERM = 1;
    /** No such file or directory. */
    public static final int ENOENT = 2;
    /** Input/output error. */
    public static final int EIO = 5;
    /** Try again. */
    public static final int EAGAIN = 11;
    /** Out of memory. For a post: the queue is full. */
    public static final int ENOMEM = 12;
    /** Permission denied. */
    public static final int EACCES = 13;
    /** Bad address. */
    public static final int EFAULT = 14;
    /** Busy: the object is still in use. */
    public static final int EBUSY = 16;
    /** No such device. */
    public static final int ENODEV = 19;
    /** Invalid argument. */
    public static final int EINVAL = 22;
    /** No space left. {@code rdma_rxe} returns it for a full queue. */
    public static final int ENOSPC = 28;
    /** Not implemented. */
    public static final int ENOSYS = 38;
    /** Operation not supported. */
    public static final int EOPNOTSUPP = 95;
    /** Address in use. */
    public static final int EADDRINUSE = 98;
    /** Cannot assign requested address. */
    public static final int EADDRNOTAVAIL = 99;
    /** Connection reset by the peer. */
    public static final int ECONNRESET = 104;
    /** Connection timed out. */
    public static final int ETIMEDOUT = 110;
    /** Connection refused. */
    public static final int ECONNREFUSED = 111;
    /** No route to host. */
    public static final int EHOSTUNREACH = 113;

    private Errno() {}

    /**
     * Returns the name and the meaning of an error number.
     *
     * @param errno positive
     * @return such as {@code EINVAL (22, invalid argument)}
     */
    public static String describe(int errno) {
        return switch (errno) {
            case EPERM -> "EPERM (1, operation not permitted)";
            case ENOENT -> "ENOENT (2, no such file or directory)";
            case EIO -> "EIO (5, input/output error)";
            case EAGAIN -> "EAGAIN (11, try again)";
            case ENOMEM -> "ENOMEM (12, out of memory)";
            case EACCES -> "EACCES (13, permission denied)";
            case EFAULT -> "EFAULT (14, bad address)";
            case EBUSY -> "EBUSY (16, busy)";
            case ENODEV -> "ENODEV (19, no such device)";
            case EINVAL -> "EINVAL (22, invalid argument)";
            case ENOSPC -> "ENOSPC (28, no space left)";
            case ENOSYS -> "ENOSYS (38, not implemented)";
            case EOPNOTSUPP -> "EOPNOTSUPP (95, operation not supported)";
            case EADDRINUSE -> "EADDRINUSE (98, address in use)";
            case EADDRNOTAVAIL -> "EADDRNOTAVAIL (99, cannot assign requested address)";
            case ECONNRESET -> "ECONNRESET (104, connection reset)";
            case ETIMEDOUT -> "ETIMEDOUT (110, timed out)";
            case ECONNREFUSED -> "ECONNREFUSED (111, connection refused)";
            case EHOSTUNREACH -> "EHOSTUNREACH (113, no route to host)";
            default -> "errno " + errno;
        };
    }
}
