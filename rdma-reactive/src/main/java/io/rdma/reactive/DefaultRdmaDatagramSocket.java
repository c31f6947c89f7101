package io.rdma.reactive;

import io.rdma.buffer.ReceivedDatagram;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.internal.connect.DatagramBinding;
import io.rdma.internal.engine.DatagramEndpoint;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.verbs.DatagramAddress;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@link RdmaDatagramSocket} over a {@link DatagramBinding}, which holds all state. */
class DefaultRdmaDatagramSocket implements RdmaDatagramSocket {
    private final DatagramBinding binding;
    private final DatagramEndpoint endpoint;
    private final Inbound inbound;
    private final CompletableFuture<Void> released;

    /**
     * Makes a socket.
     *
     * @param release action to run, off the loop, when the binding is closed
     */
    DefaultRdmaDatagramSocket(DatagramBinding binding, Runnable release) {
        this.binding = binding;
        this.endpoint = binding.endpoint();
        this.inbound = new Inbound(endpoint.endpoint());
        this.released = binding.closed().thenRunAsync(release, Thread::startVirtualThread);
    }

    @Override
    public Mono<Void> send(int length, Consumer<MemorySegment> writer, DatagramAddress destination) {
        if (length < 0 || length > maxMessageSize()) {
            return Mono.error(endpoint.tooLong(length));
        }
        return ScopedSendMono.of(endpoint, endpoint.endpoint().sendBuffers(), buffer -> {
            writer.accept(buffer.segment().asSlice(0, length));
            return WorkRequest.sendTo(buffer.limit(length), destination, true);
        });
    }

    @Override
    public Mono<Void> send(RegisteredBuffer message, DatagramAddress destination) {
        return OperationMono.of(endpoint, WorkRequest.sendTo(message, destination, false));
    }

    @Override
    public Mono<Void> sendWithImmediate(RegisteredBuffer message, int immediate, DatagramAddress destination) {
        return OperationMono.of(endpoint, WorkRequest.sendToWithImmediate(message, immediate, destination));
    }

    @Override
    public Mono<RegisteredBuffer> acquire() {
        return AcquireMono.of(endpoint.endpoint().sendBuffers());
    }

    @Override
    public <T> Flux<T> receive(Function<? super ReceivedDatagram, ? extends T> decoder) {
        return ReceiveFlux.decoded(inbound, message -> decoder.apply((ReceivedDatagram) message));
    }

    @Override
    public Flux<ReceivedDatagram> receiveOwned() {
        return ReceiveFlux.owned(inbound, message -> (ReceivedDatagram) message);
    }

    @Override
    public Mono<DatagramAddress> resolve(String host, int port) {
        InetSocketAddress service = InetSocketAddress.createUnresolved(host, port);
        return Mono.fromFuture(() -> binding.resolve(service));
    }

    @Override
    public Mono<DatagramAddress> join(InetAddress group) {
        return Mono.fromFuture(() -> binding.join(group));
    }

    @Override
    public Mono<Void> leave(InetAddress group) {
        return Mono.fromFuture(() -> binding.leave(group));
    }

    @Override
    public int maxMessageSize() {
        return endpoint.maxMessageSize();
    }

    @Override
    public InetSocketAddress localAddress() {
        return binding.address();
    }

    @Override
    public RdmaEndpoint endpoint() {
        return endpoint.endpoint();
    }

    /** Returns the engine below this socket. */
    DatagramEndpoint datagrams() {
        return endpoint;
    }

    @Override
    public void dispose() {
        if (endpoint.endpoint().handsOver(this::dispose)) {
            return;
        }
        try {
            binding.close();
        } finally {
            inbound.dispose(null);
        }
    }

    @Override
    public boolean isDisposed() {
        return endpoint.endpoint().isClosing();
    }

    @Override
    public Mono<Void> onDispose() {
        return Mono.fromFuture(() -> released, true);
    }

    @Override
    public String toString() {
        return "RdmaDatagramSocket[" + localAddress() + "]";
    }
}
