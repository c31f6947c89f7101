package io.rdma.samples.simulation.world;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
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

    private Recorder(Verdict verdict, Host host, String name, int demand, Function<I, @Nullable T> items) {
        this.host = host;
        this.demand = demand;
        this.items = items;
        progress = new Progress<>(verdict, host, name);
    }

    /** Subscribes to one item, or to an end without an item. */
    static <T> Call<T> one(Verdict verdict, Host host, String name, Publisher<T> to) {
        return all(verdict, host, name, 0, to, item -> item);
    }

    /**
     * Subscribes to items.
     *
     * @param demand number that is requested at a time, 0 for all
     */
    static <I, T> Call<T> all(
            Verdict verdict, Host host, String name, int demand, Publisher<I> to, Function<I, @Nullable T> items) {
        Recorder<I, T> recorder = new Recorder<>(verdict, host, name, demand, items);
        to.subscribe(recorder);
        return recorder;
    }

    /** Subscribes to items that are no result. */
    static <I> Call<Void> each(Verdict verdict, Host host, String name, int demand, Publisher<I> to) {
        return all(verdict, host, name, demand, to, item -> null);
    }

    @Override
    public void onSubscribe(Subscription to) {
        // Reactor reports an Error of a callable, which only the seam throws here, by a second one.
        progress.check(subscription == null || progress.mayBeStruck(), "a second subscription");
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
        }
    }

    @Override
    public String toString() {
        return progress.toString();
    }
}
