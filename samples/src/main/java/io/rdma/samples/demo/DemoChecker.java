package io.rdma.samples.demo;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Checker of one connection of the demo: counts and verifies its messages, in order, and the writes into its region.
 */
final class DemoChecker {
    private final MemorySegment region;
    private long messages;
    private long wrong;

    DemoChecker(MemorySegment region) {
        this.region = region;
    }

    /**
     * Checks a message.
     *
     * @return the answer to send, two longs; null for a data message
     */
    long @Nullable [] answer(MemorySegment message) {
        switch (DemoProtocol.type(message)) {
            case DemoProtocol.FINISH -> {
                return new long[] {messages, wrong};
            }
            case DemoProtocol.CHECK -> {
                int written = DemoProtocol.decodeCheck(message);
                return new long[] {written, DemoProtocol.wrongBlocks(region, written)};
            }
            default -> {
                if (!DemoProtocol.isData(message, messages)) {
                    wrong++;
                }
                messages++;
                return null;
            }
        }
    }
}
