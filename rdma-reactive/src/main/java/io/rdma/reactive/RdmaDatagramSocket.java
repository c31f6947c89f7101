package io.rdma.reactive;

import io.rdma.buffer.ReceivedDatagram;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.DatagramEndpoint;
import io.rdma.verbs.DatagramAddress;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Unreliable datagrams (UD), to and from anybody: one packet each, which may be lost, and nobody is told. See
 * docs/guide/datagrams.md.
 *
 * <p>Every {@code Mono} is cold: each subscription posts once, nothing is ever posted again by itself. Unless said
 * otherwise:
 *
 * <ul> <li><b>Errors</b>: {@link io.rdma.engine.DatagramTooLongException} for a message that does not fit into a packet
 * and {@link io.rdma.verbs.VerbsException} for a destination that no path leads to; the others go on.
 * {@link io.rdma.verbs.WorkCompletionException} for a request that the device failed; the endpoint is lost then, and
 * all others end with {@link io.rdma.engine.ConnectionClosedException} whose cause is that first failure. Misuse
 * (closed buffer) is {@link IllegalStateException}. <li><b>Cancel</b> before the request is posted: it never will be.
 * Afterwards it stops the waiting only: the datagram is sent. <li><b>Buffers</b> are borrowed from the post to the
 * completion of the device, whatever becomes of the subscriber. <li><b>Signals</b> come on the completion loop: do not
 * block there; use {@code publishOn}. Failures of a path, and the ends of {@link #resolve}, {@link #join} and
 * {@link #leave}, come on threads of their own.
 * </ul>
 */
public interface RdmaDatagramSocket extends Disposable {
    /**
     * Begins to bind, with the defaults of {@link io.rdma.connect.ConnectionOptions#DEFAULT}, on the default device.
     *
     * @return to be given an address
     */
    static RdmaDatagramBinder create() {
        return new RdmaDatagramBinder(Transport.DEFAULT);
    }

    /**
     * Sends a datagram that a writer puts into a registered buffer; waits while all send buffers are in use.
     *
     * <p><b>Completes</b> when the device has sent it; whether it arrives nobody knows.
     *
     * @param length bytes, at most {@link #maxMessageSize}
     * @param writer fills exactly {@code length} bytes; runs once per subscription, on the subscriber's thread or,
     *     after a wait, on the loop
     * @param destination who gets it
     * @return completes empty
     */
    Mono<Void> send(int length, Consumer<MemorySegment> writer, DatagramAddress destination);

    /**
     * Sends the first {@code limit} bytes of a buffer; completes when the device has sent them.
     *
     * @param message readable, not writable, until completion; stays the caller's to close
     * @param destination who gets it
     * @return completes empty
     */
    Mono<Void> send(RegisteredBuffer message, DatagramAddress destination);

    /**
     * Like {@link #send(RegisteredBuffer, DatagramAddress)}, with four bytes of immediate data.
     *
     * @param message as there
     * @param immediate any value
     * @param destination who gets it
     * @return completes empty
     */
    Mono<Void> sendWithImmediate(RegisteredBuffer message, int immediate, DatagramAddress destination);

    /**
     * A buffer for a datagram, of the endpoint's pool; waits while the pool is empty.
     *
     * @return a lease to be closed by the subscriber; use
     *     {@code doOnDiscard(RegisteredBuffer.class, RegisteredBuffer::close)} where operators may drop it
     */
    Mono<RegisteredBuffer> acquire();

    /**
     * Receives datagrams, decoded in their receive buffer, which is posted again when the decoder returns. One
     * subscriber at a time; a cancelled one can be followed by another, which continues where the first stopped.
     * Datagrams that nobody requested wait in their buffers, and what comes when all are taken is lost.
     *
     * <p><b>Completes</b> after the last datagram when this is disposed of; <b>errors</b> when the endpoint is lost. A
     * bad datagram is neither: the device and the engine drop it.
     *
     * @param <T> type of the items
     * @param decoder copies out what it needs, {@link ReceivedDatagram#source} included; runs on the loop; must not
     *     return null, and an exception of it ends the {@code Flux}. What it reads is a stranger's
     * @return the items
     */
    <T> Flux<T> receive(Function<? super ReceivedDatagram, ? extends T> decoder);

    /**
     * Receives datagrams in their receive buffers without a copy; like {@link #receive}, but the subscriber closes
     * each, and the buffer is posted again then.
     *
     * @return leases
     */
    Flux<ReceivedDatagram> receiveOwned();

    /**
     * Finds whoever has bound an address.
     *
     * <p><b>Completes</b> with where to send. <b>Errors</b> with {@link io.rdma.connect.RdmaConnectException}: REJECTED
     * if nobody has bound it, UNREACHABLE or TIMEOUT if the host does not answer, ADDR_ERROR or ROUTE_ERROR if no way
     * by this device leads there. <b>Cancel</b> breaks it off.
     *
     * @param host name or address
     * @param port of the datagram service
     * @return the address
     */
    Mono<DatagramAddress> resolve(String host, int port);

    /**
     * Joins a multicast group; again, it does nothing.
     *
     * <p><b>Completes</b> with the address of the group when what is sent to it from then on arrives here, too.
     * <b>Errors</b> with {@link io.rdma.connect.RdmaConnectException}. <b>Cancel</b> stops the waiting only:
     * {@link #leave} undoes it.
     *
     * @param group multicast address
     * @return the group's address
     */
    Mono<DatagramAddress> join(InetAddress group);

    /**
     * Leaves a group; closing does, too.
     *
     * <p><b>Completes</b> when nothing more comes from it. <b>Errors</b> with {@link IllegalStateException} if it was
     * not joined. <b>Cancel</b> stops the waiting only.
     *
     * @param group as joined
     * @return completes empty
     */
    Mono<Void> leave(InetAddress group);

    /**
     * Longest datagram.
     *
     * @return bytes, the port's MTU
     */
    int maxMessageSize();

    /**
     * Where others find this by {@link #resolve}.
     *
     * @return with the real port
     */
    InetSocketAddress localAddress();

    /**
     * The engine below, for what this interface does not offer.
     *
     * @return shared
     */
    DatagramEndpoint endpoint();

    /** Closes: what is not completed fails, what was not received is dropped, groups are left. Does not wait. */
    @Override
    void dispose();

    /**
     * Closes when subscribed, and completes when closed.
     *
     * @return completes empty
     */
    Mono<Void> disposeLater();

    /**
     * Completes when this is closed, for whatever reason, and its resources are released.
     *
     * @return completes empty, never with an error
     */
    Mono<Void> onDispose();

    /**
     * Closes and waits; not to be called on the loop.
     *
     * @param timeout for the wait
     * @throws IllegalStateException if time is up
     */
    void disposeNow(Duration timeout);
}
