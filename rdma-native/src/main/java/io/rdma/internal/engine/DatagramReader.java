package io.rdma.internal.engine;

import io.rdma.buffer.ReceivedDatagram;
import io.rdma.internal.loop.LoopCounts;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.GlobalRoutingHeader;
import io.rdma.verbs.SenderAddresses;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reader of received datagrams, which drops malformed ones: a stranger's packet must not end the endpoint. Loop thread.
 */
final class DatagramReader {
    private final SenderAddresses paths;
    private final LoopCounts counters;

    /**
     * Creates a reader.
     *
     * @param counters of the loop, which count the dropped datagrams
     */
    DatagramReader(SenderAddresses paths, LoopCounts counters) {
        this.paths = paths;
        this.counters = counters;
    }

    /**
     * Reads a receive that succeeded.
     *
     * @param buffer the whole receive buffer
     * @param length byte_len of the completion, which includes the 40 bytes in front
     * @return null if it is no datagram whose sender could be answered
     */
    @Nullable
    ReceivedDatagram read(
            MemorySegment buffer, int length, CompletionBatch completions, int index, IntConsumer giveBack, int slot) {
        boolean routed = completions.hasGlobalRoute(index);
        if (length < GlobalRoutingHeader.BYTES
                || length > buffer.byteSize()
                || routed && !GlobalRoutingHeader.isReadable(buffer)) {
            counters.malformedDatagram();
            return null;
        }
        ReceivedDatagram.Sender sender = new ReceivedDatagram.Sender(
                routed,
                completions.sourceQueuePair(index),
                completions.sourceLid(index),
                completions.serviceLevel(index),
                completions.destinationPathBits(index));
        return new ReceivedDatagram(
                buffer.asSlice(0, length),
                sender,
                paths,
                completions.hasImmediate(index),
                completions.immediate(index),
                giveBack,
                slot);
    }
}
