package io.rdma.netty;

import io.rdma.engine.ResourceOptions;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import org.jspecify.annotations.Nullable;

/**
 * Options of the event loops of one group, for {@link RdmaIoHandler#newFactory(RdmaIoOptions)}. Immutable.
 *
 * @param device device that each event loop opens for itself; null for the {@linkplain RdmaDevices#defaultDevice
 *     default device}
 * @param resources completion queues, memory and idle strategy of each event loop. The number of loops is of no
 *     account: an event loop drives one
 */
public record RdmaIoOptions(@Nullable RdmaDevice device, ResourceOptions resources) {
    /** Defaults: the default device, and {@link ResourceOptions#DEFAULT}. */
    public static final RdmaIoOptions DEFAULT = new RdmaIoOptions(null, ResourceOptions.DEFAULT);

    /**
     * Returns a copy with another device.
     *
     * @param device see the record
     * @return a copy
     */
    public RdmaIoOptions withDevice(RdmaDevice device) {
        return new RdmaIoOptions(device, resources);
    }

    /**
     * Returns a copy with other resources.
     *
     * @param resources see the record
     * @return a copy
     */
    public RdmaIoOptions withResources(ResourceOptions resources) {
        return new RdmaIoOptions(device, resources);
    }

    /** Returns the device to open. */
    RdmaDevice found() {
        return device != null ? device : RdmaDevices.defaultDevice();
    }
}
