package io.rdma.reactive;

import io.rdma.buffer.ReceivedDatagram;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.connect.DatagramBinding;
import io.rdma.verbs.DatagramAddress;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Datagram socket with a {@link Wiretap}. */
final class TappedDatagramSocket extends DefaultRdmaDatagramSocket {
    private final Wiretap tap;

    TappedDatagramSocket(DatagramBinding binding, Runnable release, String category) {
        super(binding, release);
        tap = new Wiretap(category, this);
        tap.event("BOUND");
        binding.closed().thenRun(() -> tap.event("CLOSED"));
    }

    @Override
    public Mono<Void> send(int length, Consumer<MemorySegment> writer, DatagramAddress destination) {
        String event = "SEND to " + destination;
        return tap.failure(event, super.send(length, tap.written(event, writer), destination));
    }

    @Override
    public Mono<Void> send(RegisteredBuffer message, DatagramAddress destination) {
        return tap.operation("SEND to " + destination, message, super.send(message, destination));
    }

    @Override
    public Mono<Void> sendWithImmediate(RegisteredBuffer message, int immediate, DatagramAddress destination) {
        return tap.operation(
                "SEND_WITH_IMM " + immediate + " to " + destination,
                message,
                super.sendWithImmediate(message, immediate, destination));
    }

    @Override
    public <T> Flux<T> receive(Function<? super ReceivedDatagram, ? extends T> decoder) {
        return super.receive(tap.received(decoder));
    }

    @Override
    public Flux<ReceivedDatagram> receiveOwned() {
        return super.receiveOwned().doOnNext(tap::received);
    }

    @Override
    public Mono<DatagramAddress> resolve(String host, int port) {
        return tap.operation("RESOLVE " + host + ":" + port, super.resolve(host, port));
    }

    @Override
    public Mono<DatagramAddress> join(InetAddress group) {
        return tap.operation("JOIN " + group, super.join(group));
    }

    @Override
    public Mono<Void> leave(InetAddress group) {
        return tap.operation("LEAVE " + group, super.leave(group));
    }
}
