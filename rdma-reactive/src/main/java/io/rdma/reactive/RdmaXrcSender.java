package io.rdma.reactive;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.RdmaEndpoint;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/**
 * Sender of extended reliable connections (XRC): its one queue pair reaches every {@link RdmaXrcReceiver} in the domain
 * of an {@link RdmaXrcServer}. Each message names its receiver by number. Messages to one receiver arrive in the order
 * in which they were sent, each once. See docs/guide/xrc.md.
 *
 * <p>Every {@code Mono} is cold: each subscription posts one request, and no request is posted again automatically.
 *
 * <ul>
 * <li><b>Completes</b> when the device of the receiver has acknowledged the message, which is then in a receive buffer
 * of the receiver. A message to a receiver without a free buffer waits in the device, and all messages behind it wait
 * with it, whichever receiver they are for.
 * <li><b>Errors</b>: {@link IllegalArgumentException} for a message that is longer than {@link #maxMessageSize}, or a
 * number of more than 24 bits; nothing was posted then. {@link io.rdma.types.WorkCompletionException} for a request
 * that the device failed, such as REM_INV_REQ_ERR if the domain has no receiver of that number. The sender is lost
 * then, and all other operations end with {@link io.rdma.engine.ConnectionClosedException}, whose cause is that first
 * failure. Misuse (a closed buffer) ends with {@link IllegalStateException}.
 * <li><b>Cancel</b> before the post: the request is never posted. <b>Cancel</b> after the post ends only the wait: the
 * message is sent.
 * <li><b>Buffers</b> are borrowed from the subscription until the device completes the request, even if the subscriber
 * has cancelled by then.
 * <li><b>Signals</b> usually arrive on the completion loop. Do not block there; use {@code publishOn}.
 * </ul>
 */
public non-sealed interface RdmaXrcSender extends RdmaXrcEnd {
    /**
     * Sends a message that a writer puts into a registered buffer. Waits while all send buffers are in use. A message
     * that is larger than a send buffer gets memory of its own.
     *
     * @param length bytes, at most {@link #maxMessageSize}
     * @param writer fills exactly {@code length} bytes; runs once per subscription, on the subscriber's thread or,
     *     after a wait, on the thread that returned a buffer, usually the loop; on a virtual thread if the message does
     *     not fit into a send buffer
     * @param receiver number of the receiver
     * @return completes empty
     */
    Mono<Void> send(int length, Consumer<MemorySegment> writer, int receiver);

    /**
     * Sends the first {@code limit} bytes of a buffer.
     *
     * @param message may be read but not written until completion; the caller closes it
     * @param receiver number of the receiver
     * @return completes empty
     */
    Mono<Void> send(RegisteredBuffer message, int receiver);

    /**
     * Sends a buffer as {@link #send(RegisteredBuffer, int)} does, with four bytes of immediate data.
     *
     * @param message as for {@link #send(RegisteredBuffer, int)}
     * @param immediate any value
     * @param receiver number of the receiver
     * @return completes empty
     */
    Mono<Void> sendWithImmediate(RegisteredBuffer message, int immediate, int receiver);

    /**
     * Acquires a buffer of the sender's pool for a message. Waits while the pool is empty.
     *
     * @return a lease, which the subscriber closes; use
     *     {@code doOnDiscard(RegisteredBuffer.class, RegisteredBuffer::close)} where an operator may drop it
     */
    Mono<RegisteredBuffer> acquire();

    /**
     * Returns the address of this side of the exchange.
     *
     * @return address and port
     */
    InetSocketAddress localAddress();

    /**
     * Returns the address of the server.
     *
     * @return address and port
     */
    InetSocketAddress remoteAddress();

    /**
     * Returns the engine below this sender, for monitoring and tuning.
     *
     * @return live
     */
    RdmaEndpoint endpoint();
}
