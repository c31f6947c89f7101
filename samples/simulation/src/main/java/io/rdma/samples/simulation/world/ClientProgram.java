package io.rdma.samples.simulation.world;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Client of a run: connects, sends and receives its streams, and closes. */
final class ClientProgram {
    private final int number;
    private final Plan.Client plan;
    private final Host host;
    private final Host server;
    private final List<ClientProgram> clients;
    private final Verdict verdict;
    private @Nullable RdmaConnection connection;
    private boolean disposedEarly;
    private boolean done;

    ClientProgram(int number, Plan.Client plan, Host host, Host server, List<ClientProgram> clients, Verdict verdict) {
        this.clients = clients;
        this.number = number;
        this.plan = plan;
        this.host = host;
        this.server = server;
        this.verdict = verdict;
    }

    Host host() {
        return host;
    }

    /** Returns whether the client is not done, and not dead. */
    boolean isUnderWay() {
        return !done && host.isAlive();
    }

    /** Returns messages of this client's, in either direction. */
    Message.Stream messages(int count) {
        return new Message.Stream(number, count, plan.longest(), plan.stream());
    }

    /** Returns the length of a message. */
    int bytes(int index) {
        return messages(1).bytes(index);
    }

    Plan.Client plan() {
        return plan;
    }

    /** Returns whether the client disposed its connection before it was done. */
    boolean disposedEarly() {
        return disposedEarly;
    }

    void start() {
        host.run("main", () -> {
            try {
                run();
            } catch (RuntimeException e) {
                verdict.unexpected("client " + number, e);
            } finally {
                done = true;
            }
        });
    }

    /** Disposes the connection, if there is one. */
    void disposeEarly() {
        host.run("fault", () -> {
            RdmaConnection now = connection;
            if (now != null) {
                disposedEarly = true;
                now.dispose();
            }
        });
    }

    private void run() {
        try (RdmaResources resources = World.open(host)) {
            RdmaConnection made = connect(resources);
            if (made == null) {
                return;
            }
            connection = made;
            Received received = new Received("client " + number + " received", clients, verdict);
            Recorder<Message> down =
                    new Recorder<>(verdict, host, "client " + number + " down", received::next, received::ended);
            made.receive(Message::read).subscribe(down);
            Recorder<Void> up = new Recorder<>(verdict, host, "client " + number + " up");
            messages(plan.up()).sendTo(made).subscribe(up);
            boolean all = up.await() && received.awaitAll(plan.down());
            if (!plan.closesFirst() || !all) {
                boolean orderly = down.await();
                verdict.check(
                        !orderly || received.count() == plan.down() || disposedEarly,
                        "client " + number + ": an orderly end after " + received.count() + " of " + plan.down());
            }
            verdict.note("client " + number + " closes");
            made.disposeNow(World.PATIENCE);
            verdict.check(down.hasEnded(), "client " + number + ": the stream did not end with the connection");
        }
    }

    private @Nullable RdmaConnection connect(RdmaResources resources) {
        try {
            return RdmaClient.create()
                    .resources(resources)
                    .options(World::options)
                    .host(server.address().getHostAddress())
                    .port(World.PORT)
                    .connectNow(World.PATIENCE);
        } catch (RuntimeException e) {
            verdict.failure("client " + number + " connecting", e);
            return null;
        }
    }
}
