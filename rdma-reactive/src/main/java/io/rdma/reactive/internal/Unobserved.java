package io.rdma.reactive.internal;

import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Mark in the Reactor context of an operation that is not to be observed. An observed connection finds the mark even if
 * it is inside of a view of the application, which passes the subscription on.
 */
public final class Unobserved {
    private static final Object KEY = Unobserved.class;

    private Unobserved() {}

    /**
     * Marks an operation.
     *
     * @param context of its subscriber
     * @return context with the mark
     */
    public static Context mark(Context context) {
        return context.put(KEY, true);
    }

    /**
     * Returns whether an operation is marked.
     *
     * @param context of its subscriber
     * @return true if it is not to be observed
     */
    public static boolean isMarked(ContextView context) {
        return context.hasKey(KEY);
    }
}
