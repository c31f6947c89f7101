package io.rdma.samples.cache;

import io.rdma.engine.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RdmaDevices;
import io.rdma.verbs.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.BitSet;
import java.util.EnumSet;
import org.reactivestreams.Publisher;

// Invariant: an owner's number is given to one connection at a time, and again only after the slots of the one before
// were freed.

/**
 * The process with the memory. It tells who connects where that is, and takes no part in what they do with it; it frees
 * what a writer left locked that is gone.
 */
final class CacheMemory {
    static final int SLOTS = 1 << 14;
    static final int COUNTERS = 64;

    /** What a client is told: where slots and counters are, and its number. */
    static final int GREETING_BYTES = 2 * RemoteMemory.ENCODED_BYTES + Integer.BYTES;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final MemoryRegion slots;
    private final MemoryRegion counters;
    private final BitSet owners = new BitSet(Slot.OWNERS); // guarded by itself

    private CacheMemory(RdmaResources resources) {
        slots = resources
                .domain()
                .allocate(
                        (long) SLOTS * Slot.BYTES,
                        EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC));
        counters = resources.domain().allocate((long) COUNTERS * Long.BYTES, EnumSet.of(AccessFlag.REMOTE_ATOMIC));
        owners.set(0); // nobody
    }

    /** Serves until its end. */
    static void run(String device, String host, int port) {
        try (RdmaResources resources = new RdmaResources(RdmaDevices.named(device))) {
            DisposableServer server = bind(resources, host, port);
            System.out.println(RemoteCache.MEMORY_READY + server.port());
            server.onDispose().block();
        }
    }

    /** Listens. */
    static DisposableServer bind(RdmaResources resources, String host, int port) {
        return RdmaServer.create()
                .resources(resources)
                .host(host)
                .port(port)
                .handle(new CacheMemory(resources)::serve)
                .bindNow(PATIENCE);
    }

    private Publisher<Void> serve(RdmaConnection connection) {
        int owner = takeOwner();
        connection.onDispose().subscribe(nothing -> {}, error -> {}, () -> leave(owner));
        return connection
                .send(GREETING_BYTES, greeting -> {
                    slots.remote().encode(greeting);
                    counters.remote().encode(greeting.asSlice(RemoteMemory.ENCODED_BYTES));
                    greeting.set(ValueLayout.JAVA_INT_UNALIGNED, 2L * RemoteMemory.ENCODED_BYTES, owner);
                })
                .then(connection.onDispose());
    }

    private int takeOwner() {
        synchronized (owners) {
            int owner = owners.nextClearBit(1);
            owners.set(owner);
            return owner;
        }
    }

    /** After the end of its queue pair, so nothing of it comes any more. */
    private void leave(int owner) {
        for (long i = 0; i < SLOTS; i++) {
            MemorySegment slot = slots.segment().asSlice(i * Slot.BYTES, Slot.BYTES);
            long word = (long) Slot.WORD.getVolatile(slot, 0L);
            if (Slot.owner(word) == owner) {
                long version = Slot.version(word) + 1;
                Slot.encode(slot.asSlice(Slot.BODY), version, new byte[0], new byte[0]); // half written: no value
                Slot.WORD.setVolatile(slot, 0L, Slot.free(version));
            }
        }
        synchronized (owners) {
            owners.clear(owner);
        }
    }
}
