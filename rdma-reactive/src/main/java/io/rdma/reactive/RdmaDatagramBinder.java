package io.rdma.reactive;

import io.rdma.internal.connect.DatagramBinding;
import io.rdma.internal.connect.UsedResources;
import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * Binder of an {@link RdmaDatagramSocket} to an address. Immutable: each method that changes a setting returns a copy.
 */
public final class RdmaDatagramBinder extends RdmaTransport<RdmaDatagramBinder> {
    RdmaDatagramBinder(Transport transport) {
        super(transport);
    }

    @Override
    RdmaDatagramBinder with(Transport changed) {
        return new RdmaDatagramBinder(changed);
    }

    /**
     * Sets the number of receive buffers, each as large as the longest datagram. Datagrams that arrive while all of
     * them are occupied are lost.
     *
     * @param count buffers posted in advance
     * @return a copy
     */
    public RdmaDatagramBinder receiveBuffers(int count) {
        return options(o -> o.withReceiveBuffers(count, o.receiveBufferSize()));
    }

    /**
     * Sets the number of send buffers, each as large as the longest datagram.
     *
     * @param count buffers in the pool
     * @return a copy
     */
    public RdmaDatagramBinder sendBuffers(int count) {
        return options(o -> o.withSendBuffers(count, o.sendBufferSize()));
    }

    /**
     * Binds once for each subscription.
     *
     * <p><b>Completes</b> with a bound socket. <b>Errors</b> with {@link io.rdma.connect.RdmaConnectException} BIND if
     * the port is in use or the address belongs to no RDMA device, or with {@link io.rdma.types.RdmaException} if there
     * is no connection manager.
     *
     * @return the bound socket
     */
    public Mono<RdmaDatagramSocket> bind() {
        return MakingMono.<RdmaDatagramSocket>of("rdmaBindDatagram", making -> making.made(bound()));
    }

    private RdmaDatagramSocket bound() {
        UsedResources used = transport.datagramResources();
        return used.make(resources -> transport.datagramSocket(
                DatagramBinding.bind(resources, transport.options(), transport.address()), used::release));
    }

    /**
     * Binds and waits until the socket is bound.
     *
     * @param timeout longest wait
     * @return the bound socket
     * @throws IllegalStateException if the timeout expires, if the wait is interrupted, or on a thread that must
     *     not block
     */
    public RdmaDatagramSocket bindNow(Duration timeout) {
        return MakingMono.await(bind(), timeout);
    }

    /**
     * Binds and waits for at most 45 seconds until the socket is bound, as {@link #bindNow(Duration)} does.
     *
     * @return the bound socket
     * @throws IllegalStateException as {@link #bindNow(Duration)}
     */
    public RdmaDatagramSocket bindNow() {
        return bindNow(Transport.LONGEST_WAIT);
    }
}
