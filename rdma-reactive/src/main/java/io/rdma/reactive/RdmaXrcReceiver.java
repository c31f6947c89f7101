package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import java.util.function.Function;
import reactor.core.publisher.Flux;

/**
 * Receiver of extended reliable connections (XRC): a shared receive queue in a domain, in which the messages of all
 * {@link RdmaXrcSender}s arrive that name its number. See docs/guide/xrc.md.
 *
 * <p>Messages that are not requested wait in their receive buffers. When all of these are occupied, senders wait in
 * their devices, and no message is lost.
 */
public non-sealed interface RdmaXrcReceiver extends RdmaXrcEnd {
    /**
     * Returns a binder with the receive buffers of {@link io.rdma.connect.ConnectionOptions#DEFAULT}, on the default
     * device, in the domain that this process has of that device.
     *
     * @return a binder
     */
    static RdmaXrcBinder create() {
        return new RdmaXrcBinder(Transport.DEFAULT, null);
    }

    /**
     * Returns the number by which senders name this receiver. The application tells it to them. After a dispose, the
     * device may give the number to another receiver.
     *
     * @return 24 bits
     */
    int number();

    /**
     * Receives messages and decodes each one in its receive buffer, which is posted again when the decoder returns.
     * One subscriber at a time may receive. After it has cancelled, another one may subscribe, and continues where the
     * first stopped.
     *
     * <p><b>Completes</b> when this receiver is disposed. <b>Errors</b> when it is lost, because its device failed. The
     * end of a sender causes neither.
     *
     * @param <T> type of the items
     * @param decoder copies out the data that it needs; runs on the loop or on the thread that requests; must not
     *     return null. An exception that it throws ends the {@code Flux}
     * @return the items
     */
    <T> Flux<T> receive(Function<? super ReceivedMessage, ? extends T> decoder);

    /**
     * Receives messages in their receive buffers, without a copy. Works like {@link #receive}, but the subscriber
     * closes each message, and its buffer is posted again then.
     *
     * @return leases
     */
    Flux<ReceivedMessage> receiveOwned();
}
