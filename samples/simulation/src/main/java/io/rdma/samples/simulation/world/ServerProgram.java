package io.rdma.samples.simulation.world;

import io.rdma.reactive.RdmaConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Mono;

/** Server's side of a connection: receives the client's messages, sends its own, and closes if the plan says so. */
final class ServerProgram {
    private final RdmaConnection connection;
    private final Host host;
    private final List<ClientProgram> clients;
    private final Verdict verdict;

    ServerProgram(RdmaConnection connection, Host host, List<ClientProgram> clients, Verdict verdict) {
        this.connection = connection;
        this.host = host;
        this.clients = clients;
        this.verdict = verdict;
    }

    /** Returns what the server's handler waits for. It fails if not everything was sent. */
    Mono<Void> run() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        host.run("handler", () -> {
            try {
                serve();
                done.complete(null);
            } catch (Unfinished e) {
                done.completeExceptionally(e);
            } catch (Throwable e) {
                verdict.unexpected("server handler", e);
                done.completeExceptionally(e);
            }
        });
        return Mono.fromFuture(done);
    }

    /** Reason for which the handler fails, so that the connection does not end in an orderly way. */
    private static final class Unfinished extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unfinished(String message) {
            super(message);
        }
    }

    private void serve() {
        Received received = new Received("server received", clients, verdict);
        Recorder<Message> up = new Recorder<>(verdict, host, "server up", received::next, received::ended);
        connection.receive(Message::read).subscribe(up);
        int number = received.client();
        if (number < 0) {
            boolean orderly = up.await();
            verdict.check(
                    !orderly || clients.stream().anyMatch(ClientProgram::disposedEarly),
                    "an orderly end before the first message");
            throw new Unfinished("the client sent nothing");
        }
        ClientProgram client = clients.get(number);
        Plan.Client plan = client.plan();
        Recorder<Void> down = new Recorder<>(verdict, host, "server down " + number);
        client.messages(plan.down()).sendTo(connection).subscribe(down);
        boolean sent = down.await();
        boolean all = received.awaitAll(plan.up());
        if (plan.closesFirst() || !all) {
            boolean orderly = up.await();
            verdict.check(
                    !orderly || all || client.disposedEarly(),
                    "an orderly end after " + received.count() + " of " + plan.up() + " messages of client " + number);
        }
        if (!sent) {
            throw new Unfinished("the client did not get everything");
        }
    }
}
