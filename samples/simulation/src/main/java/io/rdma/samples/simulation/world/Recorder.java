package io.rdma.samples.simulation.world;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** Subscriber that notes each signal, and refuses what must not follow an end. */
final class Recorder<T> implements CoreSubscriber<T> {
    private final Verdict verdict;
    private final Host host;
    private final String name;
    private final Consumer<T> items;
    private final Runnable atEnd;
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();
    private @Nullable Subscription subscription;
    private boolean ended;

    Recorder(Verdict verdict, Host host, String name) {
        this(verdict, host, name, item -> {}, () -> {});
    }

    Recorder(Verdict verdict, Host host, String name, Consumer<T> items, Runnable atEnd) {
        this.verdict = verdict;
        this.host = host;
        this.name = name;
        this.items = items;
        this.atEnd = atEnd;
        verdict.begun(this);
    }

    @Override
    public void onSubscribe(Subscription to) {
        verdict.check(subscription == null, name + ": a second subscription");
        subscription = to;
        to.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(T item) {
        verdict.check(!ended, name + ": an item after the end");
        items.accept(item);
    }

    @Override
    public void onError(Throwable error) {
        end(error);
    }

    @Override
    public void onComplete() {
        end(null);
    }

    private void end(@Nullable Throwable error) {
        verdict.check(!ended, name + ": a second end");
        ended = true;
        if (error == null) {
            verdict.note(name + " completed");
        } else {
            verdict.failure(name, error);
        }
        end.complete(error == null);
        atEnd.run();
    }

    boolean hasEnded() {
        return ended;
    }

    /** Returns whether it must end: nothing ends on a host that is dead. */
    boolean mustEnd() {
        return host.isAlive();
    }

    /** Waits for the end, and returns whether it completed. */
    boolean await() {
        return end.join();
    }

    @Override
    public String toString() {
        return name;
    }
}
