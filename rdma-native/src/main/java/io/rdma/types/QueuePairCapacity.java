package io.rdma.types;

/**
 * Depths and sizes of a queue pair, {@code struct ibv_qp_cap}. Names are those of C. The device may grant more than
 * was requested.
 *
 * @param maxSendWr send queue depth, work requests
 * @param maxReceiveWr receive queue depth, work requests
 * @param maxSendSge scatter/gather entries per send
 * @param maxReceiveSge scatter/gather entries per receive
 * @param maxInlineData bytes that can be sent inline
 */
public record QueuePairCapacity(int maxSendWr, int maxReceiveWr, int maxSendSge, int maxReceiveSge, int maxInlineData) {
    /**
     * 128 sends, 128 receives, one entry each, 64 bytes inline. A connection has four entries of a send by default, see
     * {@code ConnectionOptions.DEFAULT}: with one it gathers no message.
     */
    public static final QueuePairCapacity DEFAULT = new QueuePairCapacity(128, 128, 1, 1, 64);

    /** Checks the ranges. */
    public QueuePairCapacity {
        positive("maxSendWr", maxSendWr);
        positive("maxReceiveWr", maxReceiveWr);
        positive("maxSendSge", maxSendSge);
        positive("maxReceiveSge", maxReceiveSge);
        if (maxInlineData < 0) {
            throw new IllegalArgumentException("maxInlineData must not be negative: " + maxInlineData);
        }
    }

    private static void positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1: " + value);
        }
    }

    /**
     * Returns a copy with another send queue depth.
     *
     * @param value at least 1
     * @return a copy
     */
    public QueuePairCapacity withMaxSendWr(int value) {
        return new QueuePairCapacity(value, maxReceiveWr, maxSendSge, maxReceiveSge, maxInlineData);
    }

    /**
     * Returns a copy with another receive queue depth.
     *
     * @param value at least 1
     * @return a copy
     */
    public QueuePairCapacity withMaxReceiveWr(int value) {
        return new QueuePairCapacity(maxSendWr, value, maxSendSge, maxReceiveSge, maxInlineData);
    }

    /**
     * Returns a copy with another number of entries per send.
     *
     * @param value at least 1
     * @return a copy
     */
    public QueuePairCapacity withMaxSendSge(int value) {
        return new QueuePairCapacity(maxSendWr, maxReceiveWr, value, maxReceiveSge, maxInlineData);
    }

    /**
     * Returns a copy with another number of entries per receive.
     *
     * @param value at least 1
     * @return a copy
     */
    public QueuePairCapacity withMaxReceiveSge(int value) {
        return new QueuePairCapacity(maxSendWr, maxReceiveWr, maxSendSge, value, maxInlineData);
    }

    /**
     * Returns a copy with another inline size.
     *
     * @param value bytes, 0 for none
     * @return a copy
     */
    public QueuePairCapacity withMaxInlineData(int value) {
        return new QueuePairCapacity(maxSendWr, maxReceiveWr, maxSendSge, maxReceiveSge, value);
    }
}
