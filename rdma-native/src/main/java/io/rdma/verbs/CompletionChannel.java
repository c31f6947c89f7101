package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;

/**
 * A completion channel, {@code ibv_create_comp_channel(3)}: where one thread sleeps until an armed completion queue has
 * an entry.
 */
public final class CompletionChannel extends NativeObject {
    CompletionChannel(Verbs verbs, long handle, OpenObjects siblings) {
        super(verbs, handle, siblings);
    }

    /**
     * Waits for an event or a {@link #wake}.
     *
     * @param timeoutMillis most milliseconds to wait; 0 does not wait, -1 is forever
     * @return whether an event is there for {@link #takeEvent}
     */
    public boolean await(int timeoutMillis) {
        return verbs.pollCompChannel(handle(), timeoutMillis);
    }

    /** Ends an {@link #await} that waits, or the next one. Any thread. */
    public void wake() {
        long channel = handle();
        wake(() -> verbs.wakeCompChannel(channel));
    }

    /**
     * Takes one event, {@code ibv_get_cq_event(3)}; it must be acknowledged on its queue,
     * {@link CompletionQueue#acknowledge}. Blocks when there is none.
     *
     * @return name of the queue, see {@link CompletionQueue#isNamedBy}
     */
    public long takeEvent() {
        return verbs.getCqEvent(handle());
    }

    @Override
    void destroy(long handle) {
        verbs.destroyCompChannel(handle);
    }
}
