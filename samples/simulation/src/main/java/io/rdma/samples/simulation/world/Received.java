package io.rdma.samples.simulation.world;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Messages of one direction that have arrived: they must be those that were sent, once each, in order, unchanged. */
final class Received {
    private final String name;
    private final List<ClientProgram> clients;
    private final Verdict verdict;
    private final CompletableFuture<Integer> client = new CompletableFuture<>();
    private int count;
    private int all = Integer.MAX_VALUE;
    private final CompletableFuture<Boolean> last = new CompletableFuture<>();

    /**
     * @param clients of the run, by number
     */
    Received(String name, List<ClientProgram> clients, Verdict verdict) {
        this.name = name;
        this.clients = clients;
        this.verdict = verdict;
    }

    void next(Message message) {
        verdict.message();
        verdict.check(
                client.complete(message.client()) || client.join() == message.client(), name + ": another client's");
        verdict.check(message.length() == clients.get(message.client()).bytes(message.index()), name + ": cut off");
        verdict.check(message.intact(), name + ": message " + message.index() + " was changed");
        verdict.check(message.index() == count, name + ": message " + message.index() + " in place of " + count);
        count++;
        if (count == all) {
            last.complete(true);
        }
    }

    void ended() {
        client.complete(-1);
        last.complete(false);
    }

    /** Waits for the first message, and returns the client that it names, or -1 if there is none. */
    int client() {
        return client.join();
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
