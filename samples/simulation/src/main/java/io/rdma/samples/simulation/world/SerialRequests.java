package io.rdma.samples.simulation.world;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Publisher that throws if two threads request from it at once, against Reactive Streams 2.7. A thread may request
 * within a signal that its own request caused.
 *
 * @param <T> of the items
 * @param source of the items
 */
record SerialRequests<T>(Publisher<T> source) implements Publisher<T> {
    @Override
    public void subscribe(Subscriber<? super T> to) {
        source.subscribe(new Subscriber<>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                to.onSubscribe(new Serial(subscription));
            }

            @Override
            public void onNext(T item) {
                to.onNext(item);
            }

            @Override
            public void onError(Throwable error) {
                to.onError(error);
            }

            @Override
            public void onComplete() {
                to.onComplete();
            }
        });
    }

    private static final class Serial implements Subscription {
        private final Subscription subscription;
        private @Nullable Thread requesting;

        Serial(Subscription subscription) {
            this.subscription = subscription;
        }

        @Override
        public void request(long n) {
            Thread before = requesting;
            if (before != null && before != Thread.currentThread()) {
                throw new IllegalStateException("two threads request from a publisher at once");
            }
            requesting = Thread.currentThread();
            try {
                subscription.request(n);
            } finally {
                requesting = before;
            }
        }

        @Override
        public void cancel() {
            subscription.cancel();
        }
    }
}
