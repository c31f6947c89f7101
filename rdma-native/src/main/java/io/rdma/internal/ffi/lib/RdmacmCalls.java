package io.rdma.internal.ffi.lib;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.internal.os.CallState;
import io.rdma.types.RdmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The functions that librdmacm exports, one handle each. One method serves all functions of the same signature, because
 * none is on a hot path.
 *
 * <p>Invariants: pointers and {@code size_t} are {@code long}; {@code uint8_t} is an {@code int} that the caller keeps
 * in range. All calls capture errno, which {@link CallState#errno()} returns until the thread's next call. The library
 * is loaded at first use. If it is missing, the class cannot be initialised, so {@link #load} must precede.
 */
final class RdmacmCalls {
    static final String NAME = "librdmacm.so.1";

    private static final SymbolLookup LIBRARY = load(NAME);

    static final MethodHandle CREATE_EVENT_CHANNEL =
            handle("rdma_create_event_channel", FunctionDescriptor.of(JAVA_LONG));
    static final MethodHandle DESTROY_EVENT_CHANNEL =
            handle("rdma_destroy_event_channel", FunctionDescriptor.ofVoid(JAVA_LONG));
    static final MethodHandle CREATE_ID = ints("rdma_create_id", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
    static final MethodHandle DESTROY_ID = ints("rdma_destroy_id", JAVA_LONG);
    static final MethodHandle BIND_ADDR = ints("rdma_bind_addr", JAVA_LONG, JAVA_LONG);
    static final MethodHandle RESOLVE_ADDR = ints("rdma_resolve_addr", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
    static final MethodHandle RESOLVE_ROUTE = ints("rdma_resolve_route", JAVA_LONG, JAVA_INT);
    static final MethodHandle LISTEN = ints("rdma_listen", JAVA_LONG, JAVA_INT);
    static final MethodHandle CONNECT = ints("rdma_connect", JAVA_LONG, JAVA_LONG);
    static final MethodHandle ACCEPT = ints("rdma_accept", JAVA_LONG, JAVA_LONG);
    static final MethodHandle REJECT = ints("rdma_reject", JAVA_LONG, JAVA_LONG, JAVA_INT);
    static final MethodHandle DISCONNECT = ints("rdma_disconnect", JAVA_LONG);
    static final MethodHandle ESTABLISH = ints("rdma_establish", JAVA_LONG);
    static final MethodHandle INIT_QP_ATTR = ints("rdma_init_qp_attr", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    static final MethodHandle CREATE_QP = ints("rdma_create_qp", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    static final MethodHandle CREATE_QP_EX = ints("rdma_create_qp_ex", JAVA_LONG, JAVA_LONG);
    static final MethodHandle DESTROY_QP = handle("rdma_destroy_qp", FunctionDescriptor.ofVoid(JAVA_LONG));
    static final MethodHandle MIGRATE_ID = ints("rdma_migrate_id", JAVA_LONG, JAVA_LONG);
    static final MethodHandle SET_OPTION = ints("rdma_set_option", JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    static final MethodHandle JOIN_MULTICAST_EX = ints("rdma_join_multicast_ex", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    static final MethodHandle LEAVE_MULTICAST = ints("rdma_leave_multicast", JAVA_LONG, JAVA_LONG);
    static final MethodHandle GET_CM_EVENT = ints("rdma_get_cm_event", JAVA_LONG, JAVA_LONG);
    static final MethodHandle ACK_CM_EVENT = ints("rdma_ack_cm_event", JAVA_LONG);
    static final MethodHandle GETADDRINFO = ints("rdma_getaddrinfo", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    static final MethodHandle FREEADDRINFO = handle("rdma_freeaddrinfo", FunctionDescriptor.ofVoid(JAVA_LONG));

    private RdmacmCalls() {}

    /**
     * Loads the library by name or path.
     *
     * @throws RdmaException if it is missing or too old; the message names the remedy
     */
    static SymbolLookup load(String name) {
        SymbolLookup lookup;
        try {
            lookup = SymbolLookup.libraryLookup(name, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new RdmaException(
                    "The library " + name + " could not be loaded: install rdma-core's librdmacm (Debian and Ubuntu:"
                            + " librdmacm1; Fedora and RHEL: librdmacm), or connect by the exchange over TCP",
                    e);
        }
        // Symbols that show that this is librdmacm and new enough: it gained the last two after all others used here.
        for (String symbol : new String[] {"rdma_create_event_channel", "rdma_init_qp_attr", "rdma_establish"}) {
            if (lookup.find(symbol).isEmpty()) {
                throw new RdmaException("The library " + name + " lacks " + symbol
                        + ": it is not librdmacm, or older than rdma-core 22; install a newer librdmacm1");
            }
        }
        return lookup;
    }

    private static MethodHandle ints(String name, java.lang.foreign.MemoryLayout... arguments) {
        return handle(name, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker()
                .downcallHandle(
                        LIBRARY.find(name).orElseThrow(() -> new RdmaException(NAME + " lacks " + name)),
                        descriptor,
                        CallState.ERRNO);
    }

    static long pointer(MethodHandle function) {
        try {
            return (long) function.invokeExact(CallState.segment());
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    static void nothing(MethodHandle function, long a) {
        try {
            function.invokeExact(CallState.segment(), a);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    static int call(MethodHandle function, long a) {
        try {
            return (int) function.invokeExact(CallState.segment(), a);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    static int call(MethodHandle function, long a, int b) {
        try {
            return (int) function.invokeExact(CallState.segment(), a, b);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    static int call(MethodHandle function, long a, long b) {
        try {
            return (int) function.invokeExact(CallState.segment(), a, b);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    static int call(MethodHandle function, long a, long b, int c) {
        try {
            return (int) function.invokeExact(CallState.segment(), a, b, c);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    static int call(MethodHandle function, long a, long b, long c) {
        try {
            return (int) function.invokeExact(CallState.segment(), a, b, c);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    static int call(MethodHandle function, long a, long b, long c, int d) {
        try {
            return (int) function.invokeExact(CallState.segment(), a, b, c, d);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    static int call(MethodHandle function, long a, long b, long c, long d) {
        try {
            return (int) function.invokeExact(CallState.segment(), a, b, c, d);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls {@code rdma_set_option}. */
    static int setOption(long id, int level, int option, long value, long bytes) {
        try {
            return (int) SET_OPTION.invokeExact(CallState.segment(), id, level, option, value, bytes);
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }
}
