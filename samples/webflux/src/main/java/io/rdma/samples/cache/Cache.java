package io.rdma.samples.cache;

import io.rdma.structures.StructureException;
import io.rdma.structures.VersionedValue;
import reactor.core.publisher.Mono;

/**
 * The operations on the table and the counters of the memory process, over one transport. An operation that the table
 * refuses fails with {@link StructureException}.
 */
interface Cache {
    /** Name of the transport of {@link CacheClient}: its bean, and its name in requests, meters and snapshots. */
    String RDMA = "rdma";

    /** Name of the transport of {@link TcpCacheClient}: its bean, and its name in requests, meters and snapshots. */
    String TCP = "tcp";

    /** Stands for any version of a value, and for no value. */
    long ANY = -1;

    /** Reads a value. The result is empty if there is none. */
    Mono<VersionedValue> get(byte[] key);

    /**
     * Stores a value.
     *
     * @param expected version of the value that is replaced, 0 for no value, or {@link #ANY}
     * @return its version
     */
    Mono<Long> put(byte[] key, byte[] value, long expected);

    /**
     * Removes a value.
     *
     * @param expected version of the value, or {@link #ANY}
     * @return whether there was one
     */
    Mono<Boolean> remove(byte[] key, long expected);

    /**
     * Adds to a counter.
     *
     * @return its new value
     */
    Mono<Long> add(int counter, long addend);
}
