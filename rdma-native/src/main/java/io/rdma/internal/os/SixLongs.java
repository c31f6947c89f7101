package io.rdma.internal.os;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

// Invariants
// - The calling conventions of Linux on 64 bits pass six longs as they do narrower integers and pointers; functions
//   that take fewer arguments ignore the rest. Of a result that is an int, only the lower half is defined.
// - The class has no state but Calls, so no failure of its own is permanent. The linker keeps what it made for a shape.
// Code that needs the shape links it again, and then gets the failure itself.

/**
 * Single function shape of all C calls before the first message on {@code soft0}. The linker takes milliseconds for
 * each shape, and tens of them for the first.
 */
public final class SixLongs {
    private SixLongs() {}

    /**
     * Returns whether sockets can be called by this shape: on Linux on a little-endian 64-bit processor whose calling
     * convention and socket structures are known.
     */
    public static boolean supported() {
        String os = System.getProperty("os.name", "");
        String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return os.equals("Linux") && (arch.equals("amd64") || arch.equals("x86_64") || arch.equals("aarch64"));
    }

    /** Returns a handle that takes the function, {@link CallState#segment()}, and six longs. */
    static MethodHandle link() {
        return Linker.nativeLinker()
                .downcallHandle(
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                        CallState.ERRNO);
    }

    /** The calls that report their error by errno, linked when the first is needed. */
    static final class Calls {
        private static final MethodHandle CALL = link();

        private Calls() {}

        static long call(MemorySegment function, long a, long b, long c, long d, long e, long f) {
            try {
                return (long) CALL.invokeExact(function, CallState.segment(), a, b, c, d, e, f);
            } catch (Throwable t) {
                throw CallState.unexpected(t);
            }
        }
    }

    /** Returns a function of the C library. */
    static MemorySegment symbol(String name) {
        return Linker.nativeLinker()
                .defaultLookup()
                .find(name)
                .orElseThrow(() -> new IllegalStateException("libc has no " + name));
    }

    /** Links the shape and calls a harmless function by it. */
    static void prepare() throws Throwable {
        long ignored = (long) link().invokeExact(symbol("getpagesize"), CallState.segment(), 0L, 0L, 0L, 0L, 0L, 0L);
    }
}
