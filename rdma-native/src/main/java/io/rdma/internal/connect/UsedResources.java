package io.rdma.internal.connect;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.verbs.RdmaDevices;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Resources of one client connection, server or socket: those of the application, or its own.
 *
 * @param resources open
 * @param owned whether {@link #release} closes them
 */
public record UsedResources(DeviceResources resources, boolean owned) {
    /**
     * Returns the resources of the application, or opens a device. Blocks for some milliseconds if it opens one.
     *
     * @param shared resources of the application; null to open a device
     * @param device name of the device to open; null for the default one
     * @return the resources, to be released
     */
    public static UsedResources of(@Nullable RdmaResources shared, @Nullable String device) {
        if (shared != null) {
            return new UsedResources(DeviceResources.of(shared), false);
        }
        return new UsedResources(
                new DeviceResources(device == null ? RdmaDevices.defaultDevice() : RdmaDevices.named(device)), true);
    }

    /**
     * Makes the only user of the resources. Releases them if that fails.
     *
     * @param <T> type of the user
     * @param maker called once
     * @return the user
     */
    public <T> T make(Function<DeviceResources, T> maker) {
        try {
            return maker.apply(resources);
        } catch (Throwable e) {
            releaseAfter(e);
            throw e;
        }
    }

    /** Closes the resources unless they are those of the application. Blocks. */
    public void release() {
        if (owned) {
            resources.close();
        }
    }

    /**
     * Ends a server: closes its connections, then releases the resources. The second step is tried even if the first
     * one threw. No caller is left to get a failure, so it is logged. Blocks.
     *
     * @param listener of the server, closed
     */
    public void releaseBehind(RdmaListener listener) {
        Throwable failure = new CloseSteps()
                .run(listener::closeConnections) // including those made since the server closed its own
                .run(this::release)
                .failure();
        if (failure != null) {
            System.getLogger(UsedResources.class.getName())
                    .log(System.Logger.Level.ERROR, "the server's resources were not released", failure);
        }
    }

    /**
     * Releases the resources after a failure, to which it adds the failure to release them.
     *
     * @param failure to be reported
     */
    public void releaseAfter(Throwable failure) {
        try {
            release();
        } catch (Throwable e) {
            CloseSteps.suppress(failure, e);
        }
    }
}
