package io.rdma.internal.engine;

import io.rdma.environment.Environment;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ffi.lib.FfmVerbs;
import io.rdma.internal.soft.SoftVerbs;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

// Invariant: `recorded` is the thread that has begun. Only it adds to `made`, and others read that after end().

/**
 * Recorder of the calls that one thread makes to serve completion queues, in front of a device. Each call is a letter:
 *
 * <ul>
 *   <li>{@code a}: arms a queue
 *   <li>{@code C}: a poll with completions; {@code p}: one without
 *   <li>{@code W}: a wait that ends with an event; {@code w}: one without
 *   <li>{@code t}: takes an event; {@code k}: acknowledges some
 *   <li>{@code n}: reads the clock
 * </ul>
 */
final class LoopCalls {
    private final Verbs real;
    private final Environment environment;
    private final StringBuilder made = new StringBuilder();
    private volatile @Nullable Thread recorded;

    /** Creates the recorder in front of the library of a device. */
    LoopCalls(String device) {
        real = device.equals("soft0")
                ? SoftVerbs.shared()
                : FfmVerbs.ifAvailable().orElseThrow();
        environment = inFrontOf(Environment.class, real.environment());
    }

    /** Returns the library to open the device of. */
    Verbs verbs() {
        return inFrontOf(Verbs.class, real);
    }

    /** Begins to record the calls of the calling thread. */
    void begin() {
        recorded = Thread.currentThread();
    }

    /** Ends recording. The thread that has begun. */
    void end() {
        recorded = null;
    }

    /** Returns the calls, one letter each. */
    String made() {
        return made.toString();
    }

    private <T> T inFrontOf(Class<T> type, T behind) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object result = invoke(behind, method, arguments);
                    if (Thread.currentThread() == recorded) {
                        record(method.getName(), result);
                    }
                    return result instanceof Environment ? environment : result;
                }));
    }

    private void record(String call, @Nullable Object result) {
        switch (call) {
            case "reqNotifyCq" -> made.append('a');
            case "pollCq" -> made.append(Integer.valueOf(0).equals(result) ? 'p' : 'C');
            case "pollCompChannel" -> made.append(Boolean.TRUE.equals(result) ? 'W' : 'w');
            case "getCqEvent" -> made.append('t');
            case "ackCqEvents" -> made.append('k');
            case "nanoTime" -> made.append('n');
            default -> {}
        }
    }

    private static @Nullable Object invoke(Object behind, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(behind, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
