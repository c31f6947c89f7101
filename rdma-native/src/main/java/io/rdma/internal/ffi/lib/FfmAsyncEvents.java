package io.rdma.internal.ffi.lib;

import io.rdma.internal.ibv.AsyncEventEntry;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.os.CallState;
import io.rdma.internal.os.Libc;
import io.rdma.internal.os.WakeableDescriptor;
import io.rdma.types.AsyncEventType;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import org.jspecify.annotations.Nullable;

// Invariants
// - The context's async_fd is non-blocking: a thread that finds no event gets EAGAIN, even if two readers race.
// - An event is copied before it is acknowledged: until then the library does not destroy the object that it is for.

/** The asynchronous events of one context, {@code ibv_get_async_event(3)}. */
final class FfmAsyncEvents {
    static final int QP_NUM = 52;
    private static final int CONTEXT_ASYNC_FD = 268;
    private static final int EVENT_BYTES = 16;
    private static final int EVENT_TYPE = 8;

    private final long context;
    private final WakeableDescriptor descriptor;

    FfmAsyncEvents(long context) {
        this.context = context;
        int fd = NativeMemory.getInt(context + CONTEXT_ASYNC_FD);
        int failed = Libc.setNonBlocking(fd);
        if (failed < 0) {
            throw new VerbsException("fcntl", -failed, null);
        }
        descriptor = new WakeableDescriptor(fd);
    }

    boolean await(int timeoutMillis) {
        return descriptor.await(timeoutMillis);
    }

    void wake() {
        descriptor.wake();
    }

    @Nullable
    AsyncEventEntry take() {
        assert EVENT_BYTES <= CallState.SCRATCH_SIZE;
        long event = CallState.scratch();
        if (IbverbsCalls.getAsyncEvent(context, event) != 0) {
            int errno = CallState.errno();
            if (errno == Errno.EAGAIN || errno == Libc.EINTR) {
                return null;
            }
            throw Remedy.failed("ibv_get_async_event", errno);
        }
        AsyncEventEntry copy = copy(event);
        IbverbsCalls.ackAsyncEvent(event);
        return copy;
    }

    private static AsyncEventEntry copy(long event) {
        int type = NativeMemory.getInt(event + EVENT_TYPE);
        long element = NativeMemory.getLong(event);
        return switch (AsyncEventType.of(type).element()) {
            case QUEUE_PAIR -> new AsyncEventEntry(type, element, NativeMemory.getInt(element + QP_NUM));
            case COMPLETION_QUEUE, SHARED_RECEIVE_QUEUE, WORK_QUEUE -> new AsyncEventEntry(type, element, 0);
            case PORT -> new AsyncEventEntry(type, 0, NativeMemory.getInt(event));
            case DEVICE, UNKNOWN -> new AsyncEventEntry(type, 0, 0);
        };
    }

    /** Releases the descriptor after the context was closed. */
    void close() {
        descriptor.close();
    }
}
