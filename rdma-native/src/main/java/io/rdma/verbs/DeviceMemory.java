package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.types.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.function.LongConsumer;

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
     * @param source native memory; must stay alive meanwhile
     * @throws IllegalArgumentException if it is a heap segment
     * @throws IllegalStateException if it is freed
     * @throws VerbsException EFAULT or EINVAL if the range exceeds the device memory
     */
    public void copyFrom(long offset, MemorySegment source) {
        copy(source, address -> verbs.memory().memcpyToDm(handle(), offset, address, source.byteSize()));
    }

    /**
     * Copies device memory into native memory, {@code ibv_memcpy_from_dm}.
     *
     * @param offset first byte to read
     * @param target native memory; must stay alive meanwhile
     * @throws IllegalArgumentException if it is a heap segment or read-only
     * @throws IllegalStateException if it is freed
     * @throws VerbsException EFAULT or EINVAL if the range exceeds the device memory
     */
    public void copyTo(long offset, MemorySegment target) {
        if (target.isReadOnly()) {
            throw new IllegalArgumentException(
                    "device memory cannot be copied to read-only memory: give a segment that can be written");
        }
        copy(target, address -> verbs.memory().memcpyFromDm(address, handle(), offset, target.byteSize()));
    }

    /** Makes a call with the address of a segment, whose memory is not collected meanwhile. */
    private static void copy(MemorySegment segment, LongConsumer call) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException(
                    "only native memory can be copied from and to a device: allocate it from an Arena");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the memory to be copied from or to is freed: its Arena is closed");
        }
        try {
            call.accept(segment.address());
        } finally {
            Reference.reachabilityFence(segment);
        }
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
