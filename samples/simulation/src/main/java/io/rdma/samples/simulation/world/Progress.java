package io.rdma.samples.simulation.world;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Progress of a call: it must end, and only once. */
final class Progress<T> {
    private final Verdict verdict;
    private final Host host;
    private final String name;
    private final BiConsumer<String, Throwable> failures;
    private final CompletableFuture<T> end = new CompletableFuture<>();
    private boolean ended;
    private boolean cancelled;

    Progress(Verdict verdict, Host host, String name) {
        this(verdict, host, name, verdict::failure);
    }

    /**
     * @param failures judges a failure of the call of a name
     */
    Progress(Verdict verdict, Host host, String name, BiConsumer<String, Throwable> failures) {
        this.failures = failures;
        this.verdict = verdict;
        this.host = host;
        this.name = name;
        verdict.begun(this);
    }

    void check(boolean holds, String otherwise) {
        verdict.check(holds, name + ": " + otherwise);
    }

    void succeeded(@Nullable T value) {
        markEnded();
        if (!cancelled) {
            verdict.note(name + " completed");
            end.complete(value);
        }
    }

    void failed(Throwable failure) {
        markEnded();
        if (!cancelled) {
            failures.accept(name, failure);
            end.completeExceptionally(failure);
        }
    }

    /** Notes that the call is cancelled. What it delivers later is ignored. Returns false if it has ended. */
    boolean cancelled(CancellationException cancellation) {
        if (ended || cancelled) {
            return false;
        }
        cancelled = true;
        verdict.note(name + " is cancelled");
        end.completeExceptionally(cancellation);
        return true;
    }

    private void markEnded() {
        check(!ended, "a second end");
        ended = true;
    }

    boolean hasEnded() {
        return ended || cancelled;
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Returns whether it must end: nothing ends on a host that is dead. */
    boolean mustEnd() {
        return host.isAlive();
    }

    CompletableFuture<T> end() {
        return end;
    }

    @Override
    public String toString() {
        return name;
    }
}
