package io.rdma.engine;

import io.rdma.types.HugePages;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Options of {@link io.rdma.connect.RdmaResources}: how connections share an open device. Immutable.
 *
 * @param completionQueueEntries depth of the first completion queue of each loop; others are added when the queue
 *     depths of its connections sum up to more
 * @param maxCompletionQueueEntries upper bound of the entries of all completion queues of a loop together: a connection
 *     that needs more is refused. Each queue is bounded by the device as well
 * @param loops completion loops, each with a thread of its own; a new connection joins the one with the most room
 * @param idleStrategy behaviour of a loop when nothing completes
 * @param hugePages pages behind buffers and allocated regions
 * @param maxRegisteredBytes upper bound of the memory that all connections together may have registered. Beyond it a
 *     registration fails with a {@link io.rdma.types.RegistrationLimitException}, even while a connection is being made
 * @param cachedBytes memory of the application that stays registered for its next use, see {@link
 *     io.rdma.buffer.RegistrationCache}; 0 for none
 * @param sharedReceiveBuffers most receive buffers per loop that its connections share, {@code ibv_create_srq(3)},
 *     instead of a ring for each connection; 0 for rings. A part of them is registered at first, and more when they run
 *     low. The receive buffers in a connection's options are then the number that it may have in use, as long as others
 *     leave them. Provide 16 for each connection: with fewer, a peer that finds none waits (receiver not ready). A
 *     connection with a protection domain of its own has a ring. See docs/operate/scaling.md
 * @param sharedReceiveBufferSize bytes of each shared receive buffer
 * @param completionVectors completion vectors of the device for the loops, one each in turn; empty to spread the loops
 *     of the process over all vectors
 * @param processors processors for the threads of the loops, one each in turn, {@code sched_setaffinity(2)}; empty for
 *     no choice. For loops with threads of their own, on Linux
 * @param deviceNode whether loops without a choice run on the processors of the device's NUMA node, if the host has
 *     several nodes and says which is the device's. False by default: threads inherit the processors of the thread
 *     that starts them, so the choice of a loop may reach threads that the application starts from it, see
 *     docs/operate/tuning.md
 * @param onDemand whether buffers for messages, large messages and memory that the cache registers are paged on demand,
 *     {@code IBV_ACCESS_ON_DEMAND}, instead of pinned. A device that lacks that for an operation of reliable
 *     connections refuses to open (EOPNOTSUPP), one that lacks it for another type of queue pair refuses that type.
 *     See docs/operate/tuning.md
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
        int sharedReceiveBufferSize,
        List<Integer> completionVectors,
        List<Integer> processors,
        boolean deviceNode,
        boolean onDemand) {
    private static final int MOST_NUMBERS = 8192; // processors that Linux can have

    /**
     * Defaults: 8192 entries, enough for 30 connections of the default depths, and further queues up to the limit of
     * the device; one loop, adaptive; ordinary pages, no limit of registered memory, 256 MiB cached; loops on any
     * processor.
     */
    public static final ResourceOptions DEFAULT = new ResourceOptions(
            8192,
            Integer.MAX_VALUE,
            1,
            IdleStrategy.ADAPTIVE,
            HugePages.NONE,
            Long.MAX_VALUE,
            256 << 20,
            0,
            8192,
            List.of(),
            List.of(),
            false,
            false);

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
            throw new IllegalArgumentException(
                    "sharedReceiveBuffers must be at least 0 and sharedReceiveBufferSize at least 32: "
                            + sharedReceiveBuffers + ", " + sharedReceiveBufferSize);
        }
        if (maxRegisteredBytes < 1 || cachedBytes < 0) {
            throw new IllegalArgumentException("maxRegisteredBytes must be at least 1 and cachedBytes at least 0: "
                    + maxRegisteredBytes + ", " + cachedBytes);
        }
        completionVectors = numbers("completionVectors", completionVectors);
        processors = numbers("processors", processors);
    }

    private static List<Integer> numbers(String name, List<Integer> given) {
        for (int one : given) {
            if (one < 0 || one >= MOST_NUMBERS) {
                throw new IllegalArgumentException(name + " must be from 0 to " + (MOST_NUMBERS - 1) + ": " + one);
            }
        }
        return List.copyOf(given);
    }

    /**
     * Returns a copy with another depth of the first completion queue.
     *
     * @param entries see the record
     * @return a copy
     */
    public ResourceOptions withCompletionQueueEntries(int entries) {
        return copy(e -> e.completionQueueEntries = entries);
    }

    /**
     * Returns a copy with another bound of all completion queues of a loop.
     *
     * @param most see the record
     * @return a copy
     */
    public ResourceOptions withMaxCompletionQueueEntries(int most) {
        return copy(e -> e.maxCompletionQueueEntries = most);
    }

    /**
     * Returns a copy with another number of loops.
     *
     * @param count see the record
     * @return a copy
     */
    public ResourceOptions withLoops(int count) {
        return copy(e -> e.loops = count);
    }

    /**
     * Returns a copy with another idle strategy.
     *
     * @param strategy see the record
     * @return a copy
     */
    public ResourceOptions withIdleStrategy(IdleStrategy strategy) {
        return copy(e -> e.idleStrategy = strategy);
    }

    /**
     * Returns a copy with another value of {@code hugePages}.
     *
     * @param pages see the record
     * @return a copy
     */
    public ResourceOptions withHugePages(HugePages pages) {
        return copy(e -> e.hugePages = pages);
    }

    /**
     * Returns a copy with another value of {@code maxRegisteredBytes}.
     *
     * @param bytes see the record
     * @return a copy
     */
    public ResourceOptions withMaxRegisteredBytes(long bytes) {
        return copy(e -> e.maxRegisteredBytes = bytes);
    }

    /**
     * Returns a copy with another value of {@code cachedBytes}.
     *
     * @param bytes see the record
     * @return a copy
     */
    public ResourceOptions withCachedBytes(long bytes) {
        return copy(e -> e.cachedBytes = bytes);
    }

    /**
     * Returns a copy with receive buffers that the connections of a loop share.
     *
     * @param count see the record
     * @param size see the record
     * @return a copy
     */
    public ResourceOptions withSharedReceiveBuffers(int count, int size) {
        return copy(e -> {
            e.sharedReceiveBuffers = count;
            e.sharedReceiveBufferSize = size;
        });
    }

    /**
     * Returns a copy with completion vectors.
     *
     * @param vectors see the record
     * @return a copy
     */
    public ResourceOptions withCompletionVectors(int... vectors) {
        return copy(e -> e.completionVectors = Arrays.stream(vectors).boxed().toList());
    }

    /**
     * Returns a copy with processors for the loops. They are checked when the device is opened: a processor that does
     * not exist, or that this process may not use, is a {@link io.rdma.types.VerbsException} then.
     *
     * @param numbers see the record
     * @return a copy
     */
    public ResourceOptions withProcessors(int... numbers) {
        return copy(e -> e.processors = Arrays.stream(numbers).boxed().toList());
    }

    /**
     * Returns a copy with another value of {@code deviceNode}.
     *
     * @param respected see the record
     * @return a copy
     */
    public ResourceOptions withDeviceNode(boolean respected) {
        return copy(e -> e.deviceNode = respected);
    }

    /**
     * Returns a copy with another value of {@code onDemand}.
     *
     * @param paged see the record
     * @return a copy
     */
    public ResourceOptions withOnDemand(boolean paged) {
        return copy(e -> e.onDemand = paged);
    }

    /** Mutable values from which a copy is made. */
    private static final class Edit {
        private int completionQueueEntries;
        private int maxCompletionQueueEntries;
        private int loops;
        private IdleStrategy idleStrategy;
        private HugePages hugePages;
        private long maxRegisteredBytes;
        private long cachedBytes;
        private int sharedReceiveBuffers;
        private int sharedReceiveBufferSize;
        private List<Integer> completionVectors;
        private List<Integer> processors;
        private boolean deviceNode;
        private boolean onDemand;

        private Edit(ResourceOptions from) {
            completionQueueEntries = from.completionQueueEntries;
            maxCompletionQueueEntries = from.maxCompletionQueueEntries;
            loops = from.loops;
            idleStrategy = from.idleStrategy;
            hugePages = from.hugePages;
            maxRegisteredBytes = from.maxRegisteredBytes;
            cachedBytes = from.cachedBytes;
            sharedReceiveBuffers = from.sharedReceiveBuffers;
            sharedReceiveBufferSize = from.sharedReceiveBufferSize;
            completionVectors = from.completionVectors;
            processors = from.processors;
            deviceNode = from.deviceNode;
            onDemand = from.onDemand;
        }
    }

    private ResourceOptions copy(Consumer<Edit> change) {
        Edit e = new Edit(this);
        change.accept(e);
        return new ResourceOptions(
                e.completionQueueEntries,
                e.maxCompletionQueueEntries,
                e.loops,
                e.idleStrategy,
                e.hugePages,
                e.maxRegisteredBytes,
                e.cachedBytes,
                e.sharedReceiveBuffers,
                e.sharedReceiveBufferSize,
                e.completionVectors,
                e.processors,
                e.deviceNode,
                e.onDemand);
    }
}
