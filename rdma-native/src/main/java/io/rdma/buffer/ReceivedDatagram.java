package io.rdma.buffer;

import io.rdma.verbs.DatagramAddress;
import io.rdma.verbs.GlobalRoutingHeader;
import io.rdma.verbs.SenderAddresses;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

// Invariant: the code that makes a datagram has checked that the receive holds the 40 bytes, and that the header in
// them is readable if the completion reports one.

/**
 * A datagram in the receive buffer in which it arrived, with its sender. The buffer is posted again after {@link
 * #close}. Datagrams that arrive while no receive is posted are lost.
 */
public final class ReceivedDatagram extends ReceivedMessage {
    /**
     * The sender's fields in the completion of the receive, {@code struct ibv_wc}.
     *
     * @param isRouted whether the first 40 bytes hold a {@link GlobalRoutingHeader}
     * @param qpNumber of the sender
     * @param lid of the sender
     * @param serviceLevel of the datagram
     * @param pathBits of the destination LID
     */
    public record Sender(boolean isRouted, int qpNumber, int lid, int serviceLevel, int pathBits) {}

    private final @Nullable MemorySegment header;
    private final Sender sender;
    private final SenderAddresses paths;

    /**
     * Creates a datagram; called by the engine.
     *
     * @param received 40 bytes, which count whether they hold a header or not, and the datagram
     * @param sender the sender's fields of the completion
     * @param paths sender addresses of the queue pair
     * @param hasImmediate whether there is immediate data
     * @param immediate the data, host order
     * @param giveBack runs once, at close, with the place
     * @param place of its receive buffer
     */
    public ReceivedDatagram(
            MemorySegment received,
            Sender sender,
            SenderAddresses paths,
            boolean hasImmediate,
            int immediate,
            IntConsumer giveBack,
            int place) {
        super(received.asSlice(GlobalRoutingHeader.BYTES), hasImmediate, immediate, giveBack, place);
        this.header = sender.isRouted() ? received.asSlice(0, GlobalRoutingHeader.BYTES) : null;
        this.sender = sender;
        this.paths = paths;
    }

    /**
     * Returns the address of the sender, taken from the packet, with the QKey of the queue pair that received it. An
     * answer goes there. The address stays valid after the close.
     *
     * @return the sender's address
     * @throws IllegalStateException if closed
     */
    public DatagramAddress source() {
        segment(); // throws if closed: by now the header may be another datagram's
        return paths.back(header, sender.qpNumber(), sender.lid(), sender.serviceLevel(), sender.pathBits());
    }
}
