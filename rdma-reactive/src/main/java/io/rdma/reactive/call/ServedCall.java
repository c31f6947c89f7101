package io.rdma.reactive.call;

import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A request that a server processes. */
final class ServedCall {
    private final Sinks.Empty<Void> cancellation = Sinks.empty();
    private final Disposable.Swap work = Disposables.swap();
    private volatile boolean cancelled;

    /** Begins the work, which never fails. */
    void run(Mono<Void> processing) {
        work.update(processing.subscribe());
    }

    /** Ends the handler; the client gets an answer. */
    void cancel() {
        cancelled = true;
        cancellation.tryEmitEmpty();
    }

    /** Completes when the client has cancelled the call. */
    Mono<Void> cancelled() {
        return cancellation.asMono();
    }

    /** Returns whether the client has cancelled the call. */
    boolean isCancelled() {
        return cancelled;
    }

    /** Ends the work without an answer. */
    void dispose() {
        work.dispose();
    }
}
