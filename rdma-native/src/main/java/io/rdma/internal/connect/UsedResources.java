package io.rdma.internal.connect;

import io.rdma.connect.RdmaResources;
import io.rdma.environment.Environment;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.SharedDevices;
import io.rdma.internal.engine.SharedUse;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Resources of one client connection, server or socket: those of the application, or its part of those that the process
 * shares.
 *
 * @param resources open
 * @param owner closed by {@link #release}; does nothing for those of the application
 */
public record UsedResources(DeviceResources resources, AutoCloseable owner) {
    /**
     * Returns the resources of connections. Blocks for some milliseconds if the device is not open.
     *
     * @param given resources of the application; null for those that the process shares
     * @param device name of the device that the process shares; null for the default one
     * @return the resources, to be released
     */
    public static UsedResources of(@Nullable RdmaResources given, @Nullable String device) {
        return of(given, device, true);
    }

    /**
     * Returns the resources of a datagram socket, or of a receiver or server of XRC. All of them share a protection
     * domain: sockets because they share a cache of address handles. No peer can reach memory by a datagram, nor by a
     * queue pair of an XRC server, which has no rights to memory.
     *
     * @param given see {@link #of}
     * @param device see {@link #of}
     * @return the resources, to be released
     */
    public static UsedResources ofDatagrams(@Nullable RdmaResources given, @Nullable String device) {
        return of(given, device, false);
    }

    private static UsedResources of(@Nullable RdmaResources given, @Nullable String device, boolean ownDomain) {
        if (given != null) {
            return new UsedResources(DeviceResources.of(given), () -> {});
        }
        SharedUse use = SharedDevices.PROCESS.use(device, ownDomain);
        return new UsedResources(use.resources(), use);
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

    /** Gives the resources back unless they are those of the application. May block. */
    public void release() {
        new CloseSteps().run(owner::close).report();
    }

    /**
     * Ends a server on a thread of its own: closes its connections, then releases the resources. The second step is
     * tried even if the first one threw. No caller is left to get such a failure, so it is logged.
     *
     * @param listener of the server, closed
     * @param released completes behind both steps; with the error that this method throws if no thread can be started,
     *     because the caller may be a loop, which must not wait for the connections
     */
    public void releaseBehind(RdmaListener listener, CompletableFuture<Void> released) {
        releaseBehind(listener, released, resources.environment());
    }

    void releaseBehind(RdmaListener listener, CompletableFuture<Void> released, Environment environment) {
        try {
            environment.start("rdma-release", () -> {
                try {
                    releaseBehind(listener);
                } finally {
                    released.complete(null);
                }
            });
        } catch (Throwable e) {
            released.completeExceptionally(e);
            throw e;
        }
    }

    void releaseBehind(RdmaListener listener) {
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
