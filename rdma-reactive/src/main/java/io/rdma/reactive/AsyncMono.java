package io.rdma.reactive;

import org.jspecify.annotations.Nullable;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;

/** Mono that may signal on another thread than the subscriber's, and tells Reactor's tools so. */
abstract class AsyncMono<T> extends Mono<T> implements Scannable {
    @Override
    @SuppressWarnings("rawtypes") // Scannable's signature
    public final @Nullable Object scanUnsafe(Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
