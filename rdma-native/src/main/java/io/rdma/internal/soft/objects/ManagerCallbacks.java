package io.rdma.internal.soft.objects;

import org.jspecify.annotations.Nullable;

/** Callbacks of the connection manager about a queue pair that it connects. Each runs once. Device thread. */
public final class ManagerCallbacks {
    private @Nullable Runnable onUse;
    private @Nullable Runnable onEnd;

    /** Sets a callback that runs when a request of the peer is next accepted. */
    public void onUse(Runnable hears) {
        onUse = hears;
    }

    /** Sets a callback that runs when the queue pair enters ERR or RESET, or is destroyed. */
    public void onEnd(Runnable hears) {
        onEnd = hears;
    }

    void used() {
        Runnable hears = onUse;
        if (hears != null) {
            onUse = null;
            hears.run();
        }
    }

    /** Notes the end of the queue pair. */
    public void ended() {
        onUse = null;
        Runnable hears = onEnd;
        if (hears != null) {
            onEnd = null;
            hears.run();
        }
    }
}
