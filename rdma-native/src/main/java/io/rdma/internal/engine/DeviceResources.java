package io.rdma.internal.engine;

import io.rdma.buffer.RegistrationCache;
import io.rdma.engine.ResourceOptions;
import io.rdma.environment.Environment;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.loop.CompletionQueueLimits;
import io.rdma.internal.loop.LoopGroup;
import io.rdma.internal.loop.LoopThread;
import io.rdma.internal.os.StackRoom;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryPolicy;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RegistrationBudget;
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
// 2. The endpoints close. The close waits until they are drained.
// 3. Companions, loops, shared receives, events and registrations close, then the domains with the device.

/**
 * An open device with a protection domain and completion loops, which the connections of one server or client share. It
 * is thread-safe.
 */
public final class DeviceResources implements AutoCloseable {
    /** Object of a public package that stands for these resources. */
    public interface Holder {
        /** Returns the resources. */
        DeviceResources resources();
    }

    private final DeviceContext context;
    private final MemoryPolicy memory;
    private final RegistrationCache registrations;
    private final long cachedBytes;
    private final LoopGroup loops;
    private final DeviceEvents events;
    private final Map<CompletionLoop, SharedReceives> shared = new HashMap<>(); // not changed after the constructor
    private final EndedDomains domains;
    private final Companions companions = new Companions();
    private final PendingSetups setups = new PendingSetups();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** Opens a device with {@link ResourceOptions#DEFAULT}. */
    public DeviceResources(RdmaDevice device) {
        this(device, ResourceOptions.DEFAULT);
    }

    /**
     * Opens a device.
     *
     * @param device the device to open
     * @param options how connections share it
     */
    public DeviceResources(RdmaDevice device, ResourceOptions options) {
        this(device, options, loop -> LoopThread.start(loop, options.idleStrategy()));
    }

    /**
     * Opens a device.
     *
     * @param driver makes a thread drive each loop until it is closed
     */
    DeviceResources(RdmaDevice device, ResourceOptions options, Consumer<? super CompletionLoop> driver) {
        try (CleanupStack cleanup = new CleanupStack()) {
            context = cleanup.add(device.open());
            domains = new EndedDomains(context);
            memory = new MemoryPolicy(options.hugePages(), new RegistrationBudget(options.maxRegisteredBytes()));
            cachedBytes = options.cachedBytes();
            ProtectionDomain domain = cleanup.add(context.allocateProtectionDomain(memory));
            registrations = cleanup.add(new RegistrationCache(domain, cachedBytes));
            CompletionQueueLimits limits = CompletionQueueLimits.of(options, context.queryDevice());
            loops = cleanup.add(new LoopGroup(context, options.loops(), limits, driver));
            if (options.sharedReceiveBuffers() > 0) {
                for (CompletionLoop loop : loops.all()) {
                    shared.put(
                            loop,
                            cleanup.add(new SharedReceives(
                                    loop, domain, options.sharedReceiveBuffers(), options.sharedReceiveBufferSize())));
                }
            }
            events = cleanup.add(new DeviceEvents(context, loops.all(), shared));
            cleanup.keep();
        }
    }

    /** Returns the resources behind their public object. */
    public static DeviceResources of(AutoCloseable holder) {
        return ((Holder) holder).resources();
    }

    /**
     * Returns the device.
     *
     * @return open
     */
    public DeviceContext context() {
        return context;
    }

    /**
     * Returns the clock, threads and randomness of the device. For this project's modules.
     *
     * @return the environment
     */
    public Environment environment() {
        return context.environment();
    }

    /**
     * Returns the protection domain that the connections here share.
     *
     * @return open
     */
    public ProtectionDomain domain() {
        return registrations.domain();
    }

    /**
     * Returns the cache of the application's memory that stays registered in {@link #domain}.
     *
     * @return open
     */
    public RegistrationCache registrations() {
        return registrations;
    }

    /**
     * Returns the budget, with the amount of memory that all connections and domains here have registered.
     *
     * @return live
     */
    public RegistrationBudget registrationBudget() {
        return memory.budget();
    }

    /**
     * Allocates a protection domain for one connection, with registrations of its own.
     *
     * @return to be given to {@link #release}
     */
    public RegistrationCache allocateDomain() {
        domains.closeUnused();
        return new RegistrationCache(context.allocateProtectionDomain(memory), cachedBytes);
    }

    /**
     * Closes a domain of {@link #allocateDomain} as soon as nothing of it is held any more, at the latest with these
     * resources. Leaves the shared domain open.
     *
     * @param own registrations of a domain that no connection uses any more
     */
    public void release(RegistrationCache own) {
        if (own != registrations) {
            own.close();
            domains.add(own.domain());
        }
    }

    /**
     * Returns the loops that complete all operations here.
     *
     * @return running, as many as configured
     */
    public List<CompletionLoop> loops() {
        return loops.all();
    }

    /**
     * Returns the loop for one more connection.
     *
     * @return of the live loops, the one whose connections have reserved the fewest entries of its completion queues
     * @throws io.rdma.types.RdmaException if every loop has failed, with the reason
     */
    public CompletionLoop roomiestLoop() {
        return loops.roomiest();
    }

    /**
     * Returns the receive buffers that connections of {@link #domain} share on a loop.
     *
     * @param loop one of {@link #loops}
     * @return null if each connection has a ring of its own
     */
    public @Nullable SharedReceives sharedReceives(CompletionLoop loop) {
        return shared.get(loop);
    }

    /**
     * Registers a set-up that takes time and makes objects of the device, so that {@link #close} breaks it off and
     * waits for it. Endpoints are made within a set-up only, because an endpoint that joins its loop after the close
     * would never end.
     *
     * @param breakOff called by a close, on its thread, at most once and not after the set-up has ended; must not block
     * @return to be closed when every object that it made has an owner or is closed again
     * @throws IllegalStateException if these resources are closed
     */
    public PendingSetup begin(Runnable breakOff) {
        return setups.begin(breakOff);
    }

    /**
     * Returns an object that a layer above needs once for this device; makes it if there is none yet. It is closed
     * after the connections and before the device.
     *
     * @param <T> its type
     * @param type the type, of which there is one object here
     * @param made makes the object if there is none yet
     * @return the one object of that type
     * @throws IllegalStateException if these resources are closed
     */
    public <T extends AutoCloseable> T companion(Class<T> type, Function<? super DeviceContext, ? extends T> made) {
        return companions.get(type, () -> made.apply(context));
    }

    /**
     * Returns the connections here.
     *
     * @return a snapshot
     */
    public List<Endpoint> endpoints() {
        return loops.all().stream().flatMap(Endpoint::on).toList();
    }

    /**
     * Subscribes to the device's asynchronous events from now on, {@code ibv_get_async_event(3)}. The engine reacts to
     * each event regardless. The front-ends' {@code events} are made of this.
     *
     * @param changed called after each event and after the end, on the thread that reads the device's events or the
     *     thread that ends the subscription; must not block or throw. It may be called before this method returns
     * @return to be closed by the subscriber; ends when these resources close
     */
    public EventBuffer events(Runnable changed) {
        return events.subscribe(changed);
    }

    /**
     * Breaks off connections that are being established, closes all others, and waits until they are drained. Then
     * closes the loops, the domain and the device. Blocks for at most the drain time-outs, and for the trust and key
     * managers of an SSLContext that are at work. Must not be called by those managers, nor on a loop. Regions that the
     * application still holds keep the domain and the device open. Every step is tried, even if an earlier one threw. A
     * second call waits for the same end.
     *
     * @throws RuntimeException the first failure of the device, with the others suppressed in it
     */
    @Override
    public void close() {
        StackRoom.require(StackRoom.CLOSE);
        if (loops.isLoopThread()) {
            throw new IllegalStateException(
                    "resources cannot be closed on their own completion loop, because the close waits for it: close"
                            + " them on another thread");
        }
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
        for (Endpoint endpoint : endpoints()) {
            steps.run(endpoint::close);
            left.add(endpoint.closed());
        }
        steps.run(() ->
                CompletableFuture.allOf(left.toArray(CompletableFuture[]::new)).join());
        companions.close(steps);
        steps.run(loops::close);
        shared.values().forEach(receives -> steps.run(receives::close));
        steps.run(events::close);
        steps.run(registrations::close);
        domains.add(registrations.domain());
        domains.closeWithDevice(steps);
    }
}
