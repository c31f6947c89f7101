package io.rdma.buffer;

import io.rdma.verbs.DatagramAddress;
import io.rdma.verbs.GlobalRoutingHeader;
import io.rdma.verbs.SenderAddresses;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

// Invariant: whoever makes it has checked that the receive holds the 40 bytes, and that they are readable if the
// completion says so.

/**
 * A datagram in the receive buffer it arrived in, and who sent it. The buffer is posted again after {@link #close};
 * what arrives while none is posted is lost.
 */
public final class ReceivedDatagram extends ReceivedMessage {
    /**
     * What the completion of the receive says, {@code struct ibv_wc}.
     *
     * @param isRouted whether the first 40 bytes hold a {@link GlobalRoutingHeader}
     * @param qpNumber of the sender
     * @param lid of the sender
     * @param serviceLevel of the datagram
     * @param pathBits of the LID it was sent to
     */
    public record Sender(boolean isRouted, int qpNumber, int lid, int serviceLevel, int pathBits) {}

    private final @Nullable MemorySegment header;
    private final Sender sender;
    private final SenderAddresses paths;

    /**
     * A datagram; made by the engine.
     *
     * @param received what the receive holds: 40 bytes, which count whether they hold a header or not, and the datagram
     * @param sender what its completion says
     * @param paths of the queue pair
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
     * Who sent it, as the packet says, with the key of the queue pair that received it: where an answer goes. It stays
     * valid after the close.
     *
     * @return the sender's address
     * @throws IllegalStateException if closed
     */
    public DatagramAddress source() {
        segment(); // of an open message only: else the header is another's by now
        return paths.back(header, sender.qpNumber(), sender.lid(), sender.serviceLevel(), sender.pathBits());
    }
}
