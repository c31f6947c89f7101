package io.rdma.samples.cache;

import reactor.core.publisher.Mono;

/** The operations on the slots and counters of the memory process, over one transport. */
interface Cache {
    /** Name of the transport of {@link CacheClient}, in requests, meters and snapshots. */
    String RDMA = "rdma";

    /** Name of the transport of {@link TcpCacheClient}, in requests, meters and snapshots. */
    String TCP = "tcp";

    /**
     * Reads a value. The result is empty if no slot holds the key.
     *
     * @throws IllegalArgumentException if the key is empty, or fits into no slot
     */
    Mono<Slot.Content.Found> get(String key);

    /**
     * Stores a value.
     *
     * @return the version of its slot
     * @throws IllegalArgumentException if the key is empty, or a slot has no room for key and value
     */
    Mono<Long> put(String key, byte[] value);

    /**
     * Adds to a counter. The result is an {@link IllegalArgumentException} if there is no such counter.
     *
     * @return its new value
     */
    Mono<Long> add(int counter, long addend);
}
