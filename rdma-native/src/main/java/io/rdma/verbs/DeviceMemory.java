package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import java.lang.foreign.MemorySegment;

/**
 * Memory on the device itself, {@code ibv_alloc_dm(3)}: the CPU reaches it by copies only, the device and, once a part
 * is registered by {@link ProtectionDomain#register(DeviceMemory, long, long, java.util.Set)}, its peers without
 * crossing the bus.
 */
public final class DeviceMemory extends NativeObject {
    private final long length;

    DeviceMemory(Verbs verbs, long handle, long length, OpenObjects siblings) {
        super(verbs, handle, siblings);
        this.length = length;
    }

    /**
     * Length.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }

    /**
     * Writes, {@code ibv_memcpy_to_dm}.
     *
     * @param offset first byte; devices may want multiples of 4, of the length as well
     * @param source native memory
     * @throws VerbsException EFAULT or EINVAL if the range does not lie inside
     */
    public void copyFrom(long offset, MemorySegment source) {
        verbs.memory().memcpyToDm(handle(), offset, nativeAddress(source), source.byteSize());
    }

    /**
     * Reads, {@code ibv_memcpy_from_dm}.
     *
     * @param offset first byte
     * @param target native memory
     * @throws VerbsException EFAULT or EINVAL if the range does not lie inside
     */
    public void copyTo(long offset, MemorySegment target) {
        verbs.memory().memcpyFromDm(nativeAddress(target), handle(), offset, target.byteSize());
    }

    private static long nativeAddress(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("only native memory can be copied from and to a device");
        }
        return segment.address();
    }

    /** Frees it; its regions must be closed before. */
    @Override
    public void close() {
        super.close();
    }

    @Override
    void destroy(long handle) {
        verbs.memory().freeDm(handle);
    }
}
