package io.rdma.coroutines

import java.lang.foreign.MemorySegment

/** Writes items as messages. */
public fun interface MessageEncoder<in T> {
    /** Writes [item] into [target], registered memory that is valid during the call only, and returns the length of the message in bytes. */
    public fun encode(
        item: T,
        target: MemorySegment,
    ): Int
}
