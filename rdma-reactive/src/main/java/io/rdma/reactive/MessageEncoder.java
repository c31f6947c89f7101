package io.rdma.reactive;

import java.lang.foreign.MemorySegment;

/**
 * Writes an item as one message.
 *
 * @param <T> type of the items
 */
@FunctionalInterface
public interface MessageEncoder<T> {
    /**
     * Writes an item.
     *
     * @param item what to write
     * @param target registered memory, valid during the call only
     * @return length of the message in bytes; or, if it turns out to be longer than the target, the length that it
     *     needs, negative: then the target is forgotten and the item is asked for once more, with memory of exactly
     *     that length, unless the stream ends meanwhile, which discards it
     */
    int encode(T item, MemorySegment target);

    /**
     * Length of an item that may be larger than a send buffer, where that is known without encoding it. Asked before
     * {@link #encode}, which then gets memory of exactly this length, registered for this message: on the thread of the
     * publisher, which it holds up.
     *
     * @param item what will be written
     * @return bytes, exact if more than a send buffer has; 0, the default, for items that always fit
     */
    default int length(T item) {
        return 0;
    }
}
