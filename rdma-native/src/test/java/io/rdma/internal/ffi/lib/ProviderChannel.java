package io.rdma.internal.ffi.lib;

import io.rdma.internal.soft.SoftVerbs;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Map;

/** Completion channel of {@link SoftProvider}: its thread writes each event to a pipe, as a pointer to the queue. */
final class ProviderChannel {
    private static final MethodHandle WRITE = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().find("write").orElseThrow(),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

    private final SoftVerbs soft;
    private final long handle;
    private final int fd;
    private final Map<Long, Long> queues;
    private final MemorySegment event = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    private final Thread thread = new Thread(this::run, "soft-provider-channel");
    private volatile boolean stopped;

    /** Starts the thread of a channel, which writes to a file descriptor. */
    ProviderChannel(SoftVerbs soft, long handle, int fd, Map<Long, Long> queues) {
        this.soft = soft;
        this.handle = handle;
        this.fd = fd;
        this.queues = queues;
        thread.setDaemon(true);
        thread.start();
    }

    long handle() {
        return handle;
    }

    private void run() {
        while (!stopped) {
            if (soft.pollCompChannel(handle, -1) && !stopped) {
                long cq = soft.getCqEvent(handle);
                soft.ackCqEvents(cq, 1); // libibverbs counts those that its caller acknowledges
                write(queues.get(cq));
            }
        }
    }

    private void write(long queue) {
        event.set(ValueLayout.JAVA_LONG, 0, queue);
        try {
            long written = (long) WRITE.invokeExact(fd, event, (long) Long.BYTES);
            if (written != Long.BYTES) {
                throw new IllegalStateException("the event of a completion queue was not written");
            }
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends the thread. No event is written behind this. */
    void stop() {
        stopped = true;
        soft.wakeCompChannel(handle);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
