package io.rdma.engine;

import io.rdma.verbs.HugePages;

/**
 * How an open device is shared among connections; immutable.
 *
 * @param completionQueueEntries depth of the first completion queue of each loop; others are added when the queue
 *     depths of its connections amount to more
 * @param maxCompletionQueueEntries most entries of all completion queues of a loop together: a connection that needs
 *     more is refused; each queue is bounded by the device as well
 * @param loops completion queues, each with a thread of its own; a connection belongs to the one that has the most room
 *     when it begins
 * @param idleStrategy what a loop does when nothing completes
 * @param hugePages pages behind buffers and allocated regions
 * @param maxRegisteredBytes how much memory may be registered at once, by all connections together: what exceeds it is
 *     refused, a connection in its making included, see {@link io.rdma.verbs.RegistrationLimitException}
 * @param cachedBytes memory of the application's that stays registered for the next time, see
 *     {@link io.rdma.buffer.RegistrationCache}; 0 for none
 * @param sharedReceiveBuffers receive buffers per loop that its connections share, instead of a ring for each; 0 for
 *     rings. What a connection's options say of receive buffers is then how many of them it may have under way; the
 *     buffers' sum may well exceed what there is: who finds none waits (receiver not ready). Enough are those of all
 *     connections that may stand still at once. A connection with a protection domain of its own has a ring
 * @param sharedReceiveBufferSize bytes of each of them
 */
public record ResourceOptions(
        int completionQueueEntries,
        int maxCompletionQueueEntries,
        int loops,
        IdleStrategy idleStrategy,
        HugePages hugePages,
        long maxRegisteredBytes,
        long cachedBytes,
        int sharedReceiveBuffers,
        int sharedReceiveBufferSize) {
    /**
     * 8192 entries, which is 30 connections of the default depths, and as many more as the device has; one loop,
     * adaptive; ordinary pages, no limit, 256 MiB cached.
     */
    public static final ResourceOptions DEFAULT = new ResourceOptions(
            8192, Integer.MAX_VALUE, 1, IdleStrategy.ADAPTIVE, HugePages.NONE, Long.MAX_VALUE, 256 << 20, 0, 8192);

    /** Checks the ranges. */
    public ResourceOptions {
        if (completionQueueEntries < 1) {
            throw new IllegalArgumentException("completionQueueEntries must be at least 1: " + completionQueueEntries);
        }
        if (maxCompletionQueueEntries < 1) {
            throw new IllegalArgumentException(
                    "maxCompletionQueueEntries must be at least 1: " + maxCompletionQueueEntries);
        }
        if (loops < 1 || loops > 1024) {
            throw new IllegalArgumentException("loops must be from 1 to 1024: " + loops);
        }
        if (sharedReceiveBuffers < 0 || sharedReceiveBufferSize < 32) {
            throw new IllegalArgumentException("shared receive buffers are at least 0, of at least 32 bytes: "
                    + sharedReceiveBuffers + ", " + sharedReceiveBufferSize);
        }
        if (maxRegisteredBytes < 1 || cachedBytes < 0) {
            throw new IllegalArgumentException("maxRegisteredBytes must be at least 1 and cachedBytes at least 0: "
                    + maxRegisteredBytes + ", " + cachedBytes);
        }
    }

    /**
     * With another depth of the first completion queue.
     *
     * @param entries see the record
     * @return a copy
     */
    public ResourceOptions withCompletionQueueEntries(int entries) {
        return new ResourceOptions(
                entries,
                maxCompletionQueueEntries,
                loops,
                idleStrategy,
                hugePages,
                maxRegisteredBytes,
                cachedBytes,
                sharedReceiveBuffers,
                sharedReceiveBufferSize);
    }

    /**
     * With another bound of all completion queues of a loop.
     *
     * @param most see the record
     * @return a copy
     */
    public ResourceOptions withMaxCompletionQueueEntries(int most) {
        return new ResourceOptions(
                completionQueueEntries,
                most,
                loops,
                idleStrategy,
                hugePages,
                maxRegisteredBytes,
                cachedBytes,
                sharedReceiveBuffers,
                sharedReceiveBufferSize);
    }

    /**
     * With another number of loops.
     *
     * @param count see the record
     * @return a copy
     */
    public ResourceOptions withLoops(int count) {
        return new ResourceOptions(
                completionQueueEntries,
                maxCompletionQueueEntries,
                count,
                idleStrategy,
                hugePages,
                maxRegisteredBytes,
                cachedBytes,
                sharedReceiveBuffers,
                sharedReceiveBufferSize);
    }

    /**
     * With another idle strategy.
     *
     * @param strategy see the record
     * @return a copy
     */
    public ResourceOptions withIdleStrategy(IdleStrategy strategy) {
        return new ResourceOptions(
                completionQueueEntries,
                maxCompletionQueueEntries,
                loops,
                strategy,
                hugePages,
                maxRegisteredBytes,
                cachedBytes,
                sharedReceiveBuffers,
                sharedReceiveBufferSize);
    }

    /**
     * With another value of {@code hugePages}.
     *
     * @param pages see the record
     * @return a copy
     */
    public ResourceOptions withHugePages(HugePages pages) {
        return new ResourceOptions(
                completionQueueEntries,
                maxCompletionQueueEntries,
                loops,
                idleStrategy,
                pages,
                maxRegisteredBytes,
                cachedBytes,
                sharedReceiveBuffers,
                sharedReceiveBufferSize);
    }

    /**
     * With another value of {@code maxRegisteredBytes}.
     *
     * @param bytes see the record
     * @return a copy
     */
    public ResourceOptions withMaxRegisteredBytes(long bytes) {
        return new ResourceOptions(
                completionQueueEntries,
                maxCompletionQueueEntries,
                loops,
                idleStrategy,
                hugePages,
                bytes,
                cachedBytes,
                sharedReceiveBuffers,
                sharedReceiveBufferSize);
    }

    /**
     * With another value of {@code cachedBytes}.
     *
     * @param bytes see the record
     * @return a copy
     */
    public ResourceOptions withCachedBytes(long bytes) {
        return new ResourceOptions(
                completionQueueEntries,
                maxCompletionQueueEntries,
                loops,
                idleStrategy,
                hugePages,
                maxRegisteredBytes,
                bytes,
                sharedReceiveBuffers,
                sharedReceiveBufferSize);
    }

    /**
     * With receive buffers that the connections of a loop share.
     *
     * @param count see the record
     * @param size see the record
     * @return a copy
     */
    public ResourceOptions withSharedReceiveBuffers(int count, int size) {
        return new ResourceOptions(
                completionQueueEntries,
                maxCompletionQueueEntries,
                loops,
                idleStrategy,
                hugePages,
                maxRegisteredBytes,
                cachedBytes,
                count,
                size);
    }
}
