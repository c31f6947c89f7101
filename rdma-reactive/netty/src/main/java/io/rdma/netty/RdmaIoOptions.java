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
 * @param pooledBytes bytes that each event loop registers at most for the buffers that its channels allocate; 0 for
 *     none. Beyond it, buffers are not registered, and what is written from them is copied
 */
public record RdmaIoOptions(@Nullable RdmaDevice device, ResourceOptions resources, long pooledBytes) {
    /** Defaults: the default device, {@link ResourceOptions#DEFAULT}, and at most 64 MiB of pooled buffers. */
    public static final RdmaIoOptions DEFAULT = new RdmaIoOptions(null, ResourceOptions.DEFAULT, 64L << 20);

    /** Checks the range. */
    public RdmaIoOptions {
        if (pooledBytes < 0) {
            throw new IllegalArgumentException("pooledBytes must not be negative: " + pooledBytes);
        }
    }

    /**
     * Returns a copy with another device.
     *
     * @param device see the record
     * @return a copy
     */
    public RdmaIoOptions withDevice(RdmaDevice device) {
        return new RdmaIoOptions(device, resources, pooledBytes);
    }

    /**
     * Returns a copy with other resources.
     *
     * @param resources see the record
     * @return a copy
     */
    public RdmaIoOptions withResources(ResourceOptions resources) {
        return new RdmaIoOptions(device, resources, pooledBytes);
    }

    /**
     * Returns a copy with another bound of the pooled buffers.
     *
     * @param bytes see the record
     * @return a copy
     */
    public RdmaIoOptions withPooledBytes(long bytes) {
        return new RdmaIoOptions(device, resources, bytes);
    }

    /** Returns the device to open. */
    RdmaDevice found() {
        return device != null ? device : RdmaDevices.defaultDevice();
    }
}
