package io.rdma.internal.structures;

import io.rdma.connect.RdmaResources;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.engine.Endpoint;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.StructureMemory;
import io.rdma.types.AccessFlag;
import io.rdma.types.AtomicCapability;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import java.util.EnumSet;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The memory of any structure: region, header, writer numbers. */
abstract sealed class HostedMemory implements StructureMemory
        permits HostedCounters, HostedLocks, HostedRecords, HostedRing, HostedTable {
    final StructureHeader header;
    final MemoryRegion region;
    final LocalAccess access;

    /** Number of the host's processor as a writer. */
    final int writer;

    private final ProtectionDomain domain;
    private final AtomicCapability atomics;
    private final WriterNumbers writers;

    HostedMemory(RdmaResources resources, StructureHeader header) {
        this.header = header;
        domain = resources.domain();
        atomics = resources.context().queryDevice().atomicCap();
        if (atomics == AtomicCapability.NONE && header.needsAtomics()) {
            throw new StructureException(
                    Reason.NO_ATOMICS,
                    "device " + resources.context().name() + " has no atomics (atomic_cap is IBV_ATOMIC_NONE), which"
                            + " this structure is made of: host it on another device, or let clients call this process"
                            + " (RdmaCallServer). Rings need no atomics");
        }
        try (CleanupStack cleanup = new CleanupStack()) {
            EnumSet<AccessFlag> rights = EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
            if (header.needsAtomics()) {
                rights.add(AccessFlag.REMOTE_ATOMIC);
            }
            region = cleanup.add(domain.allocate(header.end(), rights));
            header.encode(region.segment());
            writers = new WriterNumbers(region.segment());
            writer = writers.take();
            access = new LocalAccess(region.segment(), resources.environment());
            cleanup.keep();
        }
    }

    /** Starts a call of the processor. */
    static <T> CompletableFuture<@Nullable T> future(Consumer<StructureCall.Outcome<T>> start) {
        CompletableFuture<@Nullable T> result = new CompletableFuture<>();
        start.accept(new OutcomeFuture<>(result));
        return result;
    }

    /** Starts a change by the processor. The result is null if nothing had to be changed. */
    final CompletableFuture<@Nullable Long> change(Consumer<StructureCall.Outcome<Long>> start) {
        try {
            requireProcessorAtomics();
        } catch (StructureException e) {
            return CompletableFuture.failedFuture(e);
        }
        return future(start);
    }

    /** Starts a change by the processor, which has a version. */
    final CompletableFuture<Long> put(Consumer<StructureCall.Outcome<Long>> start) {
        return change(start).thenApply(Objects::requireNonNull);
    }

    /** Refuses changes by the processor where they could get lost among those of the device. */
    final void requireProcessorAtomics() {
        if (atomics != AtomicCapability.GLOB) {
            throw new StructureException(
                    Reason.NO_ATOMICS,
                    "atomics of this device exclude each other only (atomic_cap is IBV_ATOMIC_" + atomics
                            + "), not those of the processor: make changes over a connection, also in this process");
        }
    }

    @Override
    public StructureLocation admit(RdmaEndpoint client) {
        Endpoint endpoint = Endpoint.of(client);
        if (endpoint.registrations().domain() != domain) {
            throw new IllegalArgumentException("the connection has another protection domain than the structure: give"
                    + " RdmaServer the resources of the structure, and let its connections share their domain");
        }
        int number = writers.take();
        endpoint.closed().thenRun(() -> writers.giveBack(number)); // its queue pair is destroyed then
        return new StructureLocation(region.remote(), number);
    }

    @Override
    public final long bytes() {
        return header.end();
    }

    @Override
    public final void close() {
        region.close();
    }
}
