package io.rdma.internal.ibv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * All native memory as one global-scope segment, so that the hot path reads and writes by address without the liveness
 * check of an arena. Nothing here checks bounds: the caller owns the memory that it names, or has checked the address
 * against a registration.
 */
public final class NativeMemory {
    /** The whole address space; offset = address. */
    public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** A big-endian {@code int} at any alignment, for network order fields. */
    public static final ValueLayout.OfInt INT_BE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    // Applications' addresses on 64-bit Linux, x86-64 and aarch64, are lower. The mask tells the compiler that a field
    // lies inside of ALL, so that it leaves the check of the bounds out.
    private static final long ADDRESS_MASK = (1L << Long.SIZE - 2) - 1;

    private NativeMemory() {}

    /** Reads a field of a structure. */
    public static long getLong(long structure, int offset) {
        return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, (structure & ADDRESS_MASK) + offset);
    }

    /** Writes a field of a structure. */
    public static void putLong(long structure, int offset, long value) {
        ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, (structure & ADDRESS_MASK) + offset, value);
    }

    /** Reads a field of a structure. */
    public static int getInt(long structure, int offset) {
        return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, (structure & ADDRESS_MASK) + offset);
    }

    /** Writes a field of a structure. */
    public static void putInt(long structure, int offset, int value) {
        ALL.set(ValueLayout.JAVA_INT_UNALIGNED, (structure & ADDRESS_MASK) + offset, value);
    }

    /** Reads a field of a structure. */
    public static short getShort(long structure, int offset) {
        return ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, (structure & ADDRESS_MASK) + offset);
    }

    /** Writes a field of a structure. */
    public static void putShort(long structure, int offset, short value) {
        ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, (structure & ADDRESS_MASK) + offset, value);
    }

    /** Reads a field of a structure. */
    public static byte getByte(long structure, int offset) {
        return ALL.get(ValueLayout.JAVA_BYTE, (structure & ADDRESS_MASK) + offset);
    }

    /** Writes a field of a structure. */
    public static void putByte(long structure, int offset, byte value) {
        ALL.set(ValueLayout.JAVA_BYTE, (structure & ADDRESS_MASK) + offset, value);
    }

    public static long getLong(long address) {
        return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, address);
    }

    public static void putLong(long address, long value) {
        ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, address, value);
    }

    public static int getInt(long address) {
        return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, address);
    }

    public static void putInt(long address, int value) {
        ALL.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
    }

    /** Writes two neighbouring fields of a structure by one store. */
    public static void putInts(long structure, int offset, int first, int second) {
        long low = LITTLE_ENDIAN ? first : second;
        long high = LITTLE_ENDIAN ? second : first;
        putLong(structure, offset, high << Integer.SIZE | low & 0xffff_ffffL);
    }

    /** Returns an integer whose bytes in memory are in network order. */
    public static int inNetworkOrder(int value) {
        return LITTLE_ENDIAN ? Integer.reverseBytes(value) : value;
    }

    public static short getShort(long address) {
        return ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, address);
    }

    public static void putShort(long address, short value) {
        ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, address, value);
    }

    public static byte getByte(long address) {
        return ALL.get(ValueLayout.JAVA_BYTE, address);
    }

    public static void putByte(long address, byte value) {
        ALL.set(ValueLayout.JAVA_BYTE, address, value);
    }

    /** Copies {@code bytes} bytes between two native addresses. */
    public static void copy(long from, long to, long bytes) {
        MemorySegment.copy(ALL, from, ALL, to, bytes);
    }
}
