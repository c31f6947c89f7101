package io.rdma.internal.os;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Native memory of one thread, a few bytes: for the {@code errno} of a call, and for small arguments of frequent calls.
 *
 * <p>Invariant: nothing here outlives one call of {@code FfmVerbs}. Each thread, also a virtual one, accesses only its
 * own memory, so {@code errno} is that of its own last call.
 */
public final class CallState {
    /**
     * Option of each handle whose function sets {@code errno}, as its man page says. The handle then takes {@link
     * #segment()} as its first argument.
     */
    public static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");

    private static final int ERRNO_OFFSET = Math.toIntExact(Linker.Option.captureStateLayout()
            .byteOffset(java.lang.foreign.MemoryLayout.PathElement.groupElement("errno")));
    private static final int STATE_SIZE =
            Math.toIntExact(Linker.Option.captureStateLayout().byteSize());
    private static final int SCRATCH = 16;
    public static final int SCRATCH_SIZE = 32;

    private static final ThreadLocal<CallState> CURRENT = ThreadLocal.withInitial(CallState::new);

    private final MemorySegment memory;

    private CallState() {
        if (STATE_SIZE > SCRATCH) {
            throw new AssertionError("call state of " + STATE_SIZE + " bytes");
        }
        memory = Arena.ofAuto().allocate(SCRATCH + SCRATCH_SIZE, 8);
    }

    /** Returns the segment that a handle with {@link #ERRNO} takes as its first argument. */
    public static MemorySegment segment() {
        return CURRENT.get().memory;
    }

    /** Returns the {@code errno} of this thread's last call that captured it. */
    public static int errno() {
        return segment().get(ValueLayout.JAVA_INT, ERRNO_OFFSET);
    }

    /** Returns the address of 32 bytes, aligned to 8, for the arguments of one call. */
    public static long scratch() {
        return segment().address() + SCRATCH;
    }

    /** Rethrows the exception of a downcall. It is a fault of this package or an error of the virtual machine. */
    public static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        if (e instanceof RuntimeException runtime) {
            throw runtime;
        }
        throw new IllegalStateException(e);
    }
}
