package io.rdma.reactive;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.internal.connect.DatagramBinding;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.UsedResources;
import io.rdma.verbs.RdmaDevices;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * Settings that clients and servers have in common. Immutable.
 *
 * @param host name or address
 * @param port TCP port of the exchange
 * @param device name of the device, or null for the default device
 * @param options options of the connections
 * @param shared resources of the caller, or null for those that the process shares
 * @param wiretap name of the logger of the wiretap, or null for none
 * @param view returns what the application gets in place of a connection, or null for the connection itself
 */
record Transport(
        String host,
        int port,
        @Nullable String device,
        ConnectionOptions options,
        @Nullable RdmaResources shared,
        @Nullable String wiretap,
        @Nullable UnaryOperator<RdmaConnection> view) {
    static {
        RdmaDevices.prepare(); // first, since it runs in parallel with all that follows
        // block() on a loop would stall all its connections, so Reactor must refuse it on such threads.
        Schedulers.registerNonBlockingThreadPredicate(Transport::isLoop);
    }

    /** Time limit of waits without an argument. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(45);

    static final Transport DEFAULT = new Transport("localhost", 0, null, ConnectionOptions.DEFAULT, null, null, null);

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
        return new Transport(value, port, device, options, shared, wiretap, view);
    }

    Transport withPort(int value) {
        return new Transport(host, value, device, options, shared, wiretap, view);
    }

    Transport withDevice(String value) {
        return new Transport(host, port, value, options, shared, wiretap, view);
    }

    Transport withOptions(ConnectionOptions value) {
        return new Transport(host, port, device, value, shared, wiretap, view);
    }

    Transport withResources(RdmaResources value) {
        return new Transport(host, port, device, options, value, wiretap, view);
    }

    Transport withWiretap(@Nullable String value) {
        return new Transport(host, port, device, options, shared, value, view);
    }

    /** Returns a copy that also applies another view, to what the views before it return. */
    Transport withView(UnaryOperator<RdmaConnection> next) {
        Objects.requireNonNull(next, "view");
        UnaryOperator<RdmaConnection> first = view;
        return new Transport(
                host,
                port,
                device,
                options,
                shared,
                wiretap,
                first == null ? next : connection -> next.apply(first.apply(connection)));
    }

    InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    /** Returns the resources for one client connection or one server: those of the caller, or of the process. */
    UsedResources resources() {
        return UsedResources.of(shared, device);
    }

    /** Returns a connection. Only with a wiretap does it test whether to log. */
    RdmaConnection connection(EstablishedConnection established, Runnable release) {
        return wiretap == null
                ? new DefaultRdmaConnection(established, release)
                : new TappedConnection(established, release, wiretap);
    }

    /** Returns what the application gets in place of a connection. Runs code of the application. */
    RdmaConnection viewed(RdmaConnection connection) {
        return view == null ? connection : Objects.requireNonNull(view.apply(connection), "a view of a connection");
    }

    /** Returns the socket of the application. */
    RdmaDatagramSocket datagramSocket(DatagramBinding binding, Runnable release) {
        return wiretap == null
                ? new DefaultRdmaDatagramSocket(binding, release)
                : new TappedDatagramSocket(binding, release, wiretap);
    }

    /** Returns the resources for one datagram socket, or one receiver or server of XRC. */
    UsedResources datagramResources() {
        return UsedResources.ofDatagrams(shared, device);
    }
}
