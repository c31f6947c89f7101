package io.rdma.verbs;

import io.rdma.internal.ffi.lib.FfmFork;
import io.rdma.types.ForkStatus;
import io.rdma.types.VerbsException;

/**
 * Support for {@code fork(2)} in a process that has registered memory, {@code ibv_fork_init(3)}. It is hardly ever
 * needed: Linux 5.12 and newer do not need it, and Java starts programs by {@code posix_spawn}. It serves native code
 * in the same process that forks on an older kernel and continues without {@code exec}.
 *
 * <p>With {@code -Dio.rdma.forkInit=true} the library calls {@link #initialize} itself, before it registers any memory.
 */
public final class ForkSupport {
    /** The system property that requests initialization when libibverbs is loaded, if it is {@code true}. */
    public static final String PROPERTY = FfmFork.PROPERTY;

    private ForkSupport() {}

    /**
     * Prepares libibverbs for a fork. From then on each registration costs one more system call.
     *
     * @throws VerbsException EINVAL if memory is already registered: call this first, or set the property. ENOSYS if
     *     there is no libibverbs
     */
    public static void initialize() {
        FfmFork.initialize();
    }

    /**
     * Returns the current status.
     *
     * @return the status; also {@link ForkStatus#UNNEEDED} if there is no libibverbs, because a fork cannot harm the
     *     software device
     */
    public static ForkStatus status() {
        return ForkStatus.of(FfmFork.status());
    }
}
