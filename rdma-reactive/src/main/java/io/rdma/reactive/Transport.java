package io.rdma.reactive;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.internal.connect.UsedResources;
import io.rdma.verbs.RdmaDevices;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * Settings that clients and servers have in common. Immutable.
 *
 * @param host name or address
 * @param port TCP port of the exchange
 * @param device name of the device, or null for the default device
 * @param options options of the connections
 * @param shared resources of the caller, or null to open and close resources of its own
 */
record Transport(
        String host,
        int port,
        @Nullable String device,
        ConnectionOptions options,
        @Nullable RdmaResources shared) {
    static {
        RdmaDevices.prepare(); // first, since it runs in parallel with all that follows
        // block() on a loop would stall all its connections, so Reactor must refuse it on such threads.
        Schedulers.registerNonBlockingThreadPredicate(Transport::isLoop);
    }

    static final Transport DEFAULT = new Transport("localhost", 0, null, ConnectionOptions.DEFAULT, null);

    Transport {
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port must be from 0 to 65535: " + port);
        }
    }

    /** Returns whether a thread is the thread of a completion loop. */
    static boolean isLoop(Thread thread) {
        return thread.getName().startsWith("rdma-loop-");
    }

    Transport withHost(String value) {
        return new Transport(value, port, device, options, shared);
    }

    Transport withPort(int value) {
        return new Transport(host, value, device, options, shared);
    }

    Transport withDevice(String value) {
        return new Transport(host, port, value, options, shared);
    }

    Transport withOptions(ConnectionOptions value) {
        return new Transport(host, port, device, value, shared);
    }

    Transport withResources(RdmaResources value) {
        return new Transport(host, port, device, options, value);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    /** Returns the resources for one client connection or one server: the shared ones, or newly opened ones. */
    UsedResources resources() {
        return UsedResources.of(shared, device);
    }
}
