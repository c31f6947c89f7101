package io.rdma.connect;

import io.rdma.buffer.RegistrationCache;
import io.rdma.engine.LoopCounters;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.ResourceOptions;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RegistrationBudget;
import java.util.List;

/**
 * An open device with a protection domain and completion loops, which the connections of clients and servers share. It
 * is thread-safe.
 */
public sealed interface RdmaResources extends AutoCloseable permits OpenResources {
    /**
     * Opens a device with {@link ResourceOptions#DEFAULT}.
     *
     * @param device the device to open
     * @return to be closed after the clients and servers that use it
     */
    static RdmaResources open(RdmaDevice device) {
        return open(device, ResourceOptions.DEFAULT);
    }

    /**
     * Opens a device.
     *
     * @param device the device to open
     * @param options how connections share it
     * @return to be closed after the clients and servers that use it
     */
    static RdmaResources open(RdmaDevice device, ResourceOptions options) {
        return new OpenResources(new DeviceResources(device, options));
    }

    /**
     * Returns the resources of clients, servers and sockets that are given none.
     *
     * @return of this process, always the same object
     */
    static SharedResources shared() {
        return SharedResources.PROCESS;
    }

    /**
     * Returns the device.
     *
     * @return open
     */
    DeviceContext context();

    /**
     * Returns the protection domain that the connections here share.
     *
     * @return open
     */
    ProtectionDomain domain();

    /**
     * Returns the cache of the application's memory that stays registered in {@link #domain}.
     *
     * @return open
     */
    RegistrationCache registrations();

    /**
     * Returns the budget, with the amount of memory that all connections and domains here have registered.
     *
     * @return live
     */
    RegistrationBudget registrationBudget();

    /**
     * Returns the counters of the loops that complete all operations here.
     *
     * @return live, one for each loop
     */
    List<LoopCounters> counters();

    /**
     * Returns the connections here.
     *
     * @return a snapshot
     */
    List<RdmaEndpoint> endpoints();

    /**
     * Returns the clock, threads and randomness of the device. For this project's modules.
     *
     * @return the environment
     */
    Environment environment();

    /**
     * Breaks off connections that are being established, closes all others, and waits until they are drained. Then
     * closes the loops, the domain and the device. Blocks for at most the drain time-outs, for registrations of memory
     * that are under way, and for the trust and key managers of an SSLContext that are at work. Must not be called by
     * those managers, nor on a loop. Regions that the application still holds keep the domain and the device open.
     * Every step is tried, even if an earlier one threw. A second call waits for the same end.
     *
     * @throws RuntimeException the first failure of the device, with the others suppressed in it
     */
    @Override
    void close();
}
