package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What changes of a region, {@code ibv_rereg_mr(3)}; what is not set stays. Immutable.
 *
 * @param access other rights, or null
 * @param memory other memory of the caller's, or null
 * @param domain another domain, or null
 */
public record ReregisterOptions(
        @Nullable Set<AccessFlag> access,
        @Nullable MemorySegment memory,
        @Nullable ProtectionDomain domain) {
    /** Nothing yet. */
    public static final ReregisterOptions NOTHING = new ReregisterOptions(null, null, null);

    /**
     * Other rights, {@code IBV_REREG_MR_CHANGE_ACCESS}.
     *
     * @param value all of them
     * @return a copy
     */
    public ReregisterOptions withAccess(Set<AccessFlag> value) {
        return new ReregisterOptions(Set.copyOf(value), memory, domain);
    }

    /**
     * Other memory, {@code IBV_REREG_MR_CHANGE_TRANSLATION}.
     *
     * @param value native memory
     * @return a copy
     */
    public ReregisterOptions withMemory(MemorySegment value) {
        if (!value.isNative()) {
            throw new IllegalArgumentException("only native memory can be registered: allocate it from an Arena");
        }
        return new ReregisterOptions(access, value, domain);
    }

    /**
     * Another domain, {@code IBV_REREG_MR_CHANGE_PD}.
     *
     * @param value of the same device
     * @return a copy
     */
    public ReregisterOptions withDomain(ProtectionDomain value) {
        return new ReregisterOptions(access, memory, value);
    }

    int flags() {
        return (access == null ? 0 : Ibv.REREG_MR_CHANGE_ACCESS)
                | (memory == null ? 0 : Ibv.REREG_MR_CHANGE_TRANSLATION)
                | (domain == null ? 0 : Ibv.REREG_MR_CHANGE_PD);
    }

    int accessCode() {
        return access == null ? 0 : AccessFlag.registered(access);
    }
}
