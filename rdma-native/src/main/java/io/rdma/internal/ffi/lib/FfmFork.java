package io.rdma.internal.ffi.lib;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.os.CallState;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;

/** {@code ibv_fork_init(3)} and {@code ibv_is_fork_initialized(3)}, which apply to the library, not to a device. */
public final class FfmFork {
    /** The system property that requests {@code ibv_fork_init} when the library is loaded. */
    public static final String PROPERTY = "io.rdma.forkInit";

    private FfmFork() {}

    /** Calls {@code ibv_fork_init(3)}. */
    public static void initialize() {
        if (FfmVerbs.ifAvailable().isEmpty()) {
            throw new VerbsException(
                    "ibv_fork_init", Errno.ENOSYS, FfmVerbs.unavailableReason().orElse(null));
        }
        init();
    }

    /**
     * Calls {@code ibv_fork_init(3)} without a check that the library is available, because it also runs while the
     * library is being loaded.
     */
    static void init() {
        int result;
        try {
            result = (int) MemoryCalls.FORK_INIT.invokeExact();
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
        if (result == Errno.EINVAL) {
            throw new VerbsException(
                    "ibv_fork_init",
                    result,
                    "Memory is registered already: call it before the first registration, or start with -D" + PROPERTY
                            + "=true");
        }
        Outcome.zero("ibv_fork_init", result);
    }

    /**
     * Calls {@code ibv_is_fork_initialized(3)}.
     *
     * @return {@code IBV_FORK_*}
     */
    public static int status() {
        if (FfmVerbs.ifAvailable().isEmpty()) {
            return Ibv.FORK_UNNEEDED;
        }
        if (!IbverbsCalls.has("ibv_is_fork_initialized")) {
            return Ibv.FORK_DISABLED; // rdma-core before 35 lacks the call
        }
        try {
            return (int) MemoryCalls.IS_FORK_INITIALIZED.invokeExact();
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }
}
