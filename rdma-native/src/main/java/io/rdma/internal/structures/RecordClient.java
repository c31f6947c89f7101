package io.rdma.internal.structures;

import io.rdma.structures.StructureException;
import io.rdma.structures.VersionedValue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Records, as one client uses them. Thread-safe. */
public final class RecordClient {
    private final StructureAccess access;
    private final StructureHeader header;
    private final RecordLayout layout;
    private final int writer;

    RecordClient(StructureAccess access, StructureHeader header, int writer) {
        this.access = access;
        this.header = header;
        this.layout = header.records();
        this.writer = writer;
    }

    /** Returns the number of records. */
    public int count() {
        return layout.count();
    }

    /** Returns the largest value in bytes. */
    public int capacity() {
        return layout.capacity();
    }

    /**
     * Gets a value, null if the record was never put.
     *
     * @throws IndexOutOfBoundsException if there is no such record
     */
    public StructureCall<VersionedValue> get(int index, StructureCall.Outcome<? super VersionedValue> outcome) {
        Objects.checkIndex(index, count());
        return new ReadCall<VersionedValue>(access, layout, index, RecordClient::value, outcome).start();
    }

    private static @Nullable VersionedValue value(RecordLayout.Snapshot found) {
        byte[] content = found.content();
        return content == null ? null : new VersionedValue(found.word().version(), content);
    }

    /**
     * Puts a value.
     *
     * @throws IndexOutOfBoundsException if there is no such record
     * @throws IllegalArgumentException if the value is too long
     */
    public StructureCall<Long> put(int index, byte[] value, StructureCall.Outcome<? super Long> outcome) {
        byte[] content = checked(index, value);
        return update(index, (version, next, old) -> content, outcome);
    }

    /**
     * Puts a value if the record has a version.
     *
     * @param expected version that is replaced; 0 for none
     * @throws IndexOutOfBoundsException if there is no such record
     * @throws IllegalArgumentException if the value is too long
     */
    public StructureCall<Long> put(
            int index, byte[] value, long expected, StructureCall.Outcome<? super Long> outcome) {
        byte[] content = checked(index, value);
        return update(
                index,
                (version, next, old) -> {
                    if (version != expected) {
                        throw StructureException.conflict(expected, version);
                    }
                    return content;
                },
                outcome);
    }

    private byte[] checked(int index, byte[] value) {
        Objects.checkIndex(index, count());
        if (value.length > capacity()) {
            throw new IllegalArgumentException("a value of " + value.length + " bytes does not fit into a record of "
                    + capacity() + ": allocate the records with more capacity");
        }
        return value.clone();
    }

    private StructureCall<Long> update(
            int index, UpdateCall.Change change, StructureCall.Outcome<? super Long> outcome) {
        return new UpdateCall(access, layout, index, header.lease(), writer, false, change, outcome).start();
    }
}
