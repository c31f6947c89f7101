package io.rdma.types;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The right to use a range of a peer's memory: address, length and remote key. It is a capability: a program that knows
 * it and has a connection to the peer can use the memory until the peer deregisters it.
 *
 * @param address address of the first byte in the peer's address space
 * @param length in bytes
 * @param rkey remote key
 */
public record RemoteMemory(long address, long length, int rkey) {
    /** Size in bytes of the result of {@link #encode}. */
    public static final int ENCODED_BYTES = 20;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Checks the range. */
    public RemoteMemory {
        if (length < 0) {
            throw new IllegalArgumentException("length of remote memory must not be negative: " + length);
        }
        if (Long.compareUnsigned(address + length, address) < 0) {
            throw new IllegalArgumentException("remote memory of " + length + " bytes at 0x" + Long.toHexString(address)
                    + " exceeds the address space");
        }
    }

    /**
     * Returns a part of this memory.
     *
     * @param offset from the start, in bytes
     * @param bytes length of the part
     * @return the part, with the same key
     * @throws IndexOutOfBoundsException if the part does not lie inside this memory
     */
    public RemoteMemory slice(long offset, long bytes) {
        java.util.Objects.checkFromIndexSize(offset, bytes, length);
        return new RemoteMemory(address + offset, bytes, rkey);
    }

    /**
     * Writes address, length and key for the peer, big-endian, 20 bytes.
     *
     * @param target at least {@link #ENCODED_BYTES} long
     */
    public void encode(MemorySegment target) {
        target.set(LONG, 0, address);
        target.set(LONG, 8, length);
        target.set(INT, 16, rkey);
    }

    /**
     * Reads the result of {@link #encode}.
     *
     * @param source at least {@link #ENCODED_BYTES} long
     * @return the memory
     * @throws IllegalArgumentException if there are too few bytes, or if they encode no valid range
     */
    public static RemoteMemory decode(MemorySegment source) {
        if (source.byteSize() < ENCODED_BYTES) {
            throw new IllegalArgumentException(
                    "an encoded RemoteMemory has " + ENCODED_BYTES + " bytes, not " + source.byteSize());
        }
        return new RemoteMemory(source.get(LONG, 0), source.get(LONG, 8), source.get(INT, 16));
    }

    /** Shows the range. The key is a secret and left out. */
    @Override
    public String toString() {
        return "RemoteMemory[0x" + Long.toHexString(address) + ", " + length + " bytes]";
    }
}
