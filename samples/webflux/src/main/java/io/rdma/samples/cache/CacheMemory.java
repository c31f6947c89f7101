package io.rdma.samples.cache;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RdmaDevices;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.BitSet;
import java.util.EnumSet;
import org.reactivestreams.Publisher;

// Invariant: an owner's number belongs to one connection at a time. It is given to another connection only after the
// slots of the previous owner were freed.

/**
 * The process that holds the memory. It sends each client the location of the memory, and takes no part in the client's
 * operations on it. When a client is gone, it frees the slots that the client left locked.
 */
final class CacheMemory {
    static final int SLOTS = 1 << 14;
    static final int COUNTERS = 64;

    /** Length of the greeting to a client: the location of slots and counters, and the client's owner number. */
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
        owners.set(0); // owner 0 means that the slot is free
    }

    /** Serves until the process ends. */
    static void run(String device, String host, int port) {
        try (RdmaResources resources = RdmaResources.open(RdmaDevices.named(device))) {
            DisposableServer server = bind(resources, host, port);
            System.out.println(RemoteCache.MEMORY_READY + server.port());
            server.onDispose().block();
        }
    }

    /** Binds the server. */
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

    /** Frees the slots of an owner. Its queue pair has ended, so no more writes of it arrive. */
    private void leave(int owner) {
        for (long i = 0; i < SLOTS; i++) {
            MemorySegment slot = slots.segment().asSlice(i * Slot.BYTES, Slot.BYTES);
            long word = (long) Slot.WORD.getVolatile(slot, 0L);
            if (Slot.owner(word) == owner) {
                long version = Slot.version(word) + 1;
                Slot.encode(slot.asSlice(Slot.BODY), version, new byte[0], new byte[0]); // perhaps half written
                Slot.WORD.setVolatile(slot, 0L, Slot.free(version));
            }
        }
        synchronized (owners) {
            owners.clear(owner);
        }
    }
}
