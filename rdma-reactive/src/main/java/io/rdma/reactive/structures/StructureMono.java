package io.rdma.reactive.structures;

import io.rdma.internal.os.StackRoom;
import io.rdma.internal.structures.StructureCall;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

// Invariant: the call decides between its outcome and its cancellation. A result that the subscriber does not get,
// because it cancelled while the call ended, goes to the discard hook of its context.

/**
 * Mono of a call of a structure, which starts for each subscriber at its first request.
 *
 * @param <T> type of the result
 */
final class StructureMono<T> extends Mono<T> implements Scannable {
    private final Function<StructureCall.Outcome<T>, StructureCall<?>> start;

    private StructureMono(Function<StructureCall.Outcome<T>, StructureCall<?>> start) {
        this.start = start;
    }

    /**
     * Returns the Mono of a call.
     *
     * @param start starts the call; what it throws is signalled
     */
    static <T> Mono<T> of(Function<StructureCall.Outcome<T>, StructureCall<?>> start) {
        return onAssembly(new StructureMono<>(start));
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        actual.onSubscribe(new Calling<>(start, actual));
    }

    @Override
    @SuppressWarnings("rawtypes") // Scannable's signature
    public @Nullable Object scanUnsafe(Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }

    private static final class Calling<T> implements Subscription, StructureCall.Outcome<T> {
        private final Function<StructureCall.Outcome<T>, StructureCall<?>> start;
        private final CoreSubscriber<? super T> actual;
        private boolean requested; // plain: calls of a subscription are serial (Reactive Streams 2.7)
        private volatile boolean cancelled;
        private volatile @Nullable StructureCall<?> call;

        Calling(Function<StructureCall.Outcome<T>, StructureCall<?>> start, CoreSubscriber<? super T> actual) {
            this.start = start;
            this.actual = actual;
        }

        @Override
        public void request(long n) {
            if (requested) {
                return;
            }
            StackRoom.require(StackRoom.CLOSE); // first: the error says that nothing has happened
            requested = true;
            if (cancelled) {
                return;
            }
            if (n <= 0) {
                failed(Exceptions.nullOrNegativeRequestException(n));
                return;
            }
            try {
                StructureCall<?> begun = start.apply(this);
                call = begun;
                if (cancelled) { // the cancelling thread may not have seen the call
                    begun.cancel();
                }
            } catch (Throwable e) { // such as an index that does not exist
                failed(e);
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            StructureCall<?> begun = call;
            if (begun != null) {
                begun.cancel();
            }
        }

        @Override
        public void succeeded(@Nullable T value) {
            if (cancelled) {
                if (value != null) {
                    Operators.onDiscard(value, actual.currentContext());
                }
                return;
            }
            if (value != null) {
                actual.onNext(value);
            }
            actual.onComplete();
        }

        @Override
        public void failed(Throwable error) {
            if (!cancelled) {
                actual.onError(error);
            }
        }
    }
}
