package io.rdma.structures;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Records at their host. The host's processor takes part as one more client. The futures complete before the call
 * returns, or on the thread of timers if a writer has to be awaited; what depends on them must not block there. To
 * cancel a future changes nothing.
 */
public interface RecordMemory extends StructureMemory {
    /**
     * Returns the number of records.
     *
     * @return 1 or more
     */
    int count();

    /**
     * Gets the value of a record.
     *
     * @param index from 0
     * @return the value; null if the record was never put; fails with {@link StructureException} CORRUPT
     * @throws IndexOutOfBoundsException if there is no such record
     */
    CompletableFuture<@Nullable VersionedValue> get(int index);

    /**
     * Puts a value.
     *
     * @param index from 0
     * @param value at most the capacity
     * @return the new version; fails with {@link StructureException} BUSY, or NO_ATOMICS if atomics of the device do
     *     not exclude those of the processor
     * @throws IndexOutOfBoundsException if there is no such record
     * @throws IllegalArgumentException if the value is too long
     */
    CompletableFuture<Long> put(int index, byte[] value);

    /**
     * Puts a value if the record has a certain version.
     *
     * @param index from 0
     * @param value at most the capacity
     * @param expectedVersion version that is replaced; 0 if the record was never put
     * @return the new version; fails as the other put, and with CONFLICT
     * @throws IndexOutOfBoundsException if there is no such record
     * @throws IllegalArgumentException if the value is too long
     */
    CompletableFuture<Long> put(int index, byte[] value, long expectedVersion);
}
