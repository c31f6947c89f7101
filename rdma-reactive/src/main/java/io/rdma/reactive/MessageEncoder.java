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
     * @return length of the message in bytes
     */
    int encode(T item, MemorySegment target);
}
