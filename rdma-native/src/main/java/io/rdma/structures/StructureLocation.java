package io.rdma.structures;

import io.rdma.types.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The place of a structure, for one client: its memory, and the number by which the client signs what it changes. It is
 * a capability like {@link RemoteMemory}, and good for the connection that the host has admitted.
 *
 * @param memory memory of the structure
 * @param writer number of the client, 1 to {@link #MAX_WRITER}
 */
public record StructureLocation(RemoteMemory memory, int writer) {
    /** Size in bytes of the result of {@link #encode}. */
    public static final int ENCODED_BYTES = RemoteMemory.ENCODED_BYTES + Integer.BYTES;

    /** The largest writer number. Number 1 is that of the host's processor. */
    public static final int MAX_WRITER = (1 << 10) - 1;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Checks the number. */
    public StructureLocation {
        if (writer < 1 || writer > MAX_WRITER) {
            throw new IllegalArgumentException("the writer number is " + writer + ", not 1 to " + MAX_WRITER
                    + ": pass on what the host's admit() returned");
        }
    }

    /**
     * Writes the location for the client, big-endian, 24 bytes.
     *
     * @param target at least {@link #ENCODED_BYTES} long
     */
    public void encode(MemorySegment target) {
        memory.encode(target);
        target.set(INT, RemoteMemory.ENCODED_BYTES, writer);
    }

    /**
     * Reads the result of {@link #encode}.
     *
     * @param source at least {@link #ENCODED_BYTES} long
     * @return the location
     * @throws IllegalArgumentException if there are too few bytes, or if they encode no location
     */
    public static StructureLocation decode(MemorySegment source) {
        if (source.byteSize() < ENCODED_BYTES) {
            throw new IllegalArgumentException(
                    "an encoded StructureLocation has " + ENCODED_BYTES + " bytes, not " + source.byteSize());
        }
        return new StructureLocation(RemoteMemory.decode(source), source.get(INT, RemoteMemory.ENCODED_BYTES));
    }
}
