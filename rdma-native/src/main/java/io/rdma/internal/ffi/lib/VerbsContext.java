package io.rdma.internal.ffi.lib;

import io.rdma.internal.ibv.NativeMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The functions of {@code struct verbs_context}, which lies below its {@code ibv_context} and grows downwards. It
 * exists only if {@code abi_compat} is all ones. One of its fields is valid only if {@code sz} covers it.
 */
final class VerbsContext {
    private static final long ABI_COMPAT = ProviderCalls.abiCompat(System.getProperty("os.arch"));
    private static final long SZ = -8;

    private VerbsContext() {}

    /**
     * Returns a provider's function.
     *
     * @param context the {@code ibv_context}
     * @param field offset from it, negative
     * @return null if the library or the provider lacks it
     */
    static @Nullable MemorySegment function(long context, long field) {
        boolean there = NativeMemory.getLong(context + ABI_COMPAT) == -1
                && NativeMemory.getLong(context + SZ) >= ABI_COMPAT + Long.BYTES - field;
        long function = there ? NativeMemory.getLong(context + field) : 0;
        return function == 0 ? null : MemorySegment.ofAddress(function);
    }
}
