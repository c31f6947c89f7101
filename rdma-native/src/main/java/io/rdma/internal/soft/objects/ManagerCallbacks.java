package io.rdma.internal.soft.objects;

import io.rdma.internal.log.LimitedLog;
import org.jspecify.annotations.Nullable;

/**
 * Callbacks of the connection manager about a queue pair that it connects. Each runs once. One that throws, such as for
 * want of memory for the manager's thread, is logged: the queue pair goes on. Device thread.
 */
public final class ManagerCallbacks {
    private static final LimitedLog FAILURES = new LimitedLog(ManagerCallbacks.class);

    private @Nullable Runnable onUse;
    private @Nullable Runnable onEnd;

    /** Sets a callback that runs when a request of the peer is next accepted. */
    public void setOnUse(Runnable callback) {
        onUse = callback;
    }

    /** Sets a callback that runs when the queue pair enters ERR or RESET, or is destroyed. */
    public void setOnEnd(Runnable callback) {
        onEnd = callback;
    }

    void used() {
        Runnable callback = onUse;
        onUse = null;
        run(callback);
    }

    /** Notes the end of the queue pair. Call it when everything else is done: the stack may have little room left. */
    public void ended() {
        Runnable callback = onEnd;
        onUse = null;
        onEnd = null;
        run(callback);
    }

    private static void run(@Nullable Runnable callback) {
        if (callback != null) {
            try {
                callback.run();
            } catch (Throwable e) {
                FAILURES.log(System.Logger.Level.WARNING, "the connection manager missed an event of a queue pair", e);
            }
        }
    }
}
