package io.rdma.reactive;

import java.lang.foreign.MemorySegment;

/**
 * Encoder that writes an item as one message.
 *
 * @param <T> type of the items
 */
@FunctionalInterface
public interface MessageEncoder<T> {
    /**
     * Writes an item. Must not block, nor wait for an effect of an earlier item: the message of that item may be sent
     * together with this one.
     *
     * @param item item to write
     * @param target registered memory, valid during the call only
     * @return length of the message in bytes. If the message turns out to be longer than the target: the negative of
     *     the length that it needs. The content of the target is then ignored, and the item is encoded once more, into
     *     memory of exactly that length. If the stream ends before that, the item is discarded
     */
    int encode(T item, MemorySegment target);

    /**
     * Returns the length of an item that may be larger than a send buffer, where it is known without encoding the item.
     * It is called before {@link #encode}. An item that is larger is encoded into memory of exactly this length, which
     * a virtual thread registers for this message: the publisher's own if it is one, otherwise one of the library.
     *
     * @param item item that will be written
     * @return bytes, exact if larger than a send buffer; 0, the default, for items that always fit
     */
    default int length(T item) {
        return 0;
    }
}
