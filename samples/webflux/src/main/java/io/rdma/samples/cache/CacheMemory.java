package io.rdma.samples.cache;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.types.AccessFlag;
import io.rdma.types.AtomicCapability;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RdmaDevices;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.BitSet;
import java.util.EnumSet;
import org.reactivestreams.Publisher;

// Invariant: an owner's number belongs to one connection at a time. It is given to another connection only after the
// slots of the previous owner were freed.

/**
 * The process that holds the memory. It sends each RDMA client the location of the memory, and takes no part in the
 * client's operations on it. When a client is gone, it frees the slots that the client left locked.
 */
final class CacheMemory {
    static final int SLOTS = 1 << 14;
    static final int COUNTERS = 64;

    /** Length of the greeting to a client: the location of slots and counters, and the client's owner number. */
    static final int GREETING_BYTES = 2 * RemoteMemory.ENCODED_BYTES + Integer.BYTES;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RdmaResources resources;
    private final MemoryRegion slots;
    private final MemoryRegion counters;
    private final LocalSlots local;
    private final BitSet owners = new BitSet(Slot.OWNERS); // guarded by itself

    CacheMemory(RdmaResources resources) {
        this.resources = resources;
        slots = resources
                .domain()
                .allocate(
                        (long) SLOTS * Slot.BYTES,
                        EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC));
        counters = resources.domain().allocate((long) COUNTERS * Long.BYTES, EnumSet.of(AccessFlag.REMOTE_ATOMIC));
        owners.set(0); // owner 0 means that the slot is free
        boolean mayWrite = resources.context().queryDevice().atomicCap() == AtomicCapability.GLOB;
        local = new LocalSlots(slots.segment(), counters.segment(), takeOwner(), mayWrite);
    }

    /** Serves until the process ends. */
    static void run(String device, String host, int port, int tcpPort) {
        try (RdmaResources resources = RdmaResources.open(RdmaDevices.named(device))) {
            CacheMemory memory = new CacheMemory(resources);
            DisposableServer server = memory.bind(host, port);
            System.out.println(RemoteCache.MEMORY_READY + server.port());
            System.out.println(
                    RemoteCache.TCP_READY + memory.bindTcp(host, tcpPort).port());
            server.onDispose().block();
        }
    }

    /** Returns the offset of a counter among the counters, and refuses a counter that is not there. */
    static long counterOffset(int counter) {
        if (counter < 0 || counter >= COUNTERS) {
            throw new IllegalArgumentException("counters are 0 to " + (COUNTERS - 1));
        }
        return (long) counter * Long.BYTES;
    }

    /** Binds the server of RDMA clients. */
    DisposableServer bind(String host, int port) {
        return RdmaServer.create()
                .resources(resources)
                .host(host)
                .port(port)
                .handle(this::serve)
                .bindNow(PATIENCE);
    }

    /** Binds the server of TCP clients. */
    reactor.netty.DisposableServer bindTcp(String host, int port) {
        return new TcpCacheServer(local).bind(host, port);
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

    private void leave(int owner) {
        local.free(owner);
        synchronized (owners) {
            owners.clear(owner);
        }
    }
}
