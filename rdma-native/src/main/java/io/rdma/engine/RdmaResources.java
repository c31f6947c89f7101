package io.rdma.engine;

import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.Errno;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** An open device with a protection domain and a completion loop, shared by the connections of one server or client. Thread-safe. */
public final class RdmaResources implements AutoCloseable {
    /** Entries of the completion queue unless chosen: 32 connections of the default depths. */
    public static final int DEFAULT_COMPLETION_QUEUE_ENTRIES = 8192;

    private static final long REGIONS_MOMENT_NANOS = 500_000_000;
    private static final long REGIONS_PAUSE_NANOS = 1_000_000;
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final CompletionLoop loop;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Opens a device.
     *
     * @param device which
     * @param completionQueueEntries depth of the completion queue, the sum of the queue depths of all connections; bounded by the device
     */
    public RdmaResources(RdmaDevice device, int completionQueueEntries) {
        try (Undo undo = new Undo()) {
            context = undo.add(device.open());
            domain = undo.add(context.allocateProtectionDomain());
            int entries = Math.min(completionQueueEntries, context.queryDevice().maxCqe());
            loop = new CompletionLoop(context, entries, "rdma-loop-" + device.name() + "-" + NUMBER.incrementAndGet());
            undo.keep();
        }
    }

    /**
     * The device.
     *
     * @return open
     */
    public DeviceContext context() {
        return context;
    }

    /**
     * The protection domain of all connections here.
     *
     * @return open
     */
    public ProtectionDomain domain() {
        return domain;
    }

    /**
     * The loop that completes everything here.
     *
     * @return running
     */
    public CompletionLoop loop() {
        return loop;
    }

    /**
     * Closes every connection that is left, waits until all are drained, then closes loop, domain and device. Blocks for at most the drain
     * time-outs; must not be called on the loop. Regions that the application still holds keep the domain and the device open.
     */
    @Override
    public void close() {
        if (loop.isLoopThread()) {
            throw new IllegalStateException(
                    "resources cannot be closed on their own completion loop: it would wait for itself");
        }
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        List<CompletableFuture<Void>> left = new ArrayList<>();
        for (RdmaEndpoint endpoint : loop.endpoints()) {
            endpoint.close();
            left.add(endpoint.closed());
        }
        CompletableFuture.allOf(left.toArray(CompletableFuture[]::new)).join();
        loop.close();
        awaitRegions();
        try (Undo order = new Undo()) {
            order.add(context);
            order.add(domain);
        }
    }

    /** Messages and buffers that are being given back right now still hold regions: gives them a moment. */
    private void awaitRegions() {
        long deadline = System.nanoTime() + REGIONS_MOMENT_NANOS;
        while (System.nanoTime() - deadline < 0) {
            try {
                domain.close();
                return;
            } catch (VerbsException e) {
                if (e.errno() != Errno.EBUSY) {
                    return;
                }
                LockSupport.parkNanos(REGIONS_PAUSE_NANOS);
            }
        }
    }
}
