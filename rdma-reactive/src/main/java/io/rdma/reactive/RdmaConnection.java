package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.BoundWindow;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A reliable connection to one peer.
 *
 * <p>Every {@code Mono} is cold: each subscription posts once, nothing is ever posted again by itself. Unless said
 * otherwise:
 *
 * <ul> <li><b>Errors</b>: {@link io.rdma.verbs.WorkCompletionException} for the operation that failed; the connection
 * is lost then, and all others end with {@link io.rdma.engine.ConnectionClosedException} whose cause is that first
 * failure. Misuse (closed buffer, message too large) is {@link IllegalStateException} or
 * {@link IllegalArgumentException}, and the connection goes on. <li><b>Cancel</b> before the request is posted: it
 * never will be. Afterwards it stops the waiting only: the operation happens. <li><b>Buffers</b> are borrowed from the
 * post to the completion of the device, whatever becomes of the subscriber. <li><b>Signals</b> come on the completion
 * loop, which all connections of the client or server share: do not block there; use {@code publishOn}.
 * </ul>
 */
public interface RdmaConnection extends Disposable {
    /**
     * Sends a message that a writer puts into a registered buffer; waits while the peer or the device has no room.
     *
     * <p><b>Completes</b> when the peer's device has the message.
     *
     * @param length bytes, at most {@link #maxMessageSize}; what does not fit into a send buffer gets registered memory
     *     of its own
     * @param writer fills exactly {@code length} bytes; runs once per subscription, on the subscriber's thread or,
     *     after a wait, on the loop
     * @return completes empty
     */
    Mono<Void> send(int length, Consumer<MemorySegment> writer);

    /**
     * Sends each item as a message, in order; requests from upstream only what can be in flight.
     *
     * <p><b>Completes</b> when the peer's device has all messages. <b>Cancel</b> cancels upstream.
     *
     * @param <T> type of the items
     * @param items what to send
     * @param encoder writes an item into a send buffer, or into memory of its own for items whose {@code length} says
     *     that they are larger
     * @return completes empty
     */
    <T> Mono<Void> send(Publisher<? extends T> items, MessageEncoder<? super T> encoder);

    /**
     * Receives messages, decoded in their receive buffer, which is posted again when the decoder returns. One
     * subscriber at a time; a cancelled one can be followed by another, which continues where the first stopped.
     * Messages that nobody requested wait, and slow the peer down.
     *
     * <p><b>Completes</b> after the last message when either side closed in an orderly way; <b>errors</b> when the
     * connection is lost.
     *
     * @param <T> type of the items
     * @param decoder copies out what it needs; runs on the loop; must not return null. The message is lent for the
     *     call: a use of it after that fails until the handle is lent for a later message in the same receive buffer,
     *     and is a use of that one then; with leak detection {@code paranoid} it always fails
     * @return the items
     */
    <T> Flux<T> receive(Function<? super ReceivedMessage, ? extends T> decoder);

    /**
     * A buffer for a message, or as source or target, of the connection's pool; waits while the pool is empty.
     *
     * @return a lease to be closed by the subscriber; use
     *     {@code doOnDiscard(RegisteredBuffer.class, RegisteredBuffer::close)} where operators may drop it
     */
    Mono<RegisteredBuffer> acquire();

    /**
     * Sends the first {@code limit} bytes of a buffer; completes when the peer's device has them.
     *
     * @param message readable, not writable, until completion; stays the caller's to close
     * @return completes empty
     */
    Mono<Void> send(RegisteredBuffer message);

    /**
     * Like {@link #send(RegisteredBuffer)}, with four bytes of immediate data.
     *
     * @param message as there
     * @param immediate any value
     * @return completes empty
     */
    Mono<Void> sendWithImmediate(RegisteredBuffer message, int immediate);

    /**
     * Like {@link #send(RegisteredBuffer)}; its arrival revokes a window that the peer bound by its {@link #bind}, so
     * that the peer knows that this side is done with it: the message there has the key,
     * {@link ReceivedMessage#invalidatedKey}. A key that is not bound to this connection ends it.
     *
     * @param message as there
     * @param window as the peer gave it
     * @return completes empty
     */
    Mono<Void> sendWithInvalidate(RegisteredBuffer message, RemoteMemory window);

    /**
     * Receives messages in their receive buffers without a copy; like {@link #receive}, but the subscriber closes each
     * message, and the buffer is posted again then.
     *
     * @return leases
     */
    Flux<ReceivedMessage> receiveOwned();

    /**
     * Writes into the peer's memory. <b>Completes</b> when the device reports success; the peer's CPU is neither
     * involved nor told.
     *
     * @param source its first {@code limit} bytes; readable, not writable, until completion
     * @param target at least as long
     * @return completes empty
     */
    Mono<Void> write(RegisteredBuffer source, RemoteMemory target);

    /**
     * Writes into the peer's memory and tells the peer: it receives an empty message with the immediate data.
     *
     * @param source as for {@link #write}
     * @param target as for {@link #write}
     * @param immediate any value
     * @return completes empty
     */
    Mono<Void> writeWithImmediate(RegisteredBuffer source, RemoteMemory target, int immediate);

    /**
     * Reads the peer's memory. <b>Completes</b> when the bytes are here.
     *
     * @param source at least as long as the target's {@code limit}
     * @param target neither readable nor writable until completion
     * @return completes empty
     */
    Mono<Void> read(RemoteMemory source, RegisteredBuffer target);

    /**
     * Adds to eight bytes of the peer's memory, atomically for all users of that device.
     *
     * @param target eight bytes on an eight-byte boundary, in the byte order of the peer's host
     * @param addend wraps around
     * @return the old value
     */
    Mono<Long> fetchAndAdd(RemoteMemory target, long addend);

    /**
     * Replaces eight bytes of the peer's memory if they are as expected.
     *
     * @param target as for {@link #fetchAndAdd}
     * @param expected swapped only if the old value is this
     * @param update new value
     * @return the old value: equal to {@code expected} if and only if it was replaced
     */
    Mono<Long> compareAndSwap(RemoteMemory target, long expected, long update);

    /**
     * Allocates registered memory, zeroed; closed with the connection unless closed before.
     *
     * @param bytes at least 1
     * @param access what device and peer may do; local reading always is allowed
     * @return the region
     */
    Mono<MemoryRegion> allocate(long bytes, AccessFlag... access);

    /**
     * Lets the peer use a part of a region for some time, with a key of its own.
     *
     * <p><b>Completes</b> with the grant, whose {@link MemoryRegion#remote} the peer is to get. It ends by itself after
     * {@code time}, or by its close, or with the connection; a request of the peer's that comes later fails, and with
     * it the connection. The region's memory stays until then. <b>Errors</b> as {@link #allocate}, and with
     * {@link IndexOutOfBoundsException} if the part does not lie inside.
     *
     * @param memory region of this connection, which needs no remote rights itself
     * @param offset first byte
     * @param length bytes
     * @param time until the key is void, above zero
     * @param access what the peer may do
     * @return the grant
     */
    Mono<MemoryRegion> grant(MemoryRegion memory, long offset, long length, Duration time, AccessFlag... access);

    /**
     * Lets the peer use a part of a region through a memory window: as {@link #grant}, but without registering memory,
     * for this connection alone, and until the window is closed or the peer does {@link #sendWithInvalidate}. Some
     * devices, {@code rdma_rxe} among them, check the range against the whole region only.
     *
     * <p><b>Completes</b> when the device has bound it; the subscriber closes the window, else the connection does.
     * <b>Errors</b> with {@link io.rdma.verbs.VerbsException} (EOPNOTSUPP) if the device has no windows, and with
     * {@link IndexOutOfBoundsException} if the part does not lie inside. <b>Cancel</b>: a window that is bound
     * afterwards is closed. <b>Blocks</b> for a system call.
     *
     * @param memory region of this connection with {@link AccessFlag#MW_BIND}, and {@link AccessFlag#LOCAL_WRITE} if
     *     the peer may write; without them the connection ends
     * @param offset first byte
     * @param length bytes, at least 1
     * @param access what the peer may do
     * @return the window
     */
    Mono<BoundWindow> bind(MemoryRegion memory, long offset, long length, AccessFlag... access);

    /**
     * Makes memory of the application usable as source or target of operations, without a copy. It stays registered for
     * the next time: a part of memory that was registered before costs no system call.
     *
     * <p><b>Completes</b> with a buffer over the memory; the caller closes it. The memory must not be freed before
     * that, and before its operations have ended. <b>Errors</b> with {@link IllegalArgumentException} if it is not
     * native, of a confined arena or larger than 2 GiB - 1, and as {@link #allocate}. <b>Blocks</b> for a system call
     * if the memory is new.
     *
     * @param memory of a shared, automatic or the global arena
     * @return the buffer
     * @see io.rdma.buffer.RegistrationCache
     */
    Mono<RegisteredBuffer> register(MemorySegment memory);

    /**
     * Largest message that the peer can receive.
     *
     * @return bytes
     */
    int maxMessageSize();

    /**
     * Local address of the exchange that made the connection.
     *
     * @return address
     */
    InetSocketAddress localAddress();

    /**
     * Address of the peer in that exchange.
     *
     * @return address
     */
    InetSocketAddress remoteAddress();

    /**
     * The engine below, for what this interface does not offer.
     *
     * @return shared
     */
    RdmaEndpoint endpoint();

    /**
     * Closes: what waits fails, what was not received is dropped, and the peer is told that this was all. In the middle
     * of a stream, or with messages that wait, it was not, and the peer is told that, as by {@link #abort}. Does not
     * wait.
     */
    @Override
    void dispose();

    /**
     * Gives the connection up: as {@link #dispose}, but what the peer receives ends with an error, also if all messages
     * arrived. Servers do so when a handler fails. Nothing of the cause is sent.
     *
     * @param cause that everybody on this side gets
     */
    void abort(Throwable cause);

    /**
     * Closes when subscribed, and completes when closed.
     *
     * @return completes empty
     */
    Mono<Void> disposeLater();

    /**
     * Completes when the connection is closed, for whatever reason, and its resources are released.
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
