package io.rdma.samples.simulation.world;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * Call of the Reactor front-end: a subscriber that notes each signal, and refuses what must not follow an end.
 *
 * @param <I> type of the items
 * @param <T> type of the result, which the last item is made into
 */
final class Recorder<I, T> implements CoreSubscriber<I>, Call<T> {
    private static final int SLOW = 4;
    private static final long PAUSE_NANOS = 10_000_000;

    private final Host host;
    private final Progress<T> progress;
    private final Function<I, @Nullable T> items;
    private final int demand;
    private @Nullable Subscription subscription;
    private @Nullable T last;
    private long outstanding;

    private Recorder(Host host, Progress<T> progress, int demand, Function<I, @Nullable T> items) {
        this.host = host;
        this.progress = progress;
        this.demand = demand;
        this.items = items;
    }

    /** Subscribes to one item, or to an end without an item. */
    static <T> Call<T> one(Verdict verdict, Host host, String name, Publisher<T> to) {
        return subscribed(new Recorder<>(host, new Progress<>(verdict, host, name), 0, item -> item), to);
    }

    /**
     * Subscribes to items that are no result.
     *
     * @param demand number that is requested at a time, 0 for all
     */
    static <I> Call<Void> each(Verdict verdict, Host host, String name, int demand, Publisher<I> to) {
        return subscribed(new Recorder<>(host, new Progress<>(verdict, host, name), demand, item -> null), to);
    }

    /** Subscribes to all items for a consumer, with a progress that judges its failures in a way of its own. */
    static <I> Call<Void> each(Host host, Progress<Void> progress, Publisher<I> to, Consumer<I> items) {
        return subscribed(
                new Recorder<>(host, progress, 0, item -> {
                    items.accept(item);
                    return null;
                }),
                to);
    }

    private static <I, T> Call<T> subscribed(Recorder<I, T> recorder, Publisher<I> to) {
        to.subscribe(recorder);
        return recorder;
    }

    @Override
    public void onSubscribe(Subscription to) {
        progress.check(subscription == null, "a second subscription");
        subscription = to;
        request();
    }

    private void request() {
        outstanding = demand;
        Objects.requireNonNull(subscription).request(demand == 0 ? Long.MAX_VALUE : demand);
    }

    @Override
    public void onNext(I item) {
        if (progress.isCancelled()) {
            discard(item);
            return;
        }
        progress.check(!progress.hasEnded(), "an item after the end");
        last = items.apply(item);
        if (demand != 0) {
            progress.check(--outstanding >= 0, "an item that was not requested");
            if (outstanding == 0) {
                requestMore();
            }
        }
    }

    private void requestMore() {
        if (demand == SLOW) {
            host.after(PAUSE_NANOS, this::request); // meanwhile the sender runs out of credits, or closes
        } else if (demand % 2 == 0) {
            host.run("request", this::request);
        } else {
            request();
        }
    }

    private static void discard(Object item) {
        if (item instanceof AutoCloseable lease) {
            try {
                lease.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void onError(Throwable error) {
        progress.failed(error);
    }

    @Override
    public void onComplete() {
        progress.succeeded(last);
    }

    @Override
    public CompletableFuture<T> end() {
        return progress.end();
    }

    @Override
    public void cancel() {
        if (progress.cancelled(new CancellationException())) {
            Objects.requireNonNull(subscription).cancel();
            T result = last;
            if (result != null) { // its end has not come yet
                discard(result);
            }
        }
    }

    @Override
    public String toString() {
        return progress.toString();
    }
}
