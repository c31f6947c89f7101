package io.rdma.samples.simulation.world;

import io.rdma.connect.RdmaResources;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.types.RemoteMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Client of a run: connects, sends and receives its streams, and closes. */
final class ClientProgram {
    private final int number;
    private final Plan.Client plan;
    private final Host host;
    private final World world;
    private final Verdict verdict;
    /** Memory that the server lends to this client, null if it cannot. The run passes it on, not the network. */
    private final CompletableFuture<@Nullable RemoteMemory> lent = new CompletableFuture<>();

    private final CompletableFuture<Void> worked = new CompletableFuture<>();
    private final List<Call<?>> calls = new ArrayList<>();
    private @Nullable Link link;
    private boolean closedEarly;
    private boolean cancelled;
    private boolean done;

    ClientProgram(int number, Plan.Client plan, Host host, World world, Verdict verdict) {
        this.number = number;
        this.plan = plan;
        this.host = host;
        this.world = world;
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

    /**
     * Returns whether the server's stream may end in an orderly way although messages are missing. Only a close between
     * two messages, or a cancel, looks so. A close in the midst of a stream must not, and an abort neither.
     *
     * @param received number of messages that arrived
     */
    boolean mayLookOrderly(int received) {
        return cancelled || closedEarly && isBetween(received);
    }

    /** Returns whether a close now is between two messages. A stream begins with its first message. */
    private boolean isBetween(int received) {
        return !plan.stream() || received == 0;
    }

    void start() {
        host.run("main", () -> {
            try {
                run();
            } catch (RuntimeException e) {
                verdict.unexpected(toString(), e);
            } finally {
                done = true;
            }
        });
    }

    /** Closes the connection, if there is one. */
    void closeEarly() {
        connected(open -> {
            closedEarly = true;
            open.close();
        });
    }

    /** Aborts the connection, if there is one. */
    void abort() {
        connected(open -> open.abort(new IllegalStateException("the client aborts")));
    }

    private void connected(Consumer<Link> fault) {
        host.run("fault", () -> {
            Link now = link;
            if (now != null) {
                fault.accept(now);
            }
        });
    }

    /** Cancels one of the calls that were started. */
    void cancel(int which) {
        host.run("fault", () -> {
            if (!calls.isEmpty()) {
                cancelled = true;
                calls.get(which % calls.size()).cancel();
            }
        });
    }

    CompletableFuture<@Nullable RemoteMemory> lent() {
        return lent;
    }

    /** Returns what completes when the client uses the server's memory no more. */
    CompletableFuture<Void> worked() {
        return worked;
    }

    <T> Call<T> started(Call<T> call) {
        calls.add(call);
        return call;
    }

    private void run() {
        try (RdmaResources resources = World.open(host)) {
            Call<Link> connecting = started(world.frontEnd(host).connect(this + " connecting", setup(resources)));
            if (!verdict.endsWithin(World.PATIENCE, connecting) || !connecting.succeeds()) {
                return;
            }
            link = connecting.end().join();
            exchange(link);
        }
    }

    private FrontEnd.Setup setup(RdmaResources resources) {
        return new FrontEnd.Setup(resources, World::options, world.address());
    }

    private void exchange(Link to) {
        Received received = new Received(this + " received", world.clients(), verdict);
        Call<Void> down = started(to.receive(this + " down", plan.reception(), received::next));
        down.end().whenComplete((value, failure) -> received.ended());
        Call<Void> up = started(to.send(this + " up", messages(plan.up())));
        down.end().whenComplete((value, failure) -> lent.complete(null)); // the server is gone
        RemoteMemory memory = lent.join();
        if (memory != null) {
            new MemoryWork(this, to, memory, verdict).start(plan.memory(), new Choices(world.plan().seed() + number)).join();
        }
        worked.complete(null);
        boolean all = up.succeeds() && received.awaitAll(plan.down());
        if ((!plan.closesFirst() || !all) && !cancelled) {
            boolean orderly = down.succeeds();
            verdict.check(
                    !orderly
                            || received.count() == plan.down()
                            || closedEarly
                            || world.isStopped() && isBetween(received.count()),
                    this + ": an orderly end after " + received.count() + " of " + plan.down());
        }
        verdict.note(this + " closes");
        to.close();
        verdict.endsWithin(World.PATIENCE, to.closed(this + " closed"));
        verdict.check(down.end().isDone(), this + ": the stream did not end with the connection");
    }

    @Override
    public String toString() {
        return "client " + number;
    }
}
