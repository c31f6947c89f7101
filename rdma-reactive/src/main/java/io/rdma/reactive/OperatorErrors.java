package io.rdma.reactive;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Errors of the application, in the form in which they are signalled to the subscriber. */
final class OperatorErrors {
    private OperatorErrors() {}

    /**
     * Passes an error to Reactor's hooks. Reactor throws an error that it considers fatal, such as a missing class or a
     * stack overflow, instead of returning it. Such an error is signalled to the subscriber too. The calling thread may
     * be the completion loop, or the thread of another connection, and a stream without an end signal hangs.
     *
     * @param upstream subscription to cancel, if there is one
     * @param error error of the application
     * @param item item that caused it, if there is one
     * @param context context of the subscriber
     * @return error to signal
     */
    static Throwable of(@Nullable Subscription upstream, Throwable error, @Nullable Object item, Context context) {
        try {
            return Operators.onOperatorError(upstream, error, item, context);
        } catch (Throwable fatal) {
            return error;
        }
    }

    /** Returns the error of a request that is not positive (Reactive Streams 3.9). */
    static IllegalArgumentException ofRequest(long n) {
        return new IllegalArgumentException("§3.9: a request must be positive: " + n);
    }
}
