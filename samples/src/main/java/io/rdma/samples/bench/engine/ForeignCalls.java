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

/** What a call of C costs by the way it is made; the function, {@code labs(3)}, does next to nothing. */
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

    // Each call needs the result of the one before, so none can be left out.

    /** A symbol that the handle is bound to. */
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

    /** The same, without the transition of the thread: only for what neither blocks nor calls back. */
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

    /** A function pointer that is an argument, as those of a provider are. */
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

    /** The same, without the transition. */
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

    /** A function pointer, and errno kept. */
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
