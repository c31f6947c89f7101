package io.rdma.engine;

import io.rdma.verbs.DeviceAttributes;

/**
 * Bounds of the completion queues of one loop.
 *
 * @param first entries of the first queue
 * @param deepest entries of any, as the device allows
 * @param most entries of all together
 */
public record CompletionQueueLimits(int first, int deepest, int most) {
    /** Checks the ranges. */
    public CompletionQueueLimits {
        if (first < 1 || deepest < first || most < first) {
            throw new IllegalArgumentException(
                    "a completion queue of " + first + " entries exceeds " + deepest + " or " + most);
        }
    }

    /**
     * Bounds of a loop that has one queue for ever.
     *
     * @param entries of it
     * @return fixed
     */
    public static CompletionQueueLimits fixed(int entries) {
        return new CompletionQueueLimits(entries, entries, entries);
    }

    /** What a device allows of what was asked for. */
    static CompletionQueueLimits of(ResourceOptions options, DeviceAttributes device) {
        int most = options.maxCompletionQueueEntries();
        int deepest = Math.min(device.maxCqe(), most);
        return new CompletionQueueLimits(Math.min(options.completionQueueEntries(), deepest), deepest, most);
    }

    /** Why a loop did not get as many entries. */
    String reached(int wanted) {
        return wanted > most
                ? ", and a loop has at most " + most + " (ResourceOptions.withMaxCompletionQueueEntries)"
                : ", and the device has at most " + deepest + " in a queue";
    }
}
