package io.rdma.internal.engine;

import io.rdma.buffer.RegistrationCache;
import io.rdma.engine.ResourceOptions;
import io.rdma.environment.Environment;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.types.RdmaException;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RegistrationBudget;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An open device with completion loops and a protection domain, for the connections of one user. It is thread-safe.
 *
 * <p>A user is an application that opened the device for its clients and servers. Where the process shares a device,
 * each client connection, server and socket is a user of its own, with a {@link #part} of the same open device.
 */
public final class DeviceResources implements AutoCloseable {
    /** Object of a public package that stands for these resources. */
    public interface Holder {
        /** Returns the resources. */
        DeviceResources resources();
    }

    private final OpenDevice device;
    private final RegistrationCache registrations; // of the domain of these connections
    private final boolean part;

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
        this(OpenDevice.withThreads(device, options));
    }

    /**
     * Opens a device whose loops have no threads of their own.
     *
     * @param device the device to open
     * @param options how connections share it
     * @param driver makes a thread drive each loop until it is closed
     * @throws IllegalArgumentException if the options choose processors, which is for threads of the loops' own
     */
    public DeviceResources(RdmaDevice device, ResourceOptions options, Consumer<? super CompletionLoop> driver) {
        this(OpenDevice.drivenBy(driver, device, options));
    }

    private DeviceResources(OpenDevice device) {
        this(device, device.domains().common(), false);
    }

    private DeviceResources(OpenDevice device, RegistrationCache registrations, boolean part) {
        this.device = device;
        this.registrations = registrations;
        this.part = part;
    }

    /**
     * Returns these resources for one of several users that do not know each other: a client, a server or a socket.
     * Closing either closes both.
     *
     * @param ownDomain whether the user's connections have a domain that no other user's have. Datagrams have none,
     *     because address handles are cached in the common one; nor have XRC receivers and servers, whose queue pairs
     *     have no rights to memory
     * @return its user gives it back by {@link #endPart}
     * @throws RdmaException if these resources are closed, or the device refuses a domain
     */
    DeviceResources part(boolean ownDomain) {
        DeviceResources inCommon = new DeviceResources(device, registrations, true);
        try (CleanupStack done = new CleanupStack()) {
            done.add(inCommon.begin(() -> {})); // a close waits for the new domain
            return ownDomain ? new DeviceResources(device, allocateDomain(), true) : inCommon;
        }
    }

    /** Ends the domain of a part, whose connections have ended. The device stays open. */
    void endPart() {
        device.domains().release(registrations); // a close waits for the end of the domain
    }

    /**
     * Returns whether the device and all loops work, as far as is known, and nobody has closed these resources.
     *
     * @return false forever, once it was false
     */
    boolean isUsable() {
        return device.isUsable();
    }

    /**
     * Notes that a {@link #companion} does not work any more. Where the process shares the device, later users get
     * another one.
     */
    public void companionFailed() {
        device.companionFailed();
    }

    /**
     * Does nothing if the calling thread may {@link #close} these resources.
     *
     * @throws IllegalStateException if the close would wait for the calling thread
     */
    void requireClosable() {
        device.requireClosable();
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
        return device.context();
    }

    /**
     * Returns the clock, threads and randomness of the device. For this project's modules.
     *
     * @return the environment
     */
    public Environment environment() {
        return context().environment();
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
        return device.domains().budget();
    }

    /**
     * Allocates a protection domain for one connection, with registrations of its own.
     *
     * @return to be given to {@link #release}
     */
    public RegistrationCache allocateDomain() {
        return device.domains().allocate();
    }

    /**
     * Closes a domain of {@link #allocateDomain} as soon as nothing of it is held any more, at the latest with these
     * resources. Leaves the shared domain open.
     *
     * @param own registrations of a domain that no connection uses any more
     */
    public void release(RegistrationCache own) {
        if (own != registrations) {
            device.domains().release(own);
        }
    }

    /**
     * Returns the loops that complete all operations here.
     *
     * @return running, as many as configured
     */
    public List<CompletionLoop> loops() {
        return device.loops().all();
    }

    /**
     * Returns the loop for one more connection.
     *
     * @return of the live loops, the one whose connections have reserved the fewest entries of its completion queues
     * @throws io.rdma.types.RdmaException if every loop has failed, with the reason
     */
    public CompletionLoop roomiestLoop() {
        return device.loops().roomiest();
    }

    /** Returns the memory placement extensions of the device. */
    public PlacementAbilities placement() {
        return device.placement();
    }

    /**
     * Returns the receive buffers that connections of {@link #domain} share on a loop.
     *
     * @param loop one of {@link #loops}
     * @return null if each connection has a ring of its own
     */
    public @Nullable SharedReceives sharedReceives(CompletionLoop loop) {
        return device.sharedReceives(loop);
    }

    /**
     * Registers a set-up that takes time and makes objects of the device, so that {@link #close} breaks it off and
     * waits for it. Endpoints are made within a set-up only, because an endpoint that joins its loop after the close
     * would never end.
     *
     * @param breakOff called by a close, on its thread, at most once and not after the set-up has ended; must not block
     * @return to be closed when every object that it made has an owner or is closed again
     * @throws IllegalStateException if these resources are closed; {@link RdmaException} if the process shares them
     */
    public PendingSetup begin(Runnable breakOff) {
        try {
            return device.begin(breakOff);
        } catch (IllegalStateException closed) {
            if (part) { // its user has not closed it, and finds other resources at the next try
                throw new RdmaException(
                        "the resources that this process shares were closed meanwhile: connect or bind again", closed);
            }
            throw closed;
        }
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
        return device.companion(type, made);
    }

    /**
     * Returns the connections here.
     *
     * @return a snapshot
     */
    public List<Endpoint> endpoints() {
        return device.endpoints();
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
        return device.events(changed);
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
        device.close();
    }
}
