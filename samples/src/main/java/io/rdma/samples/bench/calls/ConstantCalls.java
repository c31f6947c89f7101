package io.rdma.samples.bench.calls;

import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

// Invariant: never initialised as the class that it is, only as hidden classes made of its bytes, each with a handle.

/** What {@link TimedCalls#of} makes classes of. */
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
        int results = 0; // without a branch, of which the compilers would expect what the warm-up did
        try {
            long start = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                results |= (int) CALL.invokeExact(object, second, third);
            }
            long nanos = System.nanoTime() - start;
            failure = results;
            return nanos;
        } catch (Throwable e) {
            throw new AssertionError(e); // a function of C throws nothing
        }
    }

    @Override
    public int failure() {
        return failure;
    }
}
