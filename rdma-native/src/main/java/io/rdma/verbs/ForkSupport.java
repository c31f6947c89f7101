package io.rdma.verbs;

import io.rdma.internal.ffi.lib.FfmFork;

/**
 * Registered memory and {@code fork(2)}, {@code ibv_fork_init(3)}. Hardly ever needed: Linux 5.12 and newer need
 * nothing, and Java starts programs by {@code posix_spawn}; it is for native code in the same process that forks and
 * goes on without {@code exec} on an older kernel.
 *
 * <p>With {@code -Dio.rdma.forkInit=true} the library calls {@link #initialize} itself, before anything is registered.
 */
public final class ForkSupport {
    /** System property: {@code true} initializes when libibverbs is loaded. */
    public static final String PROPERTY = "io.rdma.forkInit";

    private ForkSupport() {}

    /**
     * Prepares libibverbs; each registration costs a system call more from then on.
     *
     * @throws VerbsException EINVAL if memory was registered before: call it first, or set the property; ENOSYS if
     *     there is no libibverbs
     */
    public static void initialize() {
        FfmFork.initialize();
    }

    /**
     * How it is now.
     *
     * @return {@link ForkStatus#UNNEEDED} where there is no libibverbs either: the software device has nothing that a
     *     fork could harm
     */
    public static ForkStatus status() {
        return ForkStatus.of(FfmFork.status());
    }
}
