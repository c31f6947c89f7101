package io.rdma.internal.engine;

import io.rdma.engine.ResourceOptions;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.loop.CompletionQueueLimits;
import io.rdma.internal.loop.LoopGroup;
import io.rdma.internal.loop.LoopMember;
import io.rdma.internal.loop.LoopPlacement;
import io.rdma.internal.loop.LoopThread;
import io.rdma.internal.os.StackRoom;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.RdmaDevice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

// Order of the close. Each step is tried, even if an earlier one threw.
// 1. Pending set-ups are refused or broken off. The close waits for them: from then on no endpoint joins a loop.
// 2. The endpoints and XRC receivers close. The close waits until they are drained.
// 3. Companions, loops, shared receives and events close, then the domains with the device.

/** Open device with its loops, its domains and the thread of its events, behind {@link DeviceResources}. */
final class OpenDevice implements AutoCloseable {
    private final DeviceContext context;
    private final Domains domains;
    private final LoopGroup loops;
    private final DeviceEvents events;
    private final Map<CompletionLoop, SharedReceives> shared = new HashMap<>(); // not changed after the constructor
    private final Companions companions = new Companions();
    private final PendingSetups setups = new PendingSetups();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean companionFailed;
    private volatile @Nullable PlacementAbilities placement; // once asked for: a device does not change it

    /** Opens a device whose loops have threads of their own. */
    static OpenDevice withThreads(RdmaDevice device, ResourceOptions options) {
        return new OpenDevice(device, options, loop -> LoopThread.start(loop, options.idleStrategy()));
    }

    /**
     * Opens a device whose loops are driven by threads that are not theirs.
     *
     * @throws IllegalArgumentException if the options choose processors, which is for threads of the loops' own
     */
    static OpenDevice drivenBy(Consumer<? super CompletionLoop> driver, RdmaDevice device, ResourceOptions options) {
        if (!options.processors().isEmpty()) {
            throw new IllegalArgumentException("these loops have no threads of their own: leave out"
                    + " ResourceOptions.withProcessors, and let the threads that drive them choose their processors");
        }
        return new OpenDevice(device, options, driver);
    }

    private OpenDevice(RdmaDevice device, ResourceOptions options, Consumer<? super CompletionLoop> driver) {
        try (CleanupStack cleanup = new CleanupStack()) {
            context = cleanup.add(device.open());
            if (options.onDemand()) {
                OnDemandMemory.requireForConnections(context, options.sharedReceiveBuffers() > 0);
            }
            domains = new Domains(context, options, cleanup);
            CompletionQueueLimits limits = CompletionQueueLimits.of(options, context.queryDevice());
            loops = cleanup.add(new LoopGroup(context, options.loops(), limits, LoopPlacement.of(options, context)));
            if (options.sharedReceiveBuffers() > 0) {
                for (CompletionLoop loop : loops.all()) {
                    shared.put(
                            loop,
                            cleanup.add(new SharedReceives(
                                    loop,
                                    domains.common().domain(),
                                    options.sharedReceiveBuffers(),
                                    options.sharedReceiveBufferSize(),
                                    context.isIwarp())));
                }
            }
            events = cleanup.add(new DeviceEvents(context, loops.all(), shared));
            loops.drive(driver); // last: what failed behind it would wait for the drivers, which may be the caller
            cleanup.keep();
        }
    }

    DeviceContext context() {
        return context;
    }

    Domains domains() {
        return domains;
    }

    LoopGroup loops() {
        return loops;
    }

    /** Returns the memory placement extensions of the device. */
    PlacementAbilities placement() {
        PlacementAbilities known = placement;
        if (known == null) {
            known = PlacementAbilities.of(context.queryDeviceExtended().capabilities());
            placement = known;
        }
        return known;
    }

    @Nullable
    SharedReceives sharedReceives(CompletionLoop loop) {
        return shared.get(loop);
    }

    PendingSetup begin(Runnable breakOff) {
        return setups.begin(breakOff);
    }

    <T extends AutoCloseable> T companion(Class<T> type, Function<? super DeviceContext, ? extends T> made) {
        return companions.get(type, () -> made.apply(context));
    }

    List<Endpoint> endpoints() {
        return loops.all().stream().flatMap(Endpoint::on).toList();
    }

    EventBuffer events(Runnable changed) {
        return events.subscribe(changed);
    }

    /** Notes that a companion does not work any more, and that no other takes its place. */
    void companionFailed() {
        companionFailed = true;
    }

    /** Returns whether this is not closed, its events are read, and no loop and no companion has failed. */
    boolean isUsable() {
        return !setups.isEnded()
                && !companionFailed
                && events.isReading()
                && loops.all().stream().allMatch(loop -> loop.failure() == null);
    }

    /**
     * Does nothing if the calling thread may close this.
     *
     * @throws IllegalStateException if the close would wait for the calling thread
     */
    void requireClosable() {
        StackRoom.require(StackRoom.CLOSE);
        if (loops.isLoopThread()) {
            throw new IllegalStateException(
                    "resources cannot be closed on their own completion loop, because the close waits for it: close"
                            + " them on another thread");
        }
        setups.requireNotWithin();
    }

    @Override
    public void close() {
        requireClosable();
        if (!setups.endAll()) {
            if (!setups.isEndedByCaller()) { // else a step of this close called it
                ended.join(); // an interrupt does not end the wait
            }
            return;
        }
        CloseSteps steps = new CloseSteps();
        try {
            closeAll(steps);
        } finally {
            ended.complete(null);
        }
        steps.report();
    }

    private void closeAll(CloseSteps steps) {
        List<CompletableFuture<Void>> left = new ArrayList<>();
        for (CompletionLoop loop : loops.all()) {
            for (LoopMember member : loop.members()) {
                steps.run(() -> {
                    MessageSource source = (MessageSource) member;
                    source.close();
                    left.add(source.closed()); // only then does its end come
                });
            }
        }
        steps.run(() ->
                CompletableFuture.allOf(left.toArray(CompletableFuture[]::new)).join());
        companions.close(steps);
        steps.run(loops::close);
        shared.values().forEach(receives -> steps.run(receives::close));
        steps.run(events::close);
        domains.closeWithDevice(steps);
    }
}
