package io.rdma.internal.structures;

import io.rdma.environment.Environment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

// Invariant: words change by atomic instructions of the processor only. The host uses them only where the device says
// that they exclude its own (IBV_ATOMIC_GLOB).

/** Memory of a structure, reached by the processor of its host. Bytes are copied before any is used. */
record LocalAccess(MemorySegment memory, Environment environment) implements StructureAccess {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    long get(long offset) {
        return (long) WORD.getVolatile(memory, offset);
    }

    long add(long offset, long addend) {
        return (long) WORD.getAndAdd(memory, offset, addend);
    }

    @Override
    public void read(long offset, int length, Consumer<MemorySegment> then, Consumer<Throwable> failed) {
        VarHandle.fullFence(); // the bytes are read here, not taken from an earlier read
        then.accept(MemorySegment.ofArray(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE)));
    }

    @Override
    public void compareAndSwap(long offset, long expected, long update, LongConsumer then, Consumer<Throwable> failed) {
        then.accept((long) WORD.compareAndExchange(memory, offset, expected, update));
    }

    @Override
    public void fetchAndAdd(long offset, long addend, LongConsumer then, Consumer<Throwable> failed) {
        then.accept(add(offset, addend));
    }

    @Override
    public void load(long offset, LongConsumer then, Consumer<Throwable> failed) {
        then.accept(get(offset)); // no addition of 0: the device's atomics need not exclude it
    }

    @Override
    public void write(long offset, byte[] bytes, Runnable then, Consumer<Throwable> failed) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, bytes.length);
        then.run(); // a swap behind it releases the copy
    }

    /** Does nothing: the processor has no connection. Nothing that it does to its own memory fails. */
    @Override
    public void end(Throwable cause) {}

    @Override
    public long nanoTime() {
        return environment.nanoTime();
    }

    @Override
    public void after(long nanos, Runnable task) {
        environment.after(nanos, task);
    }

    @Override
    public long random(long bound) {
        return environment.jitter().nextLong(bound);
    }
}
