package io.rdma.structures;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A table at its host. The host's processor takes part as one more client, as it does in {@link RecordMemory}. */
public interface TableMemory extends StructureMemory {
    /**
     * Gets the value of a key.
     *
     * @param key at least 1 byte
     * @return the value; null if there is none; fails with {@link StructureException} CORRUPT
     */
    CompletableFuture<@Nullable VersionedValue> get(byte[] key);

    /**
     * Puts the value of a key.
     *
     * @param key at least 1 byte
     * @param value any bytes
     * @return the version; fails with {@link StructureException} FULL, BUSY, CORRUPT, or NO_ATOMICS if atomics of the
     *     device do not exclude those of the processor
     * @throws IllegalArgumentException if key and value do not fit into an empty bucket
     */
    CompletableFuture<Long> put(byte[] key, byte[] value);

    /**
     * Puts the value of a key if that has a certain version.
     *
     * @param key at least 1 byte
     * @param value any bytes
     * @param expectedVersion version that is replaced; 0 if the key has no value
     * @return the version; fails as the other put, and with CONFLICT
     * @throws IllegalArgumentException if key and value do not fit into an empty bucket
     */
    CompletableFuture<Long> put(byte[] key, byte[] value, long expectedVersion);

    /**
     * Removes a key with its value.
     *
     * @param key at least 1 byte
     * @return whether there was a value; fails with {@link StructureException} as put
     */
    CompletableFuture<Boolean> remove(byte[] key);

    /**
     * Removes a key if its value has a certain version.
     *
     * @param key at least 1 byte
     * @param expectedVersion version of the value
     * @return true; fails as the other remove, and with CONFLICT
     */
    CompletableFuture<Boolean> remove(byte[] key, long expectedVersion);
}
