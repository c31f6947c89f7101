package io.rdma.internal.os;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.internal.ibv.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;

/**
 * Calls of the C library that completion channels and error messages need, under their C names. A failure is the
 * negative errno.
 *
 * <p>{@code poll} and {@code read} block, so no handle is {@code critical}.
 */
public final class Libc {
    public static final int EINTR = 4;
    public static final int EBADF = 9;

    /** {@code struct pollfd}. */
    static final int POLLFD_SIZE = 8;

    static final int POLLFD_FD = 0;
    static final int POLLFD_EVENTS = 4;
    static final int POLLFD_REVENTS = 6;
    static final short POLLIN = 1;
    static final short POLLERR = 8;
    static final short POLLHUP = 0x10;
    static final short POLLNVAL = 0x20;

    static final int EFD_CLOEXEC = 0x80000;
    static final int EFD_NONBLOCK = 0x800;

    public static final int RLIMIT_MEMLOCK = 8;

    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;

    private static final MethodHandle POLL = handle("poll", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle EVENTFD = handle("eventfd", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle READ = handle("read", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle WRITE = handle("write", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle CLOSE = handle("close", JAVA_INT, JAVA_INT);
    private static final MethodHandle GETRLIMIT = handle("getrlimit", JAVA_INT, JAVA_INT, JAVA_LONG);

    /** {@code fcntl(int, int, ...)}, whose third argument is passed as a variadic one. */
    private static final MethodHandle FCNTL = downcall(
            "fcntl",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
            CallState.ERRNO,
            Linker.Option.firstVariadicArg(2));

    /** {@code open(const char *, int, ...)}, without the mode of a new file. */
    private static final MethodHandle OPEN = downcall(
            "open",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT),
            CallState.ERRNO,
            Linker.Option.firstVariadicArg(2));

    private Libc() {}

    private static MethodHandle handle(String name, MemoryLayout result, MemoryLayout... arguments) {
        return downcall(name, FunctionDescriptor.of(result, arguments), CallState.ERRNO);
    }

    private static MethodHandle downcall(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().find(name).orElseThrow(() -> new IllegalStateException("libc has no " + name)),
                descriptor,
                options);
    }

    /** Calls {@code poll(2)}. Returns the number of descriptors that have an event, 0 on time-out. */
    static int poll(long fds, int count, int timeoutMillis) {
        try {
            int result = (int) POLL.invokeExact(CallState.segment(), fds, (long) count, timeoutMillis);
            return result >= 0 ? result : -CallState.errno();
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code eventfd(2)}. */
    static int eventfd(int initial, int flags) {
        try {
            int result = (int) EVENTFD.invokeExact(CallState.segment(), initial, flags);
            return result >= 0 ? result : -CallState.errno();
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code read(2)}. */
    static long read(int fd, long address, long bytes) {
        try {
            long result = (long) READ.invokeExact(CallState.segment(), fd, address, bytes);
            return result >= 0 ? result : -CallState.errno();
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code write(2)}. */
    static long write(int fd, long address, long bytes) {
        try {
            long result = (long) WRITE.invokeExact(CallState.segment(), fd, address, bytes);
            return result >= 0 ? result : -CallState.errno();
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /**
     * Opens a file for reading, {@code open(2)}.
     *
     * @return a descriptor, or a negative errno
     */
    public static int open(String path) {
        try (Arena arena = Arena.ofConfined()) {
            long name = arena.allocateFrom(path).address();
            int result = (int) OPEN.invokeExact(CallState.segment(), name, O_CLOEXEC);
            return result >= 0 ? result : -CallState.errno();
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code close(2)}. */
    public static int close(int fd) {
        try {
            int result = (int) CLOSE.invokeExact(CallState.segment(), fd);
            return result >= 0 ? result : -CallState.errno();
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /**
     * Makes reads of a descriptor fail with EAGAIN instead of waiting, {@code fcntl(2)}.
     *
     * @return 0 or a negative errno
     */
    public static int setNonBlocking(int fd) {
        try {
            int flags = (int) FCNTL.invokeExact(CallState.segment(), fd, F_GETFL, 0);
            int result =
                    flags < 0 ? flags : (int) FCNTL.invokeExact(CallState.segment(), fd, F_SETFL, flags | O_NONBLOCK);
            return result >= 0 ? 0 : -CallState.errno();
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Returns the soft limit of {@code getrlimit(2)} in the unit of the resource, unsigned (all ones: unlimited). */
    public static long softLimit(int resource) {
        long limits = CallState.scratch();
        try {
            int result = (int) GETRLIMIT.invokeExact(CallState.segment(), resource, limits);
            return result == 0 ? NativeMemory.getLong(limits) : -1;
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }
}
