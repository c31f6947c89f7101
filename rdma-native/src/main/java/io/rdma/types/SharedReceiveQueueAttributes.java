package io.rdma.types;

/**
 * Depth and limit of a shared receive queue, {@code struct ibv_srq_attr}. Names are those of C. The device may grant
 * more than was requested.
 *
 * @param maxWr depth, work requests
 * @param maxSge scatter/gather entries per receive
 * @param limit number of posted receives below which {@link AsyncEventType#SRQ_LIMIT_REACHED} is reported once; 0 if
 *     not armed
 */
public record SharedReceiveQueueAttributes(int maxWr, int maxSge, int limit) {
    /** Checks the ranges. */
    public SharedReceiveQueueAttributes {
        if (maxWr < 1) {
            throw new IllegalArgumentException("maxWr must be at least 1: " + maxWr);
        }
        if (maxSge < 1) {
            throw new IllegalArgumentException("maxSge must be at least 1: " + maxSge);
        }
        if (limit < 0 || limit > maxWr) {
            throw new IllegalArgumentException("limit must be 0 to " + maxWr + ": " + limit);
        }
    }

    /**
     * Creates attributes for a request, without a limit.
     *
     * @param maxWr depth, work requests
     * @param maxSge scatter/gather entries per receive
     * @return the attributes
     */
    public static SharedReceiveQueueAttributes of(int maxWr, int maxSge) {
        return new SharedReceiveQueueAttributes(maxWr, maxSge, 0);
    }
}
