package io.rdma.internal.structures;

import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.types.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

// Invariants
// - Every range is a slice of the memory that the host has handed out, so none lies outside, whatever was read there.
// - A buffer is given back when its one operation has ended. A step holds one buffer at most when it asks for one.
// - A reliable connection executes a write and an atomic behind it in this order, and the engine posts them so: only
// other operations pass an atomic that waits for room.

/** Memory of a structure, reached over a connection. */
final class RemoteAccess implements StructureAccess {
    private final Endpoint endpoint;
    private final RemoteMemory memory;

    RemoteAccess(Endpoint endpoint, RemoteMemory memory) {
        this.endpoint = endpoint;
        this.memory = memory;
    }

    /** An operation whose failure closes its buffer and is told. */
    private abstract static class Step extends Operation {
        private final Consumer<Throwable> listener;
        private volatile boolean hasFailed;

        Step(WorkRequest request, Consumer<Throwable> failed) {
            super(request);
            this.listener = failed;
        }

        @Override
        protected void failed(RuntimeException error) {
            lost(error);
        }

        void lost(Throwable error) {
            hasFailed = true;
            RegisteredBuffer buffer = request().buffer();
            if (buffer != null) {
                buffer.close();
            }
            listener.accept(error);
        }
    }

    @Override
    public void read(long offset, int length, Consumer<MemorySegment> then, Consumer<Throwable> failed) {
        RemoteMemory source = memory.slice(offset, length);
        withBuffer(
                buffer -> submit(new Step(WorkRequest.read(source, buffer.limit(length)), failed) {
                    @Override
                    protected void completed(long value) {
                        try (buffer) {
                            then.accept(buffer.segment().asSlice(0, length));
                        }
                    }
                }),
                failed);
    }

    @Override
    public void compareAndSwap(long offset, long expected, long update, LongConsumer then, Consumer<Throwable> failed) {
        submitAtomic(WorkRequest.compareAndSwap(word(offset), expected, update), then, failed);
    }

    @Override
    public void fetchAndAdd(long offset, long addend, LongConsumer then, Consumer<Throwable> failed) {
        submitAtomic(WorkRequest.fetchAndAdd(word(offset), addend), then, failed);
    }

    private RemoteMemory word(long offset) {
        return memory.slice(offset, Long.BYTES);
    }

    private void submitAtomic(WorkRequest request, LongConsumer then, Consumer<Throwable> failed) {
        submit(new Step(request, failed) {
            @Override
            protected void completed(long value) {
                then.accept(value);
            }
        });
    }

    @Override
    public void write(long offset, byte[] bytes, Runnable then, Consumer<Throwable> failed) {
        RemoteMemory target = memory.slice(offset, bytes.length);
        withBuffer(buffer -> submitWrite(filled(buffer, bytes), target, then, failed), failed);
    }

    @Override
    public void prepare(byte[] bytes, Consumer<Prepared> then, Consumer<Throwable> failed) {
        withBuffer(buffer -> then.accept(new Filled(filled(buffer, bytes), bytes.length)), failed);
    }

    private static RegisteredBuffer filled(RegisteredBuffer buffer, byte[] bytes) {
        MemorySegment.copy(bytes, 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        return buffer.limit(bytes.length);
    }

    /** Bytes in a buffer of their own. */
    private final class Filled implements Prepared {
        private final RegisteredBuffer buffer;
        private final int length;

        Filled(RegisteredBuffer buffer, int length) {
            this.buffer = buffer;
            this.length = length;
        }

        @Override
        public void writeThenSwap(
                long offset,
                long wordOffset,
                long expected,
                long update,
                LongConsumer then,
                Consumer<Throwable> failed) {
            WorkRequest swap = WorkRequest.compareAndSwap(word(wordOffset), expected, update);
            if (submitWrite(buffer, memory.slice(offset, length), () -> {}, failed)) {
                submitAtomic(swap, then, failed);
            }
        }

        @Override
        public void discard() {
            buffer.close();
        }
    }

    /** Submits a write. If the device fails it later, the connection ends, and with it what was submitted behind. */
    private boolean submitWrite(
            RegisteredBuffer buffer, RemoteMemory target, Runnable then, Consumer<Throwable> failed) {
        return submit(new Step(WorkRequest.write(buffer, target), failed) {
            @Override
            protected void completed(long value) {
                buffer.close();
                then.run();
            }
        });
    }

    private void withBuffer(Consumer<RegisteredBuffer> use, Consumer<Throwable> failed) {
        RegisteredBuffer free = endpoint.sendBuffers().tryAcquire();
        if (free != null) {
            use(free, use, failed);
            return;
        }
        endpoint.sendBuffers().acquire(new BufferWaiter() {
            @Override
            public void acquired(RegisteredBuffer buffer) {
                use(buffer, use, failed);
            }

            @Override
            public void failed(RuntimeException error) {
                failed.accept(error);
            }
        });
    }

    private static void use(RegisteredBuffer buffer, Consumer<RegisteredBuffer> use, Consumer<Throwable> failed) {
        try {
            use.accept(buffer);
        } catch (Throwable e) { // such as memory that is exhausted
            buffer.close();
            failed.accept(e);
        }
    }

    /**
     * Submits an operation. A refusal ends it, as a failure does.
     *
     * @return false if it has failed, so that nothing that depends on it may follow
     */
    private boolean submit(Step operation) {
        try {
            endpoint.submit(operation);
        } catch (Throwable e) { // nothing was submitted
            operation.lost(e);
        }
        return !operation.hasFailed;
    }

    @Override
    public long nanoTime() {
        return environment().nanoTime();
    }

    @Override
    public void after(long nanos, Runnable task) {
        environment().after(nanos, task);
    }

    @Override
    public long random(long bound) {
        return environment().jitter().nextLong(bound);
    }

    @Override
    public void end(Throwable cause) {
        endpoint.abort(cause);
    }

    private Environment environment() {
        return endpoint.loop().environment();
    }
}
