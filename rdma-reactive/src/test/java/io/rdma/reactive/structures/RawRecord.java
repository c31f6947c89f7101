package io.rdma.reactive.structures;

import static io.rdma.reactive.structures.StructuresFixture.PATIENCE;

import io.rdma.reactive.RdmaConnection;
import io.rdma.types.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import reactor.core.publisher.Mono;

/** The first record of a memory, as a client uses it that stops in the middle of a put, or destroys it. */
record RawRecord(RdmaConnection connection, RemoteMemory memory) {
    private static final long WORD = 64 + 1024 * 8; // behind the header and the numbers of writers

    private RemoteMemory word() {
        return memory.slice(WORD, Long.BYTES);
    }

    long readWord() {
        return connection.fetchAndAdd(word(), 0).block(PATIENCE);
    }

    /** Replaces the word, as each step of a put does. */
    boolean swap(long expected, long update) {
        return connection.compareAndSwap(word(), expected, update).block(PATIENCE) == expected;
    }

    /** Writes over the images of the record, from the first byte. */
    void writeImages(byte[] bytes) {
        Mono.usingWhen(
                        connection.acquire(),
                        buffer -> {
                            MemorySegment.copy(bytes, 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
                            return connection.write(
                                    buffer.limit(bytes.length), memory.slice(WORD + Long.BYTES, bytes.length));
                        },
                        buffer -> Mono.fromRunnable(buffer::close))
                .block(PATIENCE);
    }
}
