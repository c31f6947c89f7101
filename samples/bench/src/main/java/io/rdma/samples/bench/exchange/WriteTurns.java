package io.rdma.samples.bench.exchange;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.HdrHistogram.Histogram;

// Invariants
// - The last byte of a write is the number of its turn, modulo 256, so it differs from the byte that it replaces.
// Devices write the bytes of a message in order, as perftest assumes too.
// - An end writes again only after it has seen the answer. The peer's device has then read the source.

/**
 * One end of a ping-pong of writes. Each end polls its own memory, as ib_write_lat does; neither is notified of
 * a completion.
 */
final class WriteTurns implements AutoCloseable {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final boolean ALONE = Runtime.getRuntime().availableProcessors() == 1;
    private static final int LOOK_AROUND = 1 << 10;

    private final RdmaConnection connection;
    private final RegisteredBuffer source;
    /** Memory of the source, written directly since its handle is not writable until the completion is polled. */
    private final MemorySegment written;

    private final RemoteMemory target;
    private final MemorySegment inbox;
    private final int last;

    /**
     * Creates an end. Does not write.
     *
     * @param memory registered
     * @param source offset in it of the bytes to write
     * @param inbox offset in it of the bytes that the peer writes
     * @param target the peer's inbox; its length is that of a write
     */
    WriteTurns(RdmaConnection connection, MemoryRegion memory, long source, long inbox, RemoteMemory target) {
        int size = (int) target.length();
        this.connection = connection;
        this.source = RegisteredBuffer.of(memory, source, size);
        this.written = memory.segment().asSlice(source, size);
        this.target = target;
        this.inbox = memory.segment().asSlice(inbox, size);
        this.last = size - 1;
        this.inbox.set(ValueLayout.JAVA_BYTE, last, (byte) 0);
    }

    /** Asks a number of times, and records the time until each answer. Returns early if the connection ends. */
    void ask(int count, Histogram times) {
        for (int turn = 1; turn <= count; turn++) {
            long start = System.nanoTime();
            write((byte) turn);
            if (!await((byte) turn)) {
                return;
            }
            times.recordValue(System.nanoTime() - start);
        }
    }

    /** Answers a number of times, on a thread of its own, which ends with the connection. */
    void answer(int count) {
        Thread.ofPlatform().daemon().name("write-turns").start(() -> {
            try (this) {
                for (int turn = 1; turn <= count && await((byte) turn); turn++) {
                    write((byte) turn);
                }
            }
        });
    }

    private void write(byte turn) {
        written.set(ValueLayout.JAVA_BYTE, last, turn);
        connection.write(source, target).subscribe(nothing -> {}, error -> connection.dispose());
    }

    /**
     * Waits for the write of a turn.
     *
     * @return false if the connection ended before
     */
    private boolean await(byte turn) {
        for (int looks = 1; (byte) BYTE.getAcquire(inbox, (long) last) != turn; looks++) {
            if (looks % LOOK_AROUND == 0 && connection.isDisposed()) {
                return false;
            }
            if (ALONE) {
                Thread.yield(); // otherwise the peer waits until our time slice ends
            } else {
                Thread.onSpinWait();
            }
        }
        return true;
    }

    @Override
    public void close() {
        source.close();
    }
}
