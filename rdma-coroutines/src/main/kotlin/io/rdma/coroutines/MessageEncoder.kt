package io.rdma.coroutines

import java.lang.foreign.MemorySegment

/** Writes items as messages. */
public fun interface MessageEncoder<in T> {
    /**
     * Writes [item] into [target], registered memory that is valid during the call only, and returns the length of the
     * message in bytes; or, if it turns out to be longer than [target], the length that it needs, negative: then the
     * target is forgotten and the item is asked for once more, with memory of exactly that length.
     */
    public fun encode(
        item: T,
        target: MemorySegment,
    ): Int

    /**
     * Length in bytes of an [item] that may be larger than a send buffer, where that is known without encoding it;
     * exact in that case: [encode] then gets memory of exactly this length, registered for this message. 0, the
     * default, for items that always fit.
     */
    public fun length(item: T): Int = 0
}
