package io.rdma.samples.bench.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A benchmark of the ways to call a C function. The function, {@code labs(3)}, does almost nothing. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ForeignCalls {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final FunctionDescriptor TYPE = FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
    private static final MemorySegment FUNCTION =
            LINKER.defaultLookup().find("labs").orElseThrow();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();

    private static final MethodHandle BOUND = LINKER.downcallHandle(FUNCTION, TYPE);
    private static final MethodHandle BOUND_CRITICAL =
            LINKER.downcallHandle(FUNCTION, TYPE, Linker.Option.critical(false));
    private static final MethodHandle POINTER = LINKER.downcallHandle(TYPE);
    private static final MethodHandle POINTER_CRITICAL = LINKER.downcallHandle(TYPE, Linker.Option.critical(false));
    private static final MethodHandle ERRNO = LINKER.downcallHandle(TYPE, Linker.Option.captureCallState("errno"));

    private final MemorySegment function = MemorySegment.ofAddress(FUNCTION.address());
    private final MemorySegment state = Arena.global().allocate(STATE);

    // Each call depends on the result of the previous one, so the compiler cannot remove any.

    /** Calls a symbol to which the handle is bound. */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public long bound(Counted counted) throws Throwable {
        counted.before();
        long value = -1;
        for (int i = 0; i < Seam.BATCH; i++) {
            value = -(long) BOUND.invokeExact(value);
        }
        counted.after();
        return value;
    }

    /**
     * Calls the symbol without the state transition of the thread, which is only for functions that neither block nor
     * call back.
     */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public long boundCritical(Counted counted) throws Throwable {
        counted.before();
        long value = -1;
        for (int i = 0; i < Seam.BATCH; i++) {
            value = -(long) BOUND_CRITICAL.invokeExact(value);
        }
        counted.after();
        return value;
    }

    /** Calls a function pointer that is an argument, like the functions of a provider. */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public long pointer(Counted counted) throws Throwable {
        counted.before();
        long value = -1;
        for (int i = 0; i < Seam.BATCH; i++) {
            value = -(long) POINTER.invokeExact(function, value);
        }
        counted.after();
        return value;
    }

    /** Calls the function pointer without the state transition of the thread. */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public long pointerCritical(Counted counted) throws Throwable {
        counted.before();
        long value = -1;
        for (int i = 0; i < Seam.BATCH; i++) {
            value = -(long) POINTER_CRITICAL.invokeExact(function, value);
        }
        counted.after();
        return value;
    }

    /** Calls the function pointer and captures errno. */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public long pointerErrno(Counted counted) throws Throwable {
        counted.before();
        long value = -1;
        for (int i = 0; i < Seam.BATCH; i++) {
            value = -(long) ERRNO.invokeExact(function, state, value);
        }
        counted.after();
        return value;
    }
}
