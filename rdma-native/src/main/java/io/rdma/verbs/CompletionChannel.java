package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;

/**
 * A completion channel, {@code ibv_create_comp_channel(3)}: one thread sleeps on it until an armed completion queue has
 * an entry.
 */
public final class CompletionChannel extends NativeObject {
    CompletionChannel(Verbs verbs, long handle, OpenObjects siblings) {
        super(verbs, handle, siblings);
    }

    /**
     * Waits for an event or a {@link #wake}.
     *
     * @param timeoutMillis longest wait in milliseconds; 0 does not wait, -1 waits without limit
     * @return whether {@link #takeEvent} has an event to take
     */
    public boolean await(int timeoutMillis) {
        return verbs.pollCompChannel(handle(), timeoutMillis);
    }

    /** Ends the current {@link #await}, or else the next one. Any thread. */
    public void wake() {
        long channel = handle();
        wake(() -> verbs.wakeCompChannel(channel));
    }

    /**
     * Takes one event, {@code ibv_get_cq_event(3)}. Blocks while there is none. The application must acknowledge the
     * event on its queue by {@link CompletionQueue#acknowledge}.
     *
     * @return name of the completion queue, see {@link CompletionQueue#isNamedBy}
     */
    public long takeEvent() {
        return verbs.getCqEvent(handle());
    }

    @Override
    void destroy(long handle) {
        verbs.destroyCompChannel(handle);
    }
}
