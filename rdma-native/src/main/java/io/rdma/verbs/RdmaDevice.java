package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.DeviceEntry;
import io.rdma.internal.ibv.Ibv;
import io.rdma.types.VerbsException;

/** A device that is present but not opened. */
public final class RdmaDevice {
    final Verbs verbs;
    private final DeviceEntry entry;

    RdmaDevice(Verbs verbs, DeviceEntry entry) {
        this.verbs = verbs;
        this.entry = entry;
    }

    /**
     * Returns the name of the device.
     *
     * @return such as {@code mlx5_0}, {@code rxe0} or {@code soft0}
     */
    public String name() {
        return entry.name();
    }

    /**
     * Returns the node GUID.
     *
     * @return host order
     */
    public long guid() {
        return entry.guid();
    }

    /**
     * Returns the transport, {@code enum ibv_transport_type}.
     *
     * @return 0 is InfiniBand and RoCE, 1 is iWARP
     */
    public int transportType() {
        return entry.transportType();
    }

    /**
     * Returns whether this device speaks iWARP, RFC 5040, and not InfiniBand or RoCE. Its queue pairs are connected by
     * the connection manager alone, and have no receiver-not-ready.
     *
     * @return whether {@link #transportType} is 1
     */
    public boolean isIwarp() {
        return entry.transportType() == Ibv.TRANSPORT_IWARP;
    }

    /**
     * Returns whether this is the embedded software device.
     *
     * @return false for devices of libibverbs
     */
    public boolean isSoftware() {
        return verbs.isSoftware();
    }

    /**
     * Opens the device, {@code ibv_open_device(3)}.
     *
     * @return the context; close it after every object created from it
     * @throws VerbsException if the device is gone or may not be opened
     */
    public DeviceContext open() {
        return new DeviceContext(verbs, verbs.openDevice(entry.name()), entry.name(), entry.transportType());
    }

    /**
     * Creates an event channel, as {@link DeviceContext#createEventChannel} does, without an open device: an identifier
     * finds its device by address.
     *
     * @return to be closed
     */
    public CmEventChannel createEventChannel() {
        return CmEventChannel.of(verbs);
    }

    @Override
    public String toString() {
        return name();
    }
}
