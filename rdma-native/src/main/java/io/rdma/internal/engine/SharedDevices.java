package io.rdma.internal.engine;

import io.rdma.engine.IdleStrategy;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.close.CloseSteps;
import io.rdma.types.RdmaException;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

// Invariants
// - The first user of a name opens the device, without a lock. The others await the future that it put under the name.
// - A future whose open failed, or whose device takes no users any more, is under no name.

/**
 * Open devices that users share, one of each name. A device is opened for its first user. It is kept for some time
 * after its last user, and replaced after it has failed or was closed. Thread-safe.
 */
public final class SharedDevices {
    /** Property: number of loops of each device that the process shares. */
    static final String LOOPS = "io.rdma.shared.loops";

    /** Property: idle strategy of these loops. */
    static final String IDLE_STRATEGY = "io.rdma.shared.idleStrategy";

    /** Time for which a device without users stays open: a program that connects now and then opens it once. */
    private static final Duration KEEP = Duration.ofSeconds(10);

    /**
     * A loop that has work polls, and so takes a processor; half of them are left to the application. One loop carries
     * many connections, so more than four are for programs that ask for them.
     */
    private static final int MOST_LOOPS_BY_DEFAULT = 4;

    /** Devices that all clients, servers and sockets of this process share, unless they are given resources. */
    public static final SharedDevices PROCESS =
            new SharedDevices(name -> name == null ? RdmaDevices.defaultDevice() : RdmaDevices.named(name), KEEP);

    private final Function<@Nullable String, RdmaDevice> devices;
    private final Duration keep;
    private final Map<@Nullable String, CompletableFuture<SharedDevice>> open = new HashMap<>(); // guarded by this
    private final Set<SharedDevice> living = new LinkedHashSet<>(); // guarded by this; not closed, under a name or not
    private @Nullable ResourceOptions configured; // guarded by this

    /**
     * Opens nothing so far.
     *
     * @param devices finds the device of a name; null names the default device
     * @param keep time for which a device stays open without users
     */
    public SharedDevices(Function<@Nullable String, RdmaDevice> devices, Duration keep) {
        this.devices = devices;
        this.keep = keep;
    }

    /**
     * Sets the options of the devices that are opened from now on.
     *
     * @param options used instead of the system properties
     * @throws IllegalStateException if a device is open
     * @throws IllegalArgumentException if they share receive buffers
     */
    public synchronized void configure(ResourceOptions options) {
        if (options.sharedReceiveBuffers() > 0) {
            throw new IllegalArgumentException(
                    "the resources that a process shares have no shared receive buffers, because those need one"
                            + " protection domain for all connections: give the server resources of"
                            + " RdmaResources.open");
        }
        if (!open.isEmpty()) {
            throw new IllegalStateException("the shared resources are open, so their options cannot change: configure"
                    + " them before the first client or server, or after closeAll()");
        }
        configured = options;
    }

    /**
     * Joins the users of a device. Opens it if it is not open, or awaits a thread that opens it. Blocks.
     *
     * @param name name of the device; null for the default one
     * @param ownDomain see {@link DeviceResources#part}
     * @return to be closed by the user
     * @throws RdmaException if the device cannot be opened, as the thread reports that has tried
     */
    public SharedUse use(@Nullable String name, boolean ownDomain) {
        return SharedUse.of(joined(name), ownDomain);
    }

    private SharedDevice joined(@Nullable String name) {
        while (true) {
            CompletableFuture<SharedDevice> ours = new CompletableFuture<>();
            CompletableFuture<SharedDevice> earlier;
            synchronized (this) {
                earlier = open.putIfAbsent(name, ours);
            }
            if (earlier == null) {
                return opened(name, ours);
            }
            SharedDevice device = awaited(earlier);
            if (device.tryJoin()) {
                return device;
            }
            forget(device);
        }
    }

    /** Opens a device for the first user of its name. */
    private SharedDevice opened(@Nullable String name, CompletableFuture<SharedDevice> ours) {
        try {
            RdmaDevice found = devices.apply(name);
            SharedDevice made = name == null ? joined(found.name()) : open(found);
            ours.complete(made);
            return made;
        } catch (Throwable e) {
            synchronized (this) {
                open.remove(name, ours);
            }
            ours.completeExceptionally(e);
            throw e;
        }
    }

    private SharedDevice open(RdmaDevice found) {
        SharedDevice made = new SharedDevice(new DeviceResources(found, options()), keep, this::forget, this::closed);
        synchronized (this) {
            living.add(made);
        }
        return made;
    }

    private static SharedDevice awaited(CompletableFuture<SharedDevice> opening) {
        try {
            return opening.join();
        } catch (CompletionException e) {
            Throwable failure = e.getCause();
            if (failure instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (failure instanceof Error error) {
                throw error;
            }
            throw new RdmaException("the device was not opened", e);
        }
    }

    private synchronized ResourceOptions options() {
        return configured != null ? configured : ofProperties();
    }

    private static ResourceOptions ofProperties() {
        int half = Runtime.getRuntime().availableProcessors() / 2;
        int usual = Math.max(1, Math.min(MOST_LOOPS_BY_DEFAULT, half));
        try {
            return ResourceOptions.DEFAULT
                    .withLoops(Integer.parseInt(
                            System.getProperty(LOOPS, Integer.toString(usual)).strip()))
                    .withIdleStrategy(IdleStrategy.valueOf(System.getProperty(
                                    IDLE_STRATEGY,
                                    ResourceOptions.DEFAULT.idleStrategy().name())
                            .strip()));
        } catch (IllegalArgumentException e) {
            throw new RdmaException(
                    "set -D" + LOOPS + " to 1 to 1024, and -D" + IDLE_STRATEGY + " to BUSY_SPIN, SLEEP or ADAPTIVE: "
                            + e.getMessage(),
                    e);
        }
    }

    private synchronized void closed(SharedDevice device) {
        living.remove(device);
    }

    /** Removes a device that takes no users from under its names. It lives until it is closed. */
    private synchronized void forget(SharedDevice device) {
        open.values().removeIf(one -> one.isDone() && !one.isCompletedExceptionally() && one.getNow(device) == device);
    }

    /**
     * Returns the resources of the devices that are open and take users.
     *
     * @return a snapshot
     */
    public List<DeviceResources> open() {
        Set<DeviceResources> found = new LinkedHashSet<>();
        synchronized (this) {
            for (CompletableFuture<SharedDevice> one : open.values()) {
                if (one.isDone() && !one.isCompletedExceptionally()) {
                    found.add(one.join().resources());
                }
            }
        }
        return List.copyOf(found);
    }

    /**
     * Closes all devices, with the connections of their users, and awaits those that are being opened. The next user of
     * a device opens it anew. Blocks, see {@link DeviceResources#close}.
     *
     * @throws IllegalStateException if the close would wait for the calling thread; nothing is closed then
     * @throws RuntimeException the first failure of a device, with the others suppressed in it
     */
    public void closeAll() {
        living().forEach(device -> device.resources().requireClosable());
        List<CompletableFuture<SharedDevice>> found;
        synchronized (this) {
            found = new ArrayList<>(open.values());
            open.clear();
        }
        CloseSteps steps = new CloseSteps();
        for (CompletableFuture<SharedDevice> one : found) {
            try {
                awaited(one);
            } catch (Throwable e) {
                // its user has it
            }
        }
        living().forEach(device -> steps.run(device::close));
        steps.report();
    }

    private synchronized List<SharedDevice> living() {
        return List.copyOf(living);
    }
}
