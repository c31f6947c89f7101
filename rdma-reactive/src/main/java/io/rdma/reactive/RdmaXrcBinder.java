package io.rdma.reactive;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.connect.UsedResources;
import io.rdma.internal.connect.XrcConnections;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Binder of {@link RdmaXrcReceiver}s. Immutable: each method that changes a setting returns a copy. */
public final class RdmaXrcBinder {
    private final Transport transport;
    private final @Nullable Path domain;

    RdmaXrcBinder(Transport transport, @Nullable Path domain) {
        this.transport = transport;
        this.domain = domain;
    }

    /**
     * Sets the device to use.
     *
     * @param name name of the device, such as {@code mlx5_0} or {@code soft0}
     * @return a copy
     */
    public RdmaXrcBinder device(String name) {
        return new RdmaXrcBinder(transport.withDevice(name), domain);
    }

    /**
     * Uses resources of the caller instead of those that the process shares. The caller closes them.
     *
     * @param resources open resources
     * @return a copy
     */
    public RdmaXrcBinder resources(RdmaResources resources) {
        return new RdmaXrcBinder(transport.withResources(resources), domain);
    }

    /**
     * Sets the domain to that of a file, which all processes that name the file share. Without this the domain is that
     * of the device in this process.
     *
     * @param file exists, and this process may read it; its content has no meaning
     * @return a copy
     */
    public RdmaXrcBinder domain(Path file) {
        return new RdmaXrcBinder(transport, Objects.requireNonNull(file, "file"));
    }

    /**
     * Sets the receive buffers.
     *
     * @param count buffers posted in advance
     * @param size bytes of each, at least {@link RdmaXrcServer#receiveBufferSize}: the longest message
     * @return a copy
     */
    public RdmaXrcBinder receiveBuffers(int count, int size) {
        return new RdmaXrcBinder(transport.withOptions(transport.options().withReceiveBuffers(count, size)), domain);
    }

    /**
     * Logs events and messages of each receiver, as {@link RdmaTransport#wiretap(String)} does.
     *
     * @param category name of the {@link System.Logger}, which logs at level {@code DEBUG}
     * @return a copy
     */
    public RdmaXrcBinder wiretap(String category) {
        return new RdmaXrcBinder(transport.withWiretap(Objects.requireNonNull(category, "category")), domain);
    }

    /**
     * Binds a receiver, once for each subscription.
     *
     * <p><b>Completes</b> with a receiver whose buffers are posted. <b>Errors</b> with
     * {@link io.rdma.connect.RdmaConnectException} DEVICE if the device has no extended reliable connections
     * or not that many receives, BIND if the domain's file does not exist, or with
     * {@link io.rdma.types.VerbsException}.
     *
     * @return the receiver
     */
    public Mono<RdmaXrcReceiver> bind() {
        return MakingMono.<RdmaXrcReceiver>of("rdmaBindXrc", making -> making.made(bound()));
    }

    private RdmaXrcReceiver bound() {
        UsedResources used = transport.datagramResources();
        return used.make(resources -> new DefaultRdmaXrcReceiver(
                XrcConnections.receiver(resources, transport.options(), domain), transport.wiretap(), used::release));
    }

    /**
     * Binds and waits until the receiver is bound.
     *
     * @param timeout longest wait
     * @return the receiver
     * @throws IllegalStateException if the timeout expires, if the wait is interrupted, or on a thread that must
     *     not block
     */
    public RdmaXrcReceiver bindNow(Duration timeout) {
        return MakingMono.await(bind(), timeout);
    }

    /**
     * Binds and waits for at most 45 seconds until the receiver is bound, as {@link #bindNow(Duration)} does.
     *
     * @return the receiver
     * @throws IllegalStateException as {@link #bindNow(Duration)}
     */
    public RdmaXrcReceiver bindNow() {
        return bindNow(Transport.LONGEST_WAIT);
    }
}
