package io.rdma.coroutines

import java.lang.foreign.MemorySegment

/** Encoder of items into messages. */
public fun interface MessageEncoder<in T> {
    /**
     * Writes [item] into [target], registered memory that is valid only during the call, and returns the length of the
     * message in bytes. If the message is longer than [target], returns the required length, negated: the content of
     * [target] is then discarded, and [item] is encoded once more, into memory of exactly that length. Must not block,
     * nor wait for an effect of an earlier item: the message of that item may be sent together with this one.
     */
    public fun encode(
        item: T,
        target: MemorySegment,
    ): Int

    /**
     * Returns the length in bytes of an [item] that may be larger than a send buffer, if it is known without encoding.
     * For an item that is larger, it must be exact: [encode] then gets memory of exactly this length, registered for
     * this message. The default, 0, is for items that always fit.
     */
    public fun length(item: T): Int = 0
}
