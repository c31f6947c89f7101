package io.rdma.internal.os;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

// Invariants
// - The calling conventions of Linux on 64 bits pass six longs as they do narrower integers and pointers; functions
// that take fewer ignore the rest. Of a result that is an int the lower half counts.
// - There is no state here, so nothing fails for good: the linker keeps what it has made of a shape, and who links it
// again, because it needs it, hears by itself why it can't be.

/**
 * The one shape of all calls of C until the first message on {@code soft0}: each shape takes the linker milliseconds,
 * the first one tens of them.
 */
public final class SixLongs {
    private SixLongs() {}

    /**
     * Whether sockets can be called so, whose structures are known of these: Linux on a little-endian 64-bit processor
     * whose calling convention is known.
     */
    public static boolean supported() {
        String os = System.getProperty("os.name", "");
        String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return os.equals("Linux") && (arch.equals("amd64") || arch.equals("x86_64") || arch.equals("aarch64"));
    }

    /** A handle that takes the function, {@link CallState#segment()}, and six longs. */
    static MethodHandle link() {
        return Linker.nativeLinker()
                .downcallHandle(
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                        CallState.ERRNO);
    }

    /** A function of the C library. */
    static MemorySegment symbol(String name) {
        return Linker.nativeLinker()
                .defaultLookup()
                .find(name)
                .orElseThrow(() -> new IllegalStateException("libc has no " + name));
    }

    /** Links, and calls something harmless by it. */
    static void prepare() throws Throwable {
        long ignored = (long) link().invokeExact(symbol("getpagesize"), CallState.segment(), 0L, 0L, 0L, 0L, 0L, 0L);
    }
}
