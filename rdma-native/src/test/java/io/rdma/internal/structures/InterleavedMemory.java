package io.rdma.internal.structures;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

// Invariants
// - A request is a sequence of steps, before each of which the model checker may let other threads run: it switches
// where the shared field `moment` is written, and knows no access to a MemorySegment. An atomic is one step.
// - A READ and a WRITE move a piece in a step, in the order of the model. Eight bytes that are a piece, such as a word,
// move in two steps. Head and content of an image are two pieces.
// - A request is over when its call returns, so a thread has one request at a time.

/**
 * Memory of a structure whose clients are the threads of a model. Their requests interleave at every step. Each client
 * has a clock of its own, which moves while it waits for others.
 */
final class InterleavedMemory {
    /** A lease that is over behind any pause, so that a client that is held up loses what it has claimed. */
    static final Duration OVER_AT_ONCE = Duration.ofNanos(10_000);

    /** A lease that no client outwaits. */
    static final Duration NEVER_OVER = Duration.ofDays(10_000);

    private static final int CLIENTS = 4;

    /** Order of the addresses in which the devices move bytes. No specification promises one. */
    enum Order {
        ASCENDING,
        DESCENDING
    }

    final MemorySegment memory;
    private final Order order;

    @SuppressWarnings("unused")
    private volatile int moment;

    InterleavedMemory(MemorySegment beginning, Order order) {
        memory = Arena.ofAuto().allocate(beginning.byteSize(), Long.BYTES).copyFrom(beginning);
        this.order = order;
    }

    /** Returns memory in which all clients of a model are connected. */
    static MemorySegment beginning(StructureHeader header) {
        MemorySegment memory = Arena.global().allocate(header.end(), Long.BYTES);
        WriterNumbers writers = new WriterNumbers(memory);
        for (int i = 0; i < CLIENTS; i++) {
            writers.take();
        }
        return memory;
    }

    /** Returns memory in which all clients are connected, with a version of its first record. */
    static MemorySegment beginning(StructureHeader header, long version, byte[] content) {
        MemorySegment memory = beginning(header);
        RecordLayout layout = header.records();
        byte[] image = layout.encode(0, version, content);
        MemorySegment.copy(image, 0, memory, ValueLayout.JAVA_BYTE, layout.offset(0, 0), image.length);
        memory.set(ValueLayout.JAVA_LONG, layout.offset(0), version << 27);
        return memory;
    }

    private void step() {
        moment = 0;
    }

    /**
     * Moves bytes in steps.
     *
     * @param offset of the bytes in the memory, by which they are cut
     */
    private void move(MemorySegment source, long from, MemorySegment target, long to, long offset, long length) {
        long[] cuts = Cuts.of(offset, length);
        for (int i = 0; i < cuts.length - 1; i++) {
            int piece = order == Order.ASCENDING ? i : cuts.length - 2 - i;
            long at = cuts[piece];
            step();
            MemorySegment.copy(source, from + at, target, to + at, cuts[piece + 1] - at);
        }
    }

    /** Places at which the bytes of a request are cut. */
    static final class Cuts {
        private static final int PIECE = 16;

        private Cuts() {}

        /** Returns offsets from the first byte, from 0 to the length. */
        static long[] of(long offset, long length) {
            LongStream.Builder cuts = LongStream.builder();
            long at = 0;
            while (at < length) {
                cuts.add(at);
                long next = Math.min(length, at + PIECE - (offset + at + Long.BYTES) % PIECE);
                if (next - at == Long.BYTES) { // the version in a word has parts in both halves
                    cuts.add(at + Integer.BYTES);
                }
                at = next;
            }
            return cuts.add(length).build().toArray();
        }
    }

    /** One client, which runs one operation after the other. */
    final class Client implements StructureAccess {
        private final Queue<Runnable> due = new ArrayDeque<>();
        private long now;
        private boolean ended;
        private @Nullable Object result;

        /** Runs an operation to its end. The result is its value, or the exception by which it failed. */
        <T> Object run(Consumer<StructureCall.Outcome<T>> operation) {
            begin(operation);
            while (!ended) {
                Thread.yield();
                due.remove().run();
            }
            return Objects.requireNonNull(result);
        }

        /** Runs an operation, and cancels it if it waits for others. Returns whether it did not. */
        <T> boolean runUnlessItWaits(Function<StructureCall.Outcome<T>, StructureCall<T>> operation) {
            StructureCall<?>[] call = {null};
            this.<T>begin(outcome -> call[0] = operation.apply(outcome));
            if (ended) {
                return true;
            }
            call[0].cancel();
            while (!due.isEmpty()) {
                due.remove().run();
            }
            return false;
        }

        private <T> void begin(Consumer<StructureCall.Outcome<T>> operation) {
            ended = false;
            operation.accept(new StructureCall.Outcome<>() {
                @Override
                public void succeeded(@Nullable T value) {
                    finish(value == null ? "none" : value);
                }

                @Override
                public void failed(Throwable error) {
                    finish(error);
                }
            });
        }

        private void finish(Object with) {
            if (ended) {
                throw new AssertionError("a second end: " + with + " behind " + result);
            }
            ended = true;
            result = with;
        }

        @Override
        public void read(long offset, int length, Consumer<MemorySegment> then, Consumer<Throwable> failed) {
            MemorySegment bytes = MemorySegment.ofArray(new byte[length]);
            move(memory, offset, bytes, 0, offset, length);
            then.accept(bytes);
        }

        @Override
        public void compareAndSwap(
                long offset, long expected, long update, LongConsumer then, Consumer<Throwable> failed) {
            step();
            long old = memory.get(ValueLayout.JAVA_LONG, offset);
            if (old == expected) {
                memory.set(ValueLayout.JAVA_LONG, offset, update);
            }
            then.accept(old);
        }

        @Override
        public void fetchAndAdd(long offset, long addend, LongConsumer then, Consumer<Throwable> failed) {
            step();
            long old = memory.get(ValueLayout.JAVA_LONG, offset);
            memory.set(ValueLayout.JAVA_LONG, offset, old + addend);
            then.accept(old);
        }

        @Override
        public void write(long offset, byte[] bytes, Runnable then, Consumer<Throwable> failed) {
            move(MemorySegment.ofArray(bytes), 0, memory, offset, offset, bytes.length);
            then.run();
        }

        @Override
        public void end(Throwable cause) {
            throw new AssertionError("a client leaves, though nothing was refused", cause);
        }

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void after(long nanos, Runnable task) {
            now += nanos;
            due.add(task);
        }

        @Override
        public long random(long bound) {
            return 0;
        }
    }
}
