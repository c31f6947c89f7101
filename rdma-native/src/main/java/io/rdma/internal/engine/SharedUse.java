package io.rdma.internal.engine;

import io.rdma.internal.close.CloseSteps;
import java.util.concurrent.atomic.AtomicBoolean;

/** One user's part of a device of {@link SharedDevices}. */
public final class SharedUse implements AutoCloseable {
    private final SharedDevice device;
    private final DeviceResources resources;
    private final AtomicBoolean closed = new AtomicBoolean();

    private SharedUse(SharedDevice device, DeviceResources resources) {
        this.device = device;
        this.resources = resources;
    }

    /** Makes the part of a user that has joined. The user leaves if that fails. */
    static SharedUse of(SharedDevice device, boolean ownDomain) {
        try {
            return new SharedUse(device, device.resources().part(ownDomain));
        } catch (Throwable e) {
            try {
                device.leave();
            } catch (Throwable again) {
                CloseSteps.suppress(e, again);
            }
            throw e;
        }
    }

    /**
     * Returns the user's part. Others close the device.
     *
     * @return open, unless all shared devices were closed meanwhile
     */
    public DeviceResources resources() {
        return resources;
    }

    /** Ends the domain of the user, whose connections have ended, and leaves the device. A second call does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            new CloseSteps().run(resources::endPart).run(device::leave).report();
        }
    }
}
