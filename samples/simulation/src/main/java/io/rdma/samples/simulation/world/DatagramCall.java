package io.rdma.samples.simulation.world;

import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** Call of a socket for datagrams: a subscriber to all items, which notes each signal. */
final class DatagramCall<T> implements CoreSubscriber<T> {
    private final Progress<Void> progress;
    private final Consumer<T> items;
    private final Runnable atEnd;
    private @Nullable Subscription subscription;

    /**
     * Subscribes.
     *
     * @param failures judges a failure
     * @param atEnd runs after the end
     */
    DatagramCall(
            Verdict verdict,
            Host host,
            String name,
            Publisher<T> to,
            Consumer<T> items,
            BiConsumer<String, Throwable> failures,
            Runnable atEnd) {
        progress = new Progress<>(verdict, host, name, failures);
        this.items = items;
        this.atEnd = atEnd;
        to.subscribe(this);
    }

    @Override
    public void onSubscribe(Subscription to) {
        progress.check(subscription == null, "a second subscription");
        subscription = to;
        to.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(T item) {
        progress.check(!progress.hasEnded(), "an item after the end");
        items.accept(item);
    }

    @Override
    public void onError(Throwable error) {
        progress.failed(error);
        atEnd.run();
    }

    @Override
    public void onComplete() {
        progress.succeeded(null);
        atEnd.run();
    }

    boolean hasEnded() {
        return progress.hasEnded();
    }

    /** Waits for the end, and returns whether it succeeded. */
    boolean succeeds() {
        return progress.end().handle((nothing, failure) -> failure == null).join();
    }

    @Override
    public String toString() {
        return progress.toString();
    }
}
