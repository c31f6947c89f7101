package io.rdma.internal.ffi.lib;

import io.rdma.internal.os.CallState;
import io.rdma.types.Errno;

/** The results of C calls, converted to a value or to the exception with the remedy. */
final class Outcome {
    private Outcome() {}

    /**
     * Returns whether a call failed because the provider lacks it. rdma-core fills the functions that a provider lacks
     * with some that return EOPNOTSUPP.
     */
    static boolean isLack(int result) {
        int errno = Math.abs(result);
        return errno == Errno.EOPNOTSUPP || errno == Errno.ENOSYS;
    }

    /** Checks a call that returns NULL and sets errno. */
    static long pointer(String call, long result) {
        if (result == 0) {
            throw Remedy.failed(call, CallState.errno());
        }
        return result;
    }

    /** Checks a call that returns the errno itself, with either sign. */
    static void zero(String call, int result) {
        if (result != 0) {
            throw Remedy.failed(call, Math.abs(result));
        }
    }

    /** Checks a call that returns -1 and sets errno. */
    static void minusOne(String call, int result) {
        if (result != 0) {
            throw Remedy.failed(call, CallState.errno());
        }
    }
}
