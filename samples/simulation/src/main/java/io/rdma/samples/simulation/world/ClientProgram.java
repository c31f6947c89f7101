package io.rdma.samples.simulation.world;

import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.connect.RdmaResources;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Client of a run: connects, again if the plan says so, and runs a session on each connection. */
final class ClientProgram {
    private final int number;
    private final Plan.Client plan;
    private final Terms terms;
    private final Set<Reason> refusals;
    private final Host host;
    private final World world;
    private final Verdict verdict;
    private @Nullable Session session;
    private @Nullable Call<Link> connecting;
    private boolean gaveUp;
    private boolean done;

    ClientProgram(int number, Plan.Client plan, Terms terms, Host host, World world, Verdict verdict) {
        this.number = number;
        this.plan = plan;
        this.terms = terms;
        refusals = terms.refusedBy(world.plan().connecting().server());
        this.host = host;
        this.world = world;
        this.verdict = verdict;
    }

    Host host() {
        return host;
    }

    Plan.Client plan() {
        return plan;
    }

    /** Returns whether the client is not done, and not dead. */
    boolean isUnderWay() {
        return !done && host.isAlive();
    }

    /** Returns whether the latest connection brought everything. */
    boolean hasWorked() {
        return session != null && session.isDone();
    }

    void start() {
        host.run("main", () -> {
            try (RdmaResources resources = World.open(host, terms)) {
                Books books = new Books(resources);
                run(new FrontEnd.Setup(resources, terms::connection, world.address(), refusals));
                books.check(host, verdict);
            } catch (Throwable e) {
                verdict.failure(toString(), host, e);
            }
            host.settle();
            done = true;
        });
    }

    private void run(FrontEnd.Setup setup) {
        FrontEnd frontEnd = world.frontEnd(host, plan.frontEnd());
        if (plan.retries() > 0) {
            frontEnd.reconnect(this + " reconnecting", setup, plan.retries(), this::serve)
                    .succeeds();
            return;
        }
        Call<Link> connect = frontEnd.connect(this + " connecting", setup);
        connecting = connect;
        Duration bound = Duration.ofNanos(terms.longestConnect() + world.plan().pausesOf(number));
        if (verdict.endsWithin(bound, connect) && connect.succeeds()) {
            try {
                serve(connect.end().join());
            } catch (ServerProgram.Unfinished e) {
                verdict.note(String.valueOf(e.getMessage()));
            }
        }
    }

    private void serve(Link link) {
        verdict.check(refusals.isEmpty(), this + " was admitted, in place of " + refusals);
        session = world.session(this, link);
        session.run();
    }

    /** Runs a fault of this client, if it is connected. */
    void fault(Consumer<Session> fault) {
        host.run("fault", () -> {
            if (session != null) {
                fault.accept(session);
            }
        });
    }

    /** Cancels a call: one of those on its connection, or that of connecting. */
    void cancel(int which) {
        host.run("fault", () -> {
            Call<Link> connect = connecting;
            if (session != null) {
                session.cancel(which);
            } else if (connect != null) {
                gaveUp |= !connect.end().isDone();
                connect.cancel();
            }
        });
    }

    /** Returns whether it has cancelled its connect. The server may have the connection all the same. */
    boolean hasGivenUp() {
        return gaveUp;
    }

    @Override
    public String toString() {
        return "client " + number;
    }
}
