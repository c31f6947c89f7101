package io.rdma.samples.simulation.world;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Messages of one direction that have arrived: they must be those that were sent, once each, in order, unchanged. */
final class Received {
    private final String name;
    private final List<Session> sessions;
    private final Verdict verdict;
    private final CompletableFuture<Integer> session = new CompletableFuture<>();
    private int sender;
    private int count;
    private int all = Integer.MAX_VALUE;
    private final CompletableFuture<Boolean> last = new CompletableFuture<>();

    /**
     * @param sessions of the run, by number
     */
    Received(String name, List<Session> sessions, Verdict verdict) {
        this.name = name;
        this.sessions = sessions;
        this.verdict = verdict;
    }

    void next(Message message) {
        verdict.message();
        verdict.note(name + ": message " + message.index());
        if (count == 0) {
            sender = message.session();
            session.complete(sender); // unless a cancel came while this message was delivered
        }
        verdict.check(sender == message.session(), name + ": another session's");
        verdict.check(message.length() == sessions.get(message.session()).bytes(message.index()), name + ": cut off");
        verdict.check(message.intact(), name + ": message " + message.index() + " was changed");
        verdict.check(message.index() == count, name + ": message " + message.index() + " in place of " + count);
        count++;
        if (count == all) {
            last.complete(true);
        }
    }

    void ended() {
        session.complete(-1);
        last.complete(false);
    }

    /** Waits for the first message, and returns the session that it names, or -1 if there is none. */
    int session() {
        return session.join();
    }

    /** Waits for that many messages. Returns false if they end before. */
    boolean awaitAll(int expected) {
        all = expected;
        return count >= expected || last.join();
    }

    int count() {
        return count;
    }
}
