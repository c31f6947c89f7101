package io.rdma.reactive;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Errors of the application's functions, as the subscriber gets them. */
final class OperatorErrors {
    private OperatorErrors() {}

    /**
     * Hands an error to Reactor's hooks. Reactor throws what it takes for fatal instead: a missing class, a stack that
     * overflows. The subscriber gets that too, because the calling thread may be the completion loop, or that of
     * another connection, and a stream that is not told of its end hangs.
     *
     * @param upstream to be cancelled, if there is one
     * @param error of the application
     * @param item for which it was thrown, if there is one
     * @param context of the subscriber
     * @return what to signal
     */
    static Throwable of(@Nullable Subscription upstream, Throwable error, @Nullable Object item, Context context) {
        try {
            return Operators.onOperatorError(upstream, error, item, context);
        } catch (Throwable fatal) {
            return error;
        }
    }
}
