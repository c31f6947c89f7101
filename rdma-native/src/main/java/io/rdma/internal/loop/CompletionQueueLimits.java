package io.rdma.internal.loop;

import io.rdma.engine.ResourceOptions;
import io.rdma.types.DeviceAttributes;

/**
 * Bounds of the completion queues of one loop.
 *
 * @param first entries of the first queue
 * @param deepest maximum of entries of one queue, as the device allows
 * @param most maximum of entries of all queues together
 */
public record CompletionQueueLimits(int first, int deepest, int most) {
    /** Checks the ranges. */
    public CompletionQueueLimits {
        if (first < 1 || deepest < first || most < first) {
            throw new IllegalArgumentException(
                    "a completion queue must have from 1 to " + Math.min(deepest, most) + " entries: " + first);
        }
    }

    /**
     * Returns the bounds of a loop that always has one queue.
     *
     * @param entries entries of the queue
     * @return the bounds
     */
    public static CompletionQueueLimits fixed(int entries) {
        return new CompletionQueueLimits(entries, entries, entries);
    }

    /** Returns the bounds of the options, reduced to the limit of the device. */
    public static CompletionQueueLimits of(ResourceOptions options, DeviceAttributes device) {
        int most = options.maxCompletionQueueEntries();
        int deepest = Math.min(device.maxCqe(), most);
        return new CompletionQueueLimits(Math.min(options.completionQueueEntries(), deepest), deepest, most);
    }

    /** Returns the part of an error message that names the limit which a number of entries exceeds. */
    String reached(int wanted) {
        return wanted > most
                ? ", and a loop has at most " + most + " (ResourceOptions.withMaxCompletionQueueEntries)"
                : ", and the device has at most " + deepest + " in a queue";
    }
}
