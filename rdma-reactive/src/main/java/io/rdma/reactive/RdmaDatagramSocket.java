package io.rdma.reactive;

import io.rdma.buffer.ReceivedDatagram;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.verbs.DatagramAddress;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Socket for unreliable datagrams (UD), to and from any peer. Each datagram is one packet, which may be lost without
 * notice to either side. See docs/guide/datagrams.md.
 *
 * <p>Every {@code Mono} is cold: each subscription posts one request, and no request is posted again automatically.
 * Unless a method says otherwise:
 *
 * <ul>
 * <li><b>Errors</b>: {@link io.rdma.engine.DatagramTooLongException} for a message that does not fit into a packet, and
 * {@link io.rdma.types.VerbsException} for a destination that no path leads to; other operations continue.
 * {@link io.rdma.types.WorkCompletionException} for a request that the device failed. The endpoint is then lost, and
 * all other operations end with {@link io.rdma.engine.ConnectionClosedException}, whose cause is that first failure.
 * Misuse (a closed buffer) ends with {@link IllegalStateException}.
 * <li><b>Cancel</b> before the post: the request is never posted. <b>Cancel</b> after the post ends only the wait: the
 * datagram is sent.
 * <li><b>Buffers</b> are borrowed from the subscription until the device completes the request, even if the subscriber
 * has cancelled by then.
 * <li><b>Signals</b> usually arrive on the completion loop. Do not block there; use {@code publishOn}. Failures of a
 * path, and the ends of {@link #resolve}, {@link #join} and {@link #leave}, arrive on threads of their own.
 * </ul>
 */
public interface RdmaDatagramSocket extends RdmaDisposable {
    /**
     * Returns a binder with the options of {@link io.rdma.connect.ConnectionOptions#DEFAULT}, on the default device.
     *
     * @return a binder, to be given an address
     */
    static RdmaDatagramBinder create() {
        return new RdmaDatagramBinder(Transport.DEFAULT);
    }

    /**
     * Sends a datagram that a writer puts into a registered buffer. Waits while all send buffers are in use.
     *
     * <p><b>Completes</b> when the device has sent the datagram. Its arrival is not reported.
     *
     * @param length bytes, at most {@link #maxMessageSize}
     * @param writer fills exactly {@code length} bytes; runs once per subscription, on the subscriber's thread or,
     *     after a wait, on the thread that returned a buffer, usually the loop
     * @param destination receiver of the datagram
     * @return completes empty
     */
    Mono<Void> send(int length, Consumer<MemorySegment> writer, DatagramAddress destination);

    /**
     * Sends the first {@code limit} bytes of a buffer. Completes when the device has sent them.
     *
     * @param message may be read but not written until completion; the caller closes it
     * @param destination receiver of the datagram
     * @return completes empty
     */
    Mono<Void> send(RegisteredBuffer message, DatagramAddress destination);

    /**
     * Sends a buffer as {@link #send(RegisteredBuffer, DatagramAddress)} does, with four bytes of immediate data.
     *
     * @param message as for {@link #send(RegisteredBuffer, DatagramAddress)}
     * @param immediate any value
     * @param destination receiver of the datagram
     * @return completes empty
     */
    Mono<Void> sendWithImmediate(RegisteredBuffer message, int immediate, DatagramAddress destination);

    /**
     * Acquires a buffer of the endpoint's pool for a datagram. Waits while the pool is empty.
     *
     * @return a lease, which the subscriber closes; use
     *     {@code doOnDiscard(RegisteredBuffer.class, RegisteredBuffer::close)} where an operator may drop it
     */
    Mono<RegisteredBuffer> acquire();

    /**
     * Receives datagrams and decodes each one in its receive buffer, which is posted again when the decoder returns.
     * One subscriber at a time may receive. After it has cancelled, another one may subscribe, and continues where the
     * first stopped. Datagrams that are not requested wait in their buffers. When all receive buffers are occupied,
     * further datagrams are lost.
     *
     * <p><b>Completes</b> after the last datagram when this socket is disposed. <b>Errors</b> when the endpoint is
     * lost. A malformed datagram causes neither: the device or the engine drops it.
     *
     * @param <T> type of the items
     * @param decoder copies out the data that it needs, {@link ReceivedDatagram#source} included; runs on the loop or
     *     on the thread that requests; must not return null. An exception that it throws ends the {@code Flux}. Its
     *     input is untrusted, because any host may send a datagram
     * @return the items
     */
    <T> Flux<T> receive(Function<? super ReceivedDatagram, ? extends T> decoder);

    /**
     * Receives datagrams in their receive buffers, without a copy. Works like {@link #receive}, but the subscriber
     * closes each datagram, and its buffer is posted again then.
     *
     * @return leases
     */
    Flux<ReceivedDatagram> receiveOwned();

    /**
     * Finds the datagram service that has bound an address.
     *
     * <p><b>Completes</b> with the address to send to. <b>Errors</b> with {@link io.rdma.connect.RdmaConnectException}:
     * REJECTED if no service has bound the address, UNREACHABLE or TIMEOUT if the host does not answer, ADDR_ERROR or
     * ROUTE_ERROR if this device has no path to it. <b>Cancel</b> stops the look-up.
     *
     * @param host name or address
     * @param port port of the datagram service
     * @return the address
     */
    Mono<DatagramAddress> resolve(String host, int port);

    /**
     * Joins a multicast group. Joining the same group again has no effect.
     *
     * <p><b>Completes</b> with the address of the group, once datagrams that are sent to it arrive here too.
     * <b>Errors</b> with {@link io.rdma.connect.RdmaConnectException}. <b>Cancel</b> ends only the wait; {@link #leave}
     * undoes the join.
     *
     * @param group multicast address
     * @return the group's address
     */
    Mono<DatagramAddress> join(InetAddress group);

    /**
     * Leaves a multicast group. Closing the socket leaves all groups.
     *
     * <p><b>Completes</b> when no more datagrams arrive from the group. <b>Errors</b> with
     * {@link IllegalStateException} if the group was not joined, {@link io.rdma.types.VerbsException} if the device
     * refused: the group is joined as before. <b>Cancel</b> ends only the wait.
     *
     * @param group multicast address as joined
     * @return completes empty
     */
    Mono<Void> leave(InetAddress group);

    /**
     * Returns the length of the longest datagram.
     *
     * @return bytes, the port's MTU
     */
    int maxMessageSize();

    /**
     * Returns the address at which peers find this socket by {@link #resolve}.
     *
     * @return address with the actual port
     */
    InetSocketAddress localAddress();

    /**
     * Returns the engine below this socket, for monitoring and tuning.
     *
     * @return live
     */
    RdmaEndpoint endpoint();

    /**
     * Closes the socket. Operations that are not completed fail, datagrams that were not received are dropped, and
     * groups are left. Does not wait.
     */
    @Override
    void dispose();
}
