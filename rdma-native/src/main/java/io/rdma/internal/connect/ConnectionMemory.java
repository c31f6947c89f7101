package io.rdma.internal.connect;

import io.rdma.buffer.RegistrationCache;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.EndpointOptions;
import io.rdma.internal.engine.SharedReceives;
import io.rdma.internal.loop.CompletionLoop;
import org.jspecify.annotations.Nullable;

/** Protection domain and receives that one connection has of the resources, to be given back once. */
final class ConnectionMemory {
    private final DeviceResources resources;
    private final ConnectionOptions options;
    private final RegistrationCache registrations;
    private final @Nullable SharedReceives shared;
    private final int promised; // of the shared receives

    /**
     * Takes the memory of a connection.
     *
     * @param loop that completes its operations
     * @param receives whether it takes receives, which it may share with others
     * @throws RdmaConnectException DEVICE if the shared receives are promised to other connections
     */
    ConnectionMemory(DeviceResources resources, ConnectionOptions options, CompletionLoop loop, boolean receives) {
        this.resources = resources;
        this.options = options;
        registrations = options.ownProtectionDomain() ? resources.allocateDomain() : resources.registrations();
        shared = options.ownProtectionDomain() || !receives ? null : resources.sharedReceives(loop);
        promised = shared != null && resources.context().isIwarp()
                ? receiveBuffers() + EndpointOptions.CONTROL_RECEIVES
                : 0;
        if (shared != null) {
            promise(shared);
        }
    }

    private void promise(SharedReceives of) {
        try {
            of.promise(promised);
        } catch (IllegalStateException tooMany) {
            resources.release(registrations);
            throw new RdmaConnectException(
                    RdmaConnectException.Reason.DEVICE, String.valueOf(tooMany.getMessage()), tooMany);
        }
    }

    /** Returns the cache of the domain. */
    RegistrationCache registrations() {
        return registrations;
    }

    /** Returns the receives that it shares; null if it has its own. */
    @Nullable
    SharedReceives shared() {
        return shared;
    }

    /** Returns the number of receives for messages. */
    int receiveBuffers() {
        return shared == null ? options.receiveBuffers() : Math.min(options.receiveBuffers(), shared.mostForOne());
    }

    /** Returns the bytes of each of them. */
    int receiveBufferSize() {
        return shared == null ? options.receiveBufferSize() : shared.size();
    }

    /** Gives everything back that no endpoint has taken. */
    void release() {
        releasePromise();
        resources.release(registrations);
    }

    /** Gives everything back when an endpoint that was made of it has ended. */
    void releaseWith(Endpoint endpoint) {
        if (shared != null) {
            endpoint.receives()
                    .released()
                    .thenRun(this::releasePromise); // the application may hold messages until then
        }
        endpoint.closed().thenRun(() -> resources.release(registrations));
    }

    private void releasePromise() {
        if (shared != null) {
            shared.release(promised);
        }
    }
}
