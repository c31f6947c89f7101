package io.rdma.reactive.structures;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.structures.HostedRing;
import io.rdma.internal.structures.RingClient;
import io.rdma.internal.structures.StructureOpening;
import io.rdma.reactive.RdmaConnection;
import io.rdma.structures.RingMemory;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureLocation;
import java.util.NoSuchElementException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A ring in the memory of a consumer, which is its host, as its one producer uses it. Thread-safe.
 *
 * <p>The producer writes entries into the consumer's memory. The consumer looks into its own memory; no message passes,
 * and no receive buffer is used. A full ring keeps the producer waiting. It then reads how far the consumer has got.
 */
public final class RdmaRing {
    private final RingClient client;

    private RdmaRing(RingClient client) {
        this.client = client;
    }

    /**
     * Allocates an empty ring at its consumer. Registers memory, which blocks.
     *
     * @param resources resources of the server whose client produces
     * @param capacity bytes for all entries, a multiple of 16, at least 64. Each entry has 16 bytes more than its
     *     content, and begins at a multiple of 16
     * @return the memory, to be closed after the connection of the producer
     */
    public static RingMemory allocate(RdmaResources resources, int capacity) {
        return new HostedRing(resources, capacity);
    }

    /**
     * Opens the ring of a consumer by one READ. Errors are those of the {@link RdmaConnection}, and
     * {@link StructureException} OTHER_LAYOUT and SMALL_BUFFERS. A ring is opened once.
     *
     * @param connection connection that the consumer has admitted
     * @param location location that the consumer has sent
     * @return the ring, usable as long as the connection
     */
    public static Mono<RdmaRing> open(RdmaConnection connection, StructureLocation location) {
        return StructureMono.<RingClient>of(outcome -> StructureOpening.ring(connection.endpoint(), location, outcome))
                .map(RdmaRing::new);
    }

    /**
     * Receives the entries of a ring, in order. <b>Completes</b> when the producer's connection has ended and all
     * entries that arrived were received. Items come on the thread of the environment's timers, which must not be
     * blocked, or on the thread that requests. Takes no more entries than were requested. While none is there, looks
     * again after a pause that grows to 2.6 ms. <b>Cancel</b> leaves further entries in the ring. Several subscribers
     * compete for the entries.
     *
     * @param memory memory that {@link #allocate} has returned
     * @return the entries
     */
    public static Flux<byte[]> receive(RingMemory memory) {
        HostedRing ring = (HostedRing) memory;
        return StructureMono.<byte[]>of(ring::next)
                .switchIfEmpty(Mono.error(NoSuchElementException::new)) // the end
                .repeat()
                .onErrorComplete(NoSuchElementException.class)
                .doOnDiscard(byte[].class, ring::giveBack);
    }

    /**
     * Returns the largest entry.
     *
     * @return bytes
     */
    public int maxEntry() {
        return client.maxEntry();
    }

    /**
     * Sends an entry, in the order of the requests. <b>Completes</b> on the completion loop when the entry is in the
     * consumer's memory. <b>Errors</b> are those of the {@link RdmaConnection}; {@link StructureException} CORRUPT if
     * something else writes into the ring; {@link IllegalArgumentException} if the entry is too long. After an error
     * other than the latter the ring takes no more entries. <b>Cancel</b> while the entry waits for room takes it back;
     * later it is sent all the same.
     *
     * @param entry at most {@link #maxEntry} bytes, copied when the subscriber requests
     * @return completion
     */
    public Mono<Void> send(byte[] entry) {
        return StructureMono.<Boolean>of(outcome -> client.send(entry, outcome)).then();
    }
}
