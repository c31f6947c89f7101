package io.rdma.samples.bench.calls;

import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

// Invariant: this class itself is never initialised. Only hidden classes made from its bytes are, each with a handle.

/** The template from which {@link TimedCalls#of} makes classes. */
final class ConstantCalls implements TimedCalls {
    private static final MethodHandle CALL = call();

    private int failure;

    ConstantCalls() {}

    private static MethodHandle call() {
        try {
            return MethodHandles.classData(MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, MethodHandle.class);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public long nanos(int calls, long object, long second, long third) {
        int results = 0; // without a branch, which the compilers would optimise for the warm-up
        try {
            long start = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                results |= (int) CALL.invokeExact(object, second, third);
            }
            long nanos = System.nanoTime() - start;
            failure = results;
            return nanos;
        } catch (Throwable e) {
            throw new AssertionError(e); // a C function throws nothing
        }
    }

    @Override
    public int failure() {
        return failure;
    }
}
