package io.rdma.internal.os;

import io.rdma.internal.ibv.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

// Invariants
// - All calls share one method handle, because making one takes milliseconds of the start-up. Its arguments are six
//   longs. The calling conventions of x86-64 and aarch64 pass them in registers as they do narrower integers and
//   pointers; functions that take fewer arguments ignore the rest.
// - errno is that of the calling thread (CallState).

/**
 * Linux system calls for batches of datagrams, under their C names. A failure is the negative errno. See the man pages
 * of section 2 and {@code udp(7)}.
 */
public final class LinuxSockets {
    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;
    public static final int SOL_SOCKET = 1;
    public static final int SO_SNDBUF = 7;
    public static final int SO_RCVBUF = 8;
    /** {@code SO_REUSEPORT}, {@code socket(7)}. */
    public static final int SO_REUSEPORT = 15;

    public static final int SO_SNDBUFFORCE = 32;
    public static final int SO_RCVBUFFORCE = 33;
    public static final int SOL_IP = 0;
    public static final int IP_TOS = 1;
    public static final int IP_TTL = 2;
    public static final int IP_MTU_DISCOVER = 10;
    public static final int SOL_IPV6 = 41;
    public static final int IPV6_UNICAST_HOPS = 16;
    public static final int IPV6_MTU_DISCOVER = 23;
    /** {@code IPV6_FLOWINFO_SEND}: the flow label of a datagram is that of the address that it is sent to. */
    public static final int IPV6_FLOWINFO_SEND = 33;

    public static final int IPV6_HOPLIMIT = 52;
    public static final int IPV6_TCLASS = 67;

    public static final int SOL_UDP = 17;
    public static final int UDP_NO_CHECK6_RX = 102;
    public static final int UDP_SEGMENT = 103;
    public static final int UDP_GRO = 104;
    public static final int MSG_DONTWAIT = 0x40;
    public static final int EAGAIN = 11;
    public static final int EINTR = 4;
    public static final short POLLIN = 1;
    public static final short POLLOUT = 4;

    private static final int SOCK_DGRAM_NONBLOCK_CLOEXEC = 2 | 0x800 | 0x80000;
    private static final int EFD_NONBLOCK_CLOEXEC = 0x800 | 0x80000;

    private static final MethodHandle CALL = SixLongs.link();
    private static final MemorySegment SOCKET = SixLongs.symbol("socket");
    private static final MemorySegment BIND = SixLongs.symbol("bind");
    private static final MemorySegment GETSOCKNAME = SixLongs.symbol("getsockname");
    private static final MemorySegment SETSOCKOPT = SixLongs.symbol("setsockopt");
    private static final MemorySegment GETSOCKOPT = SixLongs.symbol("getsockopt");
    private static final MemorySegment SENDMMSG = SixLongs.symbol("sendmmsg");
    private static final MemorySegment RECVMMSG = SixLongs.symbol("recvmmsg");
    private static final MemorySegment PPOLL = SixLongs.symbol("ppoll");
    private static final MemorySegment EVENTFD = SixLongs.symbol("eventfd");
    private static final MemorySegment READ = SixLongs.symbol("read");
    private static final MemorySegment WRITE = SixLongs.symbol("write");
    private static final MemorySegment CLOSE = SixLongs.symbol("close");

    private LinuxSockets() {}

    private static long call(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) CALL.invokeExact(function, CallState.segment(), a, b, c, d, e, f);
        } catch (Throwable t) {
            throw CallState.unexpected(t);
        }
    }

    /** Calls a function that returns an {@code int}, for which the upper half of the result register is undefined. */
    private static int intCall(MemorySegment function, long a, long b, long c, long d, long e) {
        int result = (int) call(function, a, b, c, d, e, 0);
        return result >= 0 ? result : -CallState.errno();
    }

    /** Calls {@code socket(2)} for a non-blocking datagram socket. */
    public static int socket(int family) {
        return intCall(SOCKET, family, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0, 0, 0);
    }

    /** Calls {@code bind(2)}. */
    public static int bind(int fd, long address, int length) {
        return intCall(BIND, fd, address, length, 0, 0);
    }

    /** Calls {@code getsockname(2)}. */
    public static int getsockname(int fd, long address, long length) {
        return intCall(GETSOCKNAME, fd, address, length, 0, 0);
    }

    /** Calls {@code setsockopt(2)} with an {@code int} value. */
    public static int setsockopt(int fd, int level, int option, int value) {
        long at = CallState.scratch();
        NativeMemory.putInt(at, value);
        return intCall(SETSOCKOPT, fd, level, option, at, Integer.BYTES);
    }

    /** Calls {@code getsockopt(2)} for an {@code int} value. */
    public static int getsockopt(int fd, int level, int option) {
        long at = CallState.scratch();
        NativeMemory.putInt(at + 8, Integer.BYTES);
        int result = intCall(GETSOCKOPT, fd, level, option, at, at + 8);
        return result < 0 ? result : NativeMemory.getInt(at);
    }

    /** Calls {@code sendmmsg(2)} without waiting. Returns the number of messages sent. */
    public static int sendmmsg(int fd, long messages, int count) {
        return intCall(SENDMMSG, fd, messages, count, MSG_DONTWAIT, 0);
    }

    /** Calls {@code recvmmsg(2)} without waiting. Returns the number of messages received. */
    public static int recvmmsg(int fd, long messages, int count) {
        return intCall(RECVMMSG, fd, messages, count, MSG_DONTWAIT, 0);
    }

    /**
     * Calls {@code ppoll(2)}. Returns the number of descriptors that have an event.
     *
     * @param nanos time to wait, negative for ever
     */
    public static int ppoll(long fds, int count, long nanos) {
        long time = CallState.scratch();
        if (nanos >= 0) {
            NativeMemory.putLong(time, nanos / 1_000_000_000);
            NativeMemory.putLong(time + 8, nanos % 1_000_000_000);
        }
        return intCall(PPOLL, fds, count, nanos < 0 ? 0 : time, 0, 0);
    }

    /** Calls {@code eventfd(2)} for a non-blocking descriptor. */
    public static int eventfd() {
        return intCall(EVENTFD, 0, EFD_NONBLOCK_CLOEXEC, 0, 0, 0);
    }

    /** Ends the waits on an eventfd until {@link #drain}. */
    public static void signal(int eventfd) {
        long at = CallState.scratch();
        NativeMemory.putLong(at, 1);
        call(WRITE, eventfd, at, Long.BYTES, 0, 0, 0);
    }

    /** Consumes the signals of an eventfd. */
    public static void drain(int eventfd) {
        call(READ, eventfd, CallState.scratch(), Long.BYTES, 0, 0, 0);
    }

    /** Calls {@code close(2)}. */
    public static void close(int fd) {
        call(CLOSE, fd, 0, 0, 0, 0, 0);
    }

    /** Returns the error number only, because {@code strerror(3)} would need another call. */
    public static String error(int negativeErrno) {
        return "errno " + -negativeErrno;
    }

    /** Allocates zeroed memory that lives as long as the arena. */
    public static long allocate(Arena arena, long bytes) {
        return arena.allocate(bytes, ValueLayout.JAVA_LONG.byteAlignment()).address();
    }
}
