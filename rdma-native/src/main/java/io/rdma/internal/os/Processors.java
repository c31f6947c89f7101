package io.rdma.internal.os;

import io.rdma.types.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;

/**
 * Processors on which threads of this process run, {@code sched_setaffinity(2)}, where {@link SixLongs#supported}. A
 * failure is the negative errno.
 */
public final class Processors {
    private static final long BYTES = 1024; // 8192 processors, the most that Linux can have
    private static final MethodHandle CALL = SixLongs.link();
    private static final MemorySegment SET = SixLongs.symbol("sched_setaffinity");
    private static final MemorySegment GET = SixLongs.symbol("sched_getaffinity");

    private Processors() {}

    /** Returns the processors on which the calling thread may run; empty if that cannot be read. */
    public static BitSet ofThisThread() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(BYTES, Long.BYTES);
            return call(GET, set) < 0 ? new BitSet() : BitSet.valueOf(set.toArray(ValueLayout.JAVA_LONG));
        }
    }

    /**
     * Lets the calling thread run on these processors only.
     *
     * @return 0, or a negative errno: EINVAL if there is none of them that this process may use
     */
    public static int restrictThisThread(BitSet processors) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(BYTES, Long.BYTES);
            long[] bits = processors.toLongArray();
            MemorySegment.copy(bits, 0, set, ValueLayout.JAVA_LONG, 0, bits.length);
            return call(SET, set);
        }
    }

    /**
     * Tries whether threads of this process may run on a processor. A thread that ends at once tries it, so no other
     * thread is moved.
     *
     * @return 0, or a negative errno: EINVAL if there is no such processor, or this process may not use it
     */
    public static int check(int processor) {
        BitSet one = new BitSet();
        one.set(processor);
        int[] result = {-Errno.EINVAL};
        Thread trial =
                Thread.ofPlatform().name("rdma-processor").daemon().start(() -> result[0] = restrictThisThread(one));
        boolean interrupted = false;
        while (true) {
            try {
                trial.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true; // the trial is short
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return result[0];
    }

    private static int call(MemorySegment function, MemorySegment set) {
        try {
            int result =
                    (int) (long) CALL.invokeExact(function, CallState.segment(), 0L, BYTES, set.address(), 0L, 0L, 0L);
            return result >= 0 ? 0 : -CallState.errno();
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }
}
