package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.types.VerbsException;
import java.lang.foreign.MemorySegment;

/**
 * Memory on the device itself, {@code ibv_alloc_dm(3)}. The CPU reaches it only by copies. The device reaches it
 * without crossing the bus, and so do its peers once a part is registered by
 * {@link ProtectionDomain#register(DeviceMemory, long, long, java.util.Set)}.
 */
public final class DeviceMemory extends NativeObject {
    private final long length;

    DeviceMemory(Verbs verbs, long handle, long length, OpenObjects siblings) {
        super(verbs, handle, siblings);
        this.length = length;
    }

    /**
     * Returns the length.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }

    /**
     * Copies native memory into the device memory, {@code ibv_memcpy_to_dm}.
     *
     * @param offset first byte to write; some devices require multiples of 4 for the offset and the length
     * @param source native memory
     * @throws VerbsException EFAULT or EINVAL if the range exceeds the device memory
     */
    public void copyFrom(long offset, MemorySegment source) {
        verbs.memory().memcpyToDm(handle(), offset, nativeAddress(source), source.byteSize());
    }

    /**
     * Copies device memory into native memory, {@code ibv_memcpy_from_dm}.
     *
     * @param offset first byte to read
     * @param target native memory
     * @throws VerbsException EFAULT or EINVAL if the range exceeds the device memory
     */
    public void copyTo(long offset, MemorySegment target) {
        verbs.memory().memcpyFromDm(nativeAddress(target), handle(), offset, target.byteSize());
    }

    private static long nativeAddress(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException(
                    "only native memory can be copied from and to a device: allocate it from an Arena");
        }
        return segment.address();
    }

    /** Frees the device memory. Its regions must be closed first. */
    @Override
    public void close() {
        super.close();
    }

    @Override
    void destroy(long handle) {
        verbs.memory().freeDm(handle);
    }
}
