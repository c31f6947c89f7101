package io.rdma.internal.structures;

import io.rdma.structures.RecordOptions;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.StructureLocation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.zip.CRC32C;

/**
 * The first 64 bytes of a structure: magic (8), byte order (8, in the order of the host), version of the layout (4),
 * kind (4), count (4), capacity (4), lease in nanoseconds (8), flags (4), zeros, CRC32C of all before it (4).
 * Little-endian but for the byte order. The numbers of writers follow, eight bytes each, then the elements.
 *
 * @param kind what the memory holds
 * @param count number of elements; bytes of a ring
 * @param capacity bytes of a value; 8 for counters and locks, 1 for rings
 * @param lease see {@link RecordOptions}
 * @param flags 1 for a table that displaces its oldest entries
 */
record StructureHeader(Kind kind, int count, int capacity, Duration lease, int flags) {
    static final int BYTES = 64;
    static final int DISPLACING = 1;

    private static final int LAYOUT = 1;
    private static final long MAGIC = 0x5443_5552_5453_4452L; // "RDSTRUCT"
    private static final long ORDER = 0x0102_0304_0506_0708L;
    private static final int CHECKSUM = BYTES - Integer.BYTES;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** What a memory holds. The number in the header is the ordinal. */
    enum Kind {
        COUNTERS,
        RECORDS,
        TABLE,
        LOCKS,
        RING
    }

    private static final Kind[] KINDS = Kind.values();

    static StructureHeader of(Kind kind, RecordOptions options, int flags) {
        return new StructureHeader(kind, options.count(), options.capacity(), options.lease(), flags);
    }

    /** Returns the offset of the word that says whether a writer number is in use. */
    static long writerOffset(int writer) {
        return BYTES + (long) writer * Long.BYTES;
    }

    private static long firstElement() {
        return writerOffset(StructureLocation.MAX_WRITER + 1);
    }

    /** Returns the places of the records. */
    RecordLayout records() {
        return new RecordLayout(firstElement(), count, capacity);
    }

    /** Returns the places of the ring, whose capacity is the number of elements. */
    RingLayout ring() {
        return new RingLayout(firstElement(), count);
    }

    /** Returns the bytes of the largest request of a client. */
    int largestRequest() {
        return switch (kind) {
            case COUNTERS, LOCKS -> BYTES;
            case RECORDS, TABLE -> records().bytes();
            case RING -> RingLayout.HEAD + ring().maxEntry();
        };
    }

    /** Returns whether clients change words by atomics. The two sides of a ring write different bytes. */
    boolean needsAtomics() {
        return kind != Kind.RING;
    }

    long wordOffset(int index) {
        return firstElement() + (long) index * Long.BYTES;
    }

    /** Returns the bytes of the whole memory. */
    long end() {
        return switch (kind) {
            case COUNTERS, LOCKS -> wordOffset(count);
            case RECORDS, TABLE -> records().end();
            case RING -> ring().end();
        };
    }

    void encode(MemorySegment memory) {
        memory.set(LONG, 0, MAGIC);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, ORDER);
        memory.set(INT, 16, LAYOUT);
        memory.set(INT, 20, kind.ordinal());
        memory.set(INT, 24, count);
        memory.set(INT, 28, capacity);
        memory.set(LONG, 32, lease.toNanos());
        memory.set(INT, 40, flags);
        memory.set(INT, CHECKSUM, checksum(memory));
    }

    /**
     * Reads a header.
     *
     * @param expected kind that the client can use
     * @param length bytes of the memory, in which all elements must lie
     * @throws StructureException OTHER_LAYOUT
     */
    static StructureHeader decode(MemorySegment memory, Kind expected, long length) {
        if (memory.get(LONG, 0) != MAGIC) {
            throw other("it does not begin with \"RDSTRUCT\": pass on the location of a structure");
        }
        if (memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 8) != ORDER) {
            throw other("its host has another byte order: use hosts and clients of the same one");
        }
        int layout = memory.get(INT, 16);
        if (layout != LAYOUT) {
            throw other("its layout has version " + layout + ", this library knows version " + LAYOUT
                    + ": use the same version of the library on both sides");
        }
        if (memory.get(INT, CHECKSUM) != checksum(memory)) {
            throw other("the checksum of its header is wrong: a client has overwritten it, so allocate it anew");
        }
        int kind = memory.get(INT, 20);
        if (kind != expected.ordinal()) {
            throw other("it holds " + (kind < 0 || kind >= KINDS.length ? "kind " + kind : KINDS[kind].name())
                    + ", not " + expected + ": pass on the location of the other structure");
        }
        StructureHeader header = checked(memory, expected);
        if (header.end() > length) {
            throw other("its elements need " + header.end() + " bytes, the location has " + length
                    + ": pass on the location that admit() returned");
        }
        if (expected == Kind.RING && !RingLayout.isPossible(header.count())) {
            throw other("a ring cannot have " + header.count() + " bytes");
        }
        return header;
    }

    private static StructureHeader checked(MemorySegment memory, Kind kind) {
        try {
            RecordOptions options =
                    new RecordOptions(memory.get(INT, 24), memory.get(INT, 28), Duration.ofNanos(memory.get(LONG, 32)));
            return of(kind, options, memory.get(INT, 40));
        } catch (IllegalArgumentException | DateTimeException e) {
            throw other("its geometry is out of range: " + e.getMessage());
        }
    }

    private static StructureException other(String what) {
        return new StructureException(Reason.OTHER_LAYOUT, "the memory is not of this structure: " + what);
    }

    private static int checksum(MemorySegment memory) {
        CRC32C sum = new CRC32C();
        sum.update(memory.asSlice(0, CHECKSUM).asByteBuffer());
        return (int) sum.getValue();
    }
}
