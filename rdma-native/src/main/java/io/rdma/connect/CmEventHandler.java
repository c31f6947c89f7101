package io.rdma.connect;

import io.rdma.verbs.CmEvent;
import java.util.function.Consumer;

/**
 * The handler of an identifier's events, and of the requests to it. Called on the thread of its {@link CmLoop}, which
 * it must not block.
 */
interface CmEventHandler extends Consumer<CmEvent> {
    /**
     * Fails what waits for an event, as none comes any more.
     *
     * @param cause of that
     */
    void lost(Throwable cause);
}
