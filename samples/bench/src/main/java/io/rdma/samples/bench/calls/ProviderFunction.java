package io.rdma.samples.bench.calls;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.internal.ffi.lib.ProviderCalls;
import io.rdma.internal.ibv.NativeMemory;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** A verb that {@code verbs.h} defines inline. No library exports it; a context points to the provider's function. */
public enum ProviderFunction {
    /** {@code ibv_poll_cq(3)}. */
    POLL_CQ("ibv_poll_cq"),
    /** {@code ibv_post_recv(3)}. */
    POST_RECV("ibv_post_recv"),
    /** {@code ibv_post_send(3)}. */
    POST_SEND("ibv_post_send");

    private final String call;

    ProviderFunction(String call) {
        this.call = call;
    }

    /** Returns the name of the function in the manual. */
    String call() {
        return call;
    }

    /**
     * Returns the second argument of a call that has no effect: for a poll, one entry for an empty queue; for a post, a
     * chain without a request, for which some providers return EINVAL and none does anything.
     */
    long nothing() {
        return this == POLL_CQ ? 1 : 0;
    }

    FunctionDescriptor descriptor() {
        return FunctionDescriptor.of(JAVA_INT, JAVA_LONG, this == POLL_CQ ? JAVA_INT : JAVA_LONG, JAVA_LONG);
    }

    private long offset() {
        return switch (this) {
            case POLL_CQ -> ProviderCalls.OPS_POLL_CQ;
            case POST_RECV -> ProviderCalls.OPS_POST_RECV;
            case POST_SEND -> ProviderCalls.OPS_POST_SEND;
        };
    }

    /** Returns the function for an object whose first field is its context. */
    MemorySegment of(long object) {
        return read(object, offset());
    }

    /** Returns {@link #of} as a handle with one argument, to be composed into a call. */
    MethodHandle reader() {
        try {
            MethodType type = MethodType.methodType(MemorySegment.class, long.class, long.class);
            MethodHandle read = MethodHandles.lookup().findStatic(ProviderFunction.class, "read", type);
            return MethodHandles.insertArguments(read, 1, offset());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static MemorySegment read(long object, long offset) {
        return MemorySegment.ofAddress(NativeMemory.getLong(NativeMemory.getLong(object) + offset));
    }
}
