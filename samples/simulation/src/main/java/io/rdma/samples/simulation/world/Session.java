package io.rdma.samples.simulation.world;

import io.rdma.engine.ConnectionClosedException;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.types.RemoteMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Work of a client on one connection: it sends and receives streams, uses the server's memory, and closes. */
final class Session {
    private static final long BLOCKED_NANOS = 2_000_000_000;

    private final int number;
    private final ClientProgram client;
    private final Plan.Client plan;
    private final World world;
    private final Verdict verdict;
    private final Link link;
    /** Memory and structures that the server lends to this client. */
    private final CompletableFuture<Lent> lent = new CompletableFuture<>();

    private final CompletableFuture<Void> worked = new CompletableFuture<>();
    private final List<Call<?>> calls = new ArrayList<>();
    private final Received received;
    private boolean closedEarly;
    private boolean cancelled;
    /** Whether the client's stream has failed because a call of the seam did. Completes when the stream has ended. */
    private final CompletableFuture<Boolean> gaveUp = new CompletableFuture<>();

    private boolean serverGaveUp;
    private boolean done;

    Session(int number, ClientProgram client, Link link, World world, Verdict verdict) {
        this.number = number;
        this.client = client;
        this.plan = client.plan();
        this.link = link;
        this.world = world;
        this.verdict = verdict;
        received = new Received(this + " received", world.sessions(), verdict);
    }

    /** Returns the messages of this session, in either direction. */
    Message.Stream messages(int count) {
        return new Message.Stream(number, count, plan.longest(), plan.stream(), plan.elsewhere());
    }

    /** Returns the length of a message. */
    int bytes(int index) {
        return messages(1).bytes(index);
    }

    Plan.Client plan() {
        return plan;
    }

    CompletableFuture<Lent> lent() {
        return lent;
    }

    /** Returns what completes when the client uses the server's memory no more. */
    CompletableFuture<Void> worked() {
        return worked;
    }

    /**
     * Returns whether the server's stream may end in an orderly way although messages are missing. Only a close between
     * two messages, or a cancel, looks so. A close in the midst of a stream must not, and an abort neither. But a
     * stream that has failed, because a call of the seam did, is over before the close.
     *
     * @param arrived number of messages that arrived
     */
    boolean mayLookOrderly(int arrived) {
        return cancelled || gaveUp.getNow(false) || closedEarly && isBetween(arrived);
    }

    /**
     * Does {@link #mayLookOrderly} when the client's stream has ended. The server may get a close that follows the
     * failure of a stream before the client's thread notes the failure.
     */
    boolean mayHaveLookedOrderly(int arrived) {
        return mayLookOrderly(arrived) || gaveUp.join();
    }

    /** Returns whether a close now is between two messages. A stream begins with its first message. */
    private boolean isBetween(int arrived) {
        return !plan.stream() || arrived == 0;
    }

    /**
     * Notes how the server's stream to the client ended. One that failed because a call of the seam did is over before
     * a close, which then looks orderly. One that the end of the connection cut must not look so.
     */
    void serverSent(@Nullable Throwable failure) {
        serverGaveUp = hasSeamFailed(failure, world.isServerStruck());
    }

    private static boolean hasSeamFailed(@Nullable Throwable failure, boolean struck) {
        return struck && failure != null && !(failure instanceof ConnectionClosedException);
    }

    /** Returns whether everything was sent and received. */
    boolean isDone() {
        return done;
    }

    void closeEarly() {
        verdict.note(this + " closes early");
        closedEarly = true;
        link.close();
    }

    void abort() {
        verdict.note(this + " aborts");
        link.abort(new IllegalStateException("the client aborts"));
    }

    /** Returns the number of its calls so far. */
    int calls() {
        return calls.size();
    }

    void cancel(int which) {
        if (!calls.isEmpty()) {
            cancelled = true;
            calls.get(which % calls.size()).cancel();
        }
    }

    <T> Call<T> started(Call<T> call) {
        calls.add(call);
        return call;
    }

    /**
     * Runs the session.
     *
     * @throws ServerProgram.Unfinished if not everything was sent and received
     */
    void run() {
        Call<Void> down = started(link.receive(this + " down", plan.reception(), this::take));
        down.end().whenComplete((value, failure) -> received.ended());
        Call<Void> up = started(link.send(this + " up", messages(plan.up())));
        up.end()
                .whenComplete((value, failure) ->
                        gaveUp.complete(hasSeamFailed(failure, client.host().isStruck())));
        down.end().whenComplete((value, failure) -> lent.complete(Lent.NOTHING)); // the server is gone
        up.end().whenComplete((value, failure) -> {
            if (failure != null && (cancelled || client.host().isStruck())) {
                lent.complete(Lent.NOTHING); // the server may never know of this session
            }
        });
        work(lent.join());
        boolean sent = up.succeeds();
        boolean all = sent && received.awaitAll(plan.down());
        gaveUp.join(); // before the close
        boolean mayBeOpen = !sent && client.host().isStruck();
        if (!mayBeOpen && (!plan.closesFirst() || !all) && !cancelled && !hasThrown()) {
            boolean orderly = down.succeeds();
            verdict.check(
                    !orderly
                            || received.count() == plan.down()
                            || closedEarly
                            || world.isStopped() && (serverGaveUp || isBetween(received.count())),
                    this + ": an orderly end after " + received.count() + " of " + plan.down());
        }
        verdict.note(this + " closes");
        link.close();
        verdict.endsWithin(World.PATIENCE, link.closed(this + " closed"));
        verdict.endsWithin(World.PATIENCE, down); // another thread may be about to deliver the end
        done = all;
        if (!all && !closedEarly) {
            throw new ServerProgram.Unfinished(
                    this + " is not done", link.endpoint().failure());
        }
    }

    private void work(Lent from) {
        Choices choices = new Choices(world.plan().seed() + number);
        RemoteMemory memory = from.memory();
        StructureAdmission admission = from.structures();
        CompletableFuture<Void> structures = admission == null
                ? CompletableFuture.completedFuture(null)
                : new StructureWork(this, client.host(), link, admission, world.plan(), verdict).start(choices.split());
        if (memory != null) {
            new MemoryWork(this, client.host(), link, memory, verdict)
                    .start(plan.memory(), choices)
                    .join();
        }
        structures.join();
        worked.complete(null);
    }

    private boolean hasThrown() {
        return plan.trouble().kind() == Trouble.Kind.THROWS
                && received.count() > plan.trouble().at();
    }

    /** Takes a message, and makes trouble if the plan says so. On the thread that delivers it. */
    private void take(Message message) {
        received.next(message);
        if (message.index() != plan.trouble().at()) {
            return;
        }
        switch (plan.trouble().kind()) {
            case NONE -> {}
            case BLOCKS -> LockSupport.parkNanos(BLOCKED_NANOS);
            case THROWS -> throw new Verdict.ApplicationFailure(this + " throws", null);
            case CLOSES -> closeEarly();
            case ACQUIRES -> link.acquire(this + " re-entrant").end().thenAccept(buffer -> buffer.close());
        }
    }

    @Override
    public String toString() {
        return "session " + number + " of " + client;
    }
}
