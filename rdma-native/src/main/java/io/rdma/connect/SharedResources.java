package io.rdma.connect;

import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.SharedDevices;
import java.util.List;

/**
 * Open devices that the clients, servers and sockets of this process share, unless they are given {@link
 * RdmaResources}. The first of them that uses a device opens it. The device stays open for ten seconds after the last
 * one. It is replaced at the next use if it has failed.
 *
 * <p>Each client connection and each server has a protection domain of its own, so the keys of one are of no use to the
 * peers of another. Thread-safe.
 */
public final class SharedResources {
    static final SharedResources PROCESS = new SharedResources(SharedDevices.PROCESS);

    private final SharedDevices devices;

    private SharedResources(SharedDevices devices) {
        this.devices = devices;
    }

    /**
     * Sets the options of the devices that are opened from now on. Without this call the system properties {@code
     * io.rdma.shared.loops} and {@code io.rdma.shared.idleStrategy} count, and otherwise {@link
     * ResourceOptions#DEFAULT}, with a loop for every second processor, at most four.
     *
     * @param options used instead of the system properties
     * @throws IllegalStateException if a device is open already
     * @throws IllegalArgumentException if they have shared receive buffers, which need one protection domain for all
     */
    public void configure(ResourceOptions options) {
        devices.configure(options);
    }

    /**
     * Returns the resources of the devices that are open now, for meters and events. They have the connections of all
     * users. Closing one of them closes these connections.
     *
     * @return a snapshot
     */
    public List<RdmaResources> open() {
        return devices.open().stream().<RdmaResources>map(OpenResources::new).toList();
    }

    /**
     * Breaks off connections that are being established, closes all others, and closes the devices, as {@link
     * RdmaResources#close} does. A server that is bound goes on listening and refuses clients, so close servers first.
     * The next client, server or socket opens its device anew. Blocks; must not be called on a completion loop.
     *
     * @throws RuntimeException the first failure of a device, with the others suppressed in it
     */
    public void closeAll() {
        devices.closeAll();
    }
}
