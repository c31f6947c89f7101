package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.BoundWindow;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.types.AccessFlag;
import io.rdma.types.PlacementType;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Connection to one peer, reliable unless the options ask for another {@link io.rdma.verbs.QueuePairType}.
 *
 * <p>Every {@code Mono} is cold: each subscription posts one request, and no request is posted again automatically.
 * Unless a method says otherwise:
 *
 * <ul>
 * <li><b>Errors</b>: the operation that failed ends with {@link io.rdma.types.WorkCompletionException}. The connection
 * is then lost, and all other operations end with {@link io.rdma.engine.ConnectionClosedException}, whose cause is that
 * first failure. Misuse (a closed buffer, a message that is too large) ends with {@link IllegalStateException} or
 * {@link IllegalArgumentException}, and the connection stays open.
 * <li><b>Cancel</b> before the post: the request is never posted. <b>Cancel</b> after the post ends only the wait: the
 * operation still takes place.
 * <li><b>Buffers</b> are borrowed from the subscription until the device completes the request, even if the subscriber
 * has cancelled by then. A cancel before the post returns the buffer at once.
 * <li><b>Completion</b> on an unreliable connection says that this side's device has sent the message or write, where a
 * method says that the peer's device has received it. It may be lost.
 * <li><b>Signals</b> usually arrive on the completion loop, which other connections may share. Do not block there;
 * use {@code publishOn}.
 * </ul>
 */
public interface RdmaConnection extends RdmaDisposable {
    /**
     * Sends a message that a writer puts into a registered buffer. Waits while the peer or the device has no room.
     *
     * <p><b>Completes</b> when the peer's device has received the message.
     *
     * @param length bytes, at most {@link #maxMessageSize}; a message that does not fit into a send buffer gets
     *     registered memory of its own
     * @param writer fills exactly {@code length} bytes; runs once per subscription, on the subscriber's thread or,
     *     after a wait for a buffer, on the thread that returned one, usually the loop; for a message that does not fit
     *     into a send buffer, on Reactor's bounded elastic scheduler
     * @return completes empty
     */
    Mono<Void> send(int length, Consumer<MemorySegment> writer);

    /**
     * Sends a text as one message, in UTF-8. It is encoded directly into registered memory. A surrogate without its
     * pair becomes a question mark, as in {@link String#getBytes(java.nio.charset.Charset)}.
     *
     * <p><b>Completes</b> when the peer's device has received the message. <b>Errors</b> with
     * {@link IllegalArgumentException} also if the message is longer than {@link #maxMessageSize}.
     *
     * @param text may be empty
     * @return completes empty
     */
    default Mono<Void> send(String text) {
        return sendObject(text, MessageCodec.utf8());
    }

    /**
     * Sends bytes as one message. They are copied once, into registered memory, when there is a buffer for them.
     *
     * <p><b>Completes</b> as {@link #send(int, Consumer)}.
     *
     * @param message at most {@link #maxMessageSize} bytes, perhaps none; must not change until completion
     * @return completes empty
     */
    default Mono<Void> send(byte[] message) {
        return send(message.length, target -> target.copyFrom(MemorySegment.ofArray(message)));
    }

    /**
     * Sends the bytes from the position to the limit as one message. Position and limit are those at the call of this
     * method, and are not changed. The bytes are read after the subscription, perhaps on another thread, so they must
     * not change until completion.
     *
     * <p><b>Copies</b>: none if the buffer is direct and lies in a region of {@link #allocate} or in memory that
     * {@link #register} still has registered. The registration is then held until the device is done. Otherwise the
     * bytes are copied once, into registered memory. That includes a view of a buffer of {@link #acquire}, because
     * closing it gives its memory to others: use {@link #send(RegisteredBuffer)} there.
     *
     * <p><b>Completes</b> as {@link #send(int, Consumer)}. <b>Errors</b> also if the memory of a direct buffer has been
     * freed, or belongs to a confined arena and has to be copied by another thread.
     *
     * @param message heap or direct buffer, perhaps read-only, with at most {@link #maxMessageSize} bytes left
     * @return completes empty
     */
    Mono<Void> send(ByteBuffer message);

    /**
     * Sends a value as one message. It is encoded directly into registered memory.
     *
     * <p><b>Completes</b> when the peer's device has received the message. <b>Errors</b> also with an exception of the
     * encoder, and with {@link IllegalArgumentException} if the message is longer than {@link #maxMessageSize}; nothing
     * is sent then.
     *
     * @param <T> type of the value
     * @param value must not change until completion
     * @param encoder codec, or encoder as for {@link #send(Publisher, MessageEncoder)}; runs once per subscription, or
     *     twice if the message does not fit into a send buffer, on the subscriber's thread, on the thread that returned
     *     a buffer, usually the loop, or on a virtual thread
     * @return completes empty
     */
    <T> Mono<Void> sendObject(T value, MessageEncoder<? super T> encoder);

    /**
     * Sends each text as a message, in UTF-8, as {@link #send(Publisher, MessageEncoder)} does.
     *
     * @param texts texts to send
     * @return completes empty
     */
    default Mono<Void> sendString(Publisher<? extends String> texts) {
        return send(texts, MessageCodec.utf8());
    }

    /**
     * Sends each array as a message, as {@link #send(Publisher, MessageEncoder)} does. No array may change until
     * completion.
     *
     * @param messages arrays to send
     * @return completes empty
     */
    default Mono<Void> sendByteArray(Publisher<byte[]> messages) {
        return send(messages, MessageCodec.bytes());
    }

    /**
     * Receives messages as text, as bytes or as values.
     *
     * @return the choice of a form, each a {@code Flux} like that of {@link #receive(Function)}
     */
    default InboundMessages receive() {
        return new InboundMessages(this);
    }

    /**
     * Sends each item as a message, in order. Requests from upstream only as many items as can be in flight.
     *
     * <p><b>Completes</b> when the peer's device has received all messages. <b>Cancel</b> cancels upstream.
     *
     * @param <T> type of the items
     * @param items items to send
     * @param encoder writes an item into a send buffer, or into memory of its own if {@code length} or {@code encode}
     *     reports that the item is larger
     * @return completes empty
     */
    <T> Mono<Void> send(Publisher<? extends T> items, MessageEncoder<? super T> encoder);

    /**
     * Receives messages and decodes each one in its receive buffer, which is posted again when the decoder returns. One
     * subscriber at a time may receive. After it has cancelled, another one may subscribe, and continues where the
     * first stopped. Messages that are not requested wait, and slow the peer down.
     *
     * <p><b>Completes</b> after the last message if either side closed in an orderly way; after {@link #dispose} the
     * messages that were not received are missing. <b>Errors</b> if the connection is lost or aborted, also if this
     * side aborts behind an orderly end of the peer, with messages that were not received.
     *
     * @param <T> type of the items
     * @param decoder copies out the data that it needs; runs on the loop or on the thread that requests; must not
     *     return null. The message is lent for the call. A later use of its handle fails until the handle is lent
     *     again, for a later message in the same receive buffer; from then on it is a use of that message. With leak
     *     detection {@code paranoid} a later use always fails
     * @return the items
     */
    <T> Flux<T> receive(Function<? super ReceivedMessage, ? extends T> decoder);

    /**
     * Acquires a buffer of the connection's pool, for a message or as source or target. Waits while the pool is empty.
     *
     * @return a lease, which the subscriber closes; use
     *     {@code doOnDiscard(RegisteredBuffer.class, RegisteredBuffer::close)} where an operator may drop it
     */
    Mono<RegisteredBuffer> acquire();

    /**
     * Sends the first {@code limit} bytes of a buffer. Completes when the peer's device has received them.
     *
     * @param message may be read but not written until completion; the caller closes it
     * @return completes empty
     */
    Mono<Void> send(RegisteredBuffer message);

    /**
     * Sends several buffers as one message, such as a header and a body. The device gathers their first {@code limit}
     * bytes, in their order, by one request. A message that is larger than the peer's receive buffers is copied once.
     *
     * <p><b>Errors</b> with {@link IllegalArgumentException} also if there are more buffers than
     * {@link io.rdma.types.QueuePairCapacity#maxSendSge} allows: with credits, one less. No buffer is borrowed then.
     *
     * @param message each as for {@link #send(RegisteredBuffer)}; none for an empty message
     * @return completes empty
     */
    Mono<Void> send(List<RegisteredBuffer> message);

    /**
     * Sends a buffer as {@link #send(RegisteredBuffer)} does, with four bytes of immediate data.
     *
     * @param message as for {@link #send(RegisteredBuffer)}
     * @param immediate any value
     * @return completes empty
     */
    Mono<Void> sendWithImmediate(RegisteredBuffer message, int immediate);

    /**
     * Sends a buffer as {@link #send(RegisteredBuffer)} does, and revokes a memory window that the peer bound with its
     * {@link #bind}. The peer's message carries the key of the window, {@link ReceivedMessage#invalidatedKey}, so the
     * peer knows that this side no longer uses it. A key that is not bound to this connection ends the connection.
     *
     * @param message as for {@link #send(RegisteredBuffer)}
     * @param window window as received from the peer
     * @return completes empty
     */
    Mono<Void> sendWithInvalidate(RegisteredBuffer message, RemoteMemory window);

    /**
     * Receives messages in their receive buffers, without a copy. Works like {@link #receive(Function)}, but the
     * subscriber closes each message, and its buffer is posted again then.
     *
     * @return leases
     */
    Flux<ReceivedMessage> receiveOwned();

    /**
     * Writes into the peer's memory. <b>Completes</b> when the device reports success. The peer's CPU takes no part in
     * the write and is not notified of it.
     *
     * @param source its first {@code limit} bytes are written; may be read but not written until completion
     * @param target at least as long as the source's {@code limit}
     * @return completes empty
     */
    Mono<Void> write(RegisteredBuffer source, RemoteMemory target);

    /**
     * Writes several buffers into the peer's memory, one behind the other, by one request.
     *
     * @param source each as for {@link #write(RegisteredBuffer, RemoteMemory)}, at most
     *     {@link io.rdma.types.QueuePairCapacity#maxSendSge} of them
     * @param target at least as long as the sum of the limits
     * @return completes empty
     */
    Mono<Void> write(List<RegisteredBuffer> source, RemoteMemory target);

    /**
     * Writes into the peer's memory and notifies the peer, which receives an empty message with the immediate data.
     *
     * @param source as for {@link #write(RegisteredBuffer, RemoteMemory)}
     * @param target as for {@link #write(RegisteredBuffer, RemoteMemory)}
     * @param immediate any value
     * @return completes empty
     */
    Mono<Void> writeWithImmediate(RegisteredBuffer source, RemoteMemory target, int immediate);

    /**
     * Reads the peer's memory. <b>Completes</b> when the bytes are in the target.
     *
     * @param source at least as long as the target's {@code limit}
     * @param target must be neither read nor written until completion
     * @return completes empty
     */
    Mono<Void> read(RemoteMemory source, RegisteredBuffer target);

    /**
     * Reads the peer's memory into several buffers by one request. Each is filled up to its limit, in their order.
     *
     * @param source at least as long as the sum of the limits
     * @param target each as for {@link #read(RemoteMemory, RegisteredBuffer)}, none twice, at most
     *     {@link io.rdma.types.QueuePairCapacity#maxSendSge} of them, and what the device has for reads ({@code
     *     max_sge_rd}), often one on iWARP
     * @return completes empty
     */
    Mono<Void> read(RemoteMemory source, List<RegisteredBuffer> target);

    /**
     * Adds to eight bytes of the peer's memory. The addition is atomic for all users of the peer's device.
     *
     * @param target eight bytes on an eight-byte boundary, in the byte order of the peer's host
     * @param addend value to add; the sum wraps around
     * @return the old value
     */
    Mono<Long> fetchAndAdd(RemoteMemory target, long addend);

    /**
     * Replaces eight bytes of the peer's memory if they have the expected value.
     *
     * @param target as for {@link #fetchAndAdd}
     * @param expected old value that is required for the swap
     * @param update new value
     * @return the old value; it equals {@code expected} if and only if the bytes were replaced
     */
    Mono<Long> compareAndSwap(RemoteMemory target, long expected, long update);

    /**
     * Writes eight bytes into the peer's memory at once, after all writes that were subscribed to before. A program of
     * the peer that sees them sees those writes, too.
     *
     * <p><b>Completes</b> when the peer's device has written them. <b>Errors</b> with
     * {@link io.rdma.engine.UnsupportedRequestException} where {@link RdmaEndpoint#hasAtomicWrites} is false; the
     * connection stays open then.
     *
     * @param target eight bytes on an eight-byte boundary, of memory with {@link AccessFlag#REMOTE_WRITE}
     * @param value in the byte order of this host
     * @return completes empty
     */
    Mono<Void> atomicWrite(RemoteMemory target, long value);

    /**
     * Waits until all writes to a part of the peer's memory that were subscribed to before are visible or persistent
     * there. A write by itself completes earlier: when the peer's device has received its bytes.
     *
     * <p><b>Completes</b> when the guarantee is given. Where a device has no FLUSH, a read of the last bytes gives
     * {@link PlacementType#GLOBAL_VISIBILITY}; {@link RdmaEndpoint#flushMethod} tells which of the two it is, for
     * programs that do not want the read. <b>Errors</b> with {@link io.rdma.engine.UnsupportedRequestException} if
     * there is no way to the guarantee; the connection stays open then. Memory without the right that
     * {@link io.rdma.engine.FlushMethod} names ends the connection.
     *
     * @param memory at least 1 byte
     * @param type guarantee
     * @return completes empty
     */
    Mono<Void> flush(RemoteMemory memory, PlacementType type);

    /**
     * Writes into the peer's memory as {@link #write(RegisteredBuffer, RemoteMemory)} does, with a {@link #flush}
     * behind it. Both requests are under way at the same time.
     *
     * <p><b>Completes</b> when the bytes are visible or persistent. <b>Cancel</b> cancels both requests.
     *
     * @param source its first {@code limit} bytes, at least 1, are written; may be read but not written until then
     * @param target at least as long as the source's {@code limit}
     * @param type guarantee
     * @return completes empty
     */
    default Mono<Void> write(RegisteredBuffer source, RemoteMemory target, PlacementType type) {
        return Mono.defer(() -> Mono.when(
                write(source, target), flush(target.slice(0, Math.min(source.limit(), target.length())), type)));
    }

    /**
     * Allocates registered memory, zeroed. The connection closes it unless it was closed before.
     *
     * @param bytes at least 1
     * @param access rights of the device and of the peer; local reads are always allowed
     * @return the region
     */
    Mono<MemoryRegion> allocate(long bytes, AccessFlag... access);

    /**
     * Grants the peer access to a part of a region for a limited time, with a key of its own.
     *
     * <p><b>Completes</b> with the grant; send its {@link MemoryRegion#remote} to the peer. The grant ends after
     * {@code time}, when it is closed, or with the connection. A request of the peer that arrives later fails, and the
     * connection ends with it. The region's memory is kept until the grant ends. <b>Errors</b> like {@link #allocate},
     * and with {@link IndexOutOfBoundsException} if the part does not lie inside the region.
     *
     * @param memory region of this connection; needs no remote rights itself
     * @param offset first byte
     * @param length bytes
     * @param time time until the key becomes void; above zero
     * @param access rights of the peer
     * @return the grant
     */
    Mono<MemoryRegion> grant(MemoryRegion memory, long offset, long length, Duration time, AccessFlag... access);

    /**
     * Grants the peer access to a part of a region through a memory window. Unlike {@link #grant}, this registers no
     * memory, applies to this connection alone, and lasts until the window is closed or the peer sends with
     * {@link #sendWithInvalidate}. Some devices, {@code rdma_rxe} among them, check the range against the whole
     * region only.
     *
     * <p><b>Completes</b> when the device has bound the window. The subscriber closes the window; otherwise the
     * connection does. <b>Errors</b> with {@link io.rdma.types.VerbsException} (EOPNOTSUPP) if the device has no
     * windows, and with {@link IndexOutOfBoundsException} if the part does not lie inside the region. <b>Cancel</b>: a
     * window that is bound afterwards is closed. <b>Blocks</b> for a system call.
     *
     * @param memory region of this connection with {@link AccessFlag#MW_BIND}, and with {@link AccessFlag#LOCAL_WRITE}
     *     if the peer may write; without these rights the connection ends
     * @param offset first byte
     * @param length bytes, at least 1
     * @param access rights of the peer
     * @return the window
     */
    Mono<BoundWindow> bind(MemoryRegion memory, long offset, long length, AccessFlag... access);

    /**
     * Makes memory of the application usable as source or target of operations, without a copy. The memory stays
     * registered for later use: a part of memory that was registered before costs no system call.
     *
     * <p><b>Completes</b> with a buffer over the memory, which the caller closes. The memory must not be freed before
     * the buffer is closed and its operations have ended. <b>Errors</b> with {@link IllegalArgumentException} if the
     * memory is not native, belongs to a confined arena or is larger than 2 GiB - 1, and like {@link #allocate}.
     * <b>Blocks</b> for a system call if the memory is new.
     *
     * @param memory memory of a shared, an automatic or the global arena
     * @return the buffer
     * @see io.rdma.buffer.RegistrationCache
     */
    Mono<RegisteredBuffer> register(MemorySegment memory);

    /**
     * Returns the length of the largest message that the peer can receive.
     *
     * @return bytes
     */
    int maxMessageSize();

    /**
     * Returns the local address of the exchange that made the connection.
     *
     * @return address
     */
    InetSocketAddress localAddress();

    /**
     * Returns the address of the peer in that exchange.
     *
     * @return address
     */
    InetSocketAddress remoteAddress();

    /**
     * Returns the engine below this connection, for monitoring and tuning.
     *
     * @return live
     */
    RdmaEndpoint endpoint();

    /**
     * Closes the connection. Operations that wait fail, messages that were not received are dropped, and a farewell
     * (BYE) reports to the peer that it has received everything. In the middle of a stream, or while messages wait, the
     * farewell is that of {@link #abort} instead. Does not wait.
     */
    @Override
    void dispose();

    /**
     * Aborts the connection. Works like {@link #dispose}, but the farewell (ABORT) makes the peer's receive end with an
     * error, even if all messages arrived. A server does so when a handler fails. The cause is not sent to the peer.
     * The receiver on this side ends with it, unless it has ended or {@link #dispose} came first.
     *
     * @param cause cause of the errors on this side
     */
    void abort(Throwable cause);
}
