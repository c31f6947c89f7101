package io.rdma.reactive;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Server that connects {@link RdmaXrcSender}s to all {@link RdmaXrcReceiver}s of a domain, those of other processes
 * included. It makes a receiving queue pair for each sender, and delivers no messages itself, so a wiretap logs
 * nothing here. Immutable: each method that changes a setting returns a copy. See docs/guide/xrc.md.
 */
public final class RdmaXrcServer extends RdmaTransport<RdmaXrcServer> {
    private final AdmissionLimits limits;
    private final @Nullable Path domain;

    private RdmaXrcServer(Transport transport, AdmissionLimits limits, @Nullable Path domain) {
        super(transport);
        this.limits = limits;
        this.domain = domain;
    }

    @Override
    RdmaXrcServer with(Transport changed) {
        return new RdmaXrcServer(changed, limits, domain);
    }

    /**
     * Returns a server with the options of {@link ConnectionOptions#DEFAULT}, on the default device, for the domain
     * that this process has of that device.
     *
     * @return a server
     */
    public static RdmaXrcServer create() {
        return new RdmaXrcServer(Transport.DEFAULT, AdmissionLimits.DEFAULT, null);
    }

    /**
     * Sets the domain to that of a file, as {@link RdmaXrcBinder#domain} does.
     *
     * @param file exists, and this process may read it; its content has no meaning
     * @return a copy
     */
    public RdmaXrcServer domain(Path file) {
        return new RdmaXrcServer(transport, limits, Objects.requireNonNull(file, "file"));
    }

    /**
     * Sets the length of the longest message, which senders are told. A sender refuses a longer one.
     *
     * @param size bytes of a receive buffer of each receiver in the domain; if they differ, of the smallest
     * @return a copy
     */
    public RdmaXrcServer receiveBufferSize(int size) {
        return options(o -> o.withReceiveBuffers(o.receiveBuffers(), size));
    }

    /**
     * Changes the limits on the senders that the server admits.
     *
     * @param change applied to the current limits
     * @return a copy
     */
    public RdmaXrcServer limits(UnaryOperator<AdmissionLimits> change) {
        return new RdmaXrcServer(transport, change.apply(limits), domain);
    }

    /**
     * Binds and listens, once for each subscription. A dispose of the server ends its senders; the receivers stay.
     *
     * <p><b>Completes</b> with a listening server. <b>Errors</b> with {@link io.rdma.connect.RdmaConnectException} BIND
     * if the port is in use or the domain's file does not exist, DEVICE if the device has no extended reliable
     * connections; with {@link IllegalArgumentException} if the options ask for RDMA CM, an unreliable connection,
     * credits ({@code CREDITS_REQUIRED}) or an alternate path; or with {@link io.rdma.types.VerbsException}.
     *
     * @return the listening server
     */
    public Mono<DisposableServer> bind() {
        return MakingMono.<DisposableServer>of(
                "rdmaListenXrc", making -> making.made(new RunningXrcServer(transport, limits, domain)));
    }

    /**
     * Binds and waits until the server listens.
     *
     * @param timeout longest wait
     * @return the listening server
     * @throws IllegalStateException if the timeout expires, if the wait is interrupted, or on a thread that must
     *     not block
     */
    public DisposableServer bindNow(Duration timeout) {
        return MakingMono.await(bind(), timeout);
    }

    /**
     * Binds and waits for at most 45 seconds until the server listens, as {@link #bindNow(Duration)} does.
     *
     * @return the listening server
     * @throws IllegalStateException as {@link #bindNow(Duration)}
     */
    public DisposableServer bindNow() {
        return bindNow(Transport.LONGEST_WAIT);
    }
}
