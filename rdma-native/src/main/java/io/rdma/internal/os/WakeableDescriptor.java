package io.rdma.internal.os;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

// Invariants
// - The two descriptors are polled together, level-triggered. A wake-up stays in the eventfd until one wait has
//   read it.
// - An error or hang-up without an event is the end of the descriptor: poll(2) would return it at once, for ever.

/** Descriptor of the events of a completion channel or a context, together with an eventfd that ends a wait. */
public final class WakeableDescriptor {
    private static final int ENDS = Libc.POLLERR | Libc.POLLHUP | Libc.POLLNVAL;

    private final int fd;
    private final int wakeFd;
    private final MemorySegment one;

    public WakeableDescriptor(int fd) {
        this.fd = fd;
        wakeFd = Libc.eventfd(0, Libc.EFD_CLOEXEC | Libc.EFD_NONBLOCK);
        if (wakeFd < 0) {
            throw new VerbsException("eventfd", -wakeFd, "Raise the limit of open files, ulimit -n");
        }
        one = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, 1L);
    }

    /**
     * Waits for an event or a wake-up, {@code poll(2)}.
     *
     * @return whether the descriptor has an event
     * @throws VerbsException EIO if no more events can arrive, because the device is gone
     */
    public boolean await(int timeoutMillis) {
        long fds = CallState.scratch();
        put(fds, fd);
        put(fds + Libc.POLLFD_SIZE, wakeFd);
        long deadline = timeoutMillis > 0 ? System.nanoTime() + timeoutMillis * 1_000_000L : 0;
        int left = timeoutMillis;
        int ready;
        while ((ready = Libc.poll(fds, 2, left)) == -Libc.EINTR) {
            if (timeoutMillis > 0) {
                left = (int) Math.max(0, (deadline - System.nanoTime()) / 1_000_000);
            }
        }
        if (ready < 0) {
            throw new VerbsException("poll", -ready, null);
        }
        if (NativeMemory.getShort(fds + Libc.POLLFD_SIZE + Libc.POLLFD_REVENTS) != 0) {
            Libc.read(wakeFd, CallState.scratch() + 2 * Libc.POLLFD_SIZE, Long.BYTES);
        }
        short events = NativeMemory.getShort(fds + Libc.POLLFD_REVENTS);
        if ((events & Libc.POLLIN) == 0 && (events & ENDS) != 0) {
            throw new VerbsException("poll", Errno.EIO, "The device was removed: close it and open another");
        }
        return (events & Libc.POLLIN) != 0;
    }

    private static void put(long pollfd, int fd) {
        NativeMemory.putInt(pollfd + Libc.POLLFD_FD, fd);
        NativeMemory.putShort(pollfd + Libc.POLLFD_EVENTS, Libc.POLLIN);
        NativeMemory.putShort(pollfd + Libc.POLLFD_REVENTS, (short) 0);
    }

    public void wake() {
        Libc.write(wakeFd, one.address(), Long.BYTES);
    }

    public void close() {
        Libc.close(wakeFd);
    }
}
