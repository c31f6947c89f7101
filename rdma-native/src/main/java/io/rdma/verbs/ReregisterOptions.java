package io.rdma.verbs;

import io.rdma.internal.ibv.Ibv;
import io.rdma.types.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes to a region, {@code ibv_rereg_mr(3)}. Properties that are not set stay as they are. Immutable.
 *
 * @param access new rights, or null
 * @param memory new memory of the caller, or null
 * @param domain new protection domain, or null
 */
public record ReregisterOptions(
        @Nullable Set<AccessFlag> access,
        @Nullable MemorySegment memory,
        @Nullable ProtectionDomain domain) {
    /** No changes. */
    public static final ReregisterOptions NOTHING = new ReregisterOptions(null, null, null);

    /**
     * Returns a copy that changes the rights, {@code IBV_REREG_MR_CHANGE_ACCESS}.
     *
     * @param value all rights afterwards
     * @return a copy
     */
    public ReregisterOptions withAccess(Set<AccessFlag> value) {
        return new ReregisterOptions(Set.copyOf(value), memory, domain);
    }

    /**
     * Returns a copy that changes the memory, {@code IBV_REREG_MR_CHANGE_TRANSLATION}. Work requests and peers name the
     * new memory by its address, also if the region was zero-based. Read-only memory needs {@link #withAccess} too,
     * without a right to write.
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
     * Returns a copy that changes the protection domain, {@code IBV_REREG_MR_CHANGE_PD}.
     *
     * @param value of the same device
     * @return a copy
     */
    public ReregisterOptions withDomain(ProtectionDomain value) {
        return new ReregisterOptions(access, memory, value);
    }

    /**
     * Refuses rights to write for read-only memory, in which the device cannot write. Rights that stay as they are may
     * include them.
     *
     * @param now memory of the region before the change
     */
    void requireWritable(MemorySegment now) {
        if (access != null) {
            requireWritable(memory == null ? now : memory, access);
        } else if (memory != null && memory.isReadOnly()) {
            throw new IllegalArgumentException("read-only memory needs its rights, and the region may have others: call"
                    + " withAccess too, without the rights to write");
        }
    }

    static void requireWritable(MemorySegment memory, Set<AccessFlag> access) {
        if (memory.isReadOnly() && (AccessFlag.registered(access) & AccessFlag.LOCAL_WRITE.code()) != 0) {
            throw new IllegalArgumentException("read-only memory cannot be registered with " + access
                    + ": leave out the rights to write, or map the file READ_WRITE");
        }
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
