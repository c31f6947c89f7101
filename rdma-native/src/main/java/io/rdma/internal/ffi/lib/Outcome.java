package io.rdma.internal.ffi.lib;

import io.rdma.internal.os.CallState;

/** What C calls return, as a value or the exception that says what to do. */
final class Outcome {
    private Outcome() {}

    /** For calls that return NULL and set errno. */
    static long pointer(String call, long result) {
        if (result == 0) {
            throw Remedy.failed(call, CallState.errno());
        }
        return result;
    }

    /** For calls that return the errno itself, whatever its sign. */
    static void zero(String call, int result) {
        if (result != 0) {
            throw Remedy.failed(call, Math.abs(result));
        }
    }

    /** For calls that return -1 and set errno. */
    static void minusOne(String call, int result) {
        if (result != 0) {
            throw Remedy.failed(call, CallState.errno());
        }
    }
}
