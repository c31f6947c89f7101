package io.rdma.internal.connect;

import io.rdma.verbs.CmEvent;
import java.util.function.Consumer;

/**
 * Handler of the events of an identifier, and of the requests to it. Called on the thread of its {@link CmLoop}, which
 * it must not block.
 */
interface CmEventHandler extends Consumer<CmEvent> {
    /**
     * Fails all waits for events, because no more events arrive.
     *
     * @param cause the reason
     */
    void lost(Throwable cause);
}
