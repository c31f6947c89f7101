package io.rdma.samples.bench.exchange;

import io.rdma.types.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The message by which a client requests the other end of {@link WriteTurns}.
 *
 * @param count number of turns
 * @param inbox of the client; its length is that of a write
 */
record WriteRequest(int count, RemoteMemory inbox) {
    private static final int COUNT = 4;
    private static final int INBOX = 8;
    static final int BYTES = INBOX + RemoteMemory.ENCODED_BYTES;
    /** Its first byte, which {@link Carrier#message} never has. */
    static final byte KIND = 2;

    void encode(MemorySegment target) {
        target.set(ValueLayout.JAVA_BYTE, 0, KIND);
        target.set(ValueLayout.JAVA_INT_UNALIGNED, COUNT, count);
        inbox.encode(target.asSlice(INBOX));
    }

    static WriteRequest decode(MemorySegment source) {
        return new WriteRequest(
                source.get(ValueLayout.JAVA_INT_UNALIGNED, COUNT), RemoteMemory.decode(source.asSlice(INBOX)));
    }
}
