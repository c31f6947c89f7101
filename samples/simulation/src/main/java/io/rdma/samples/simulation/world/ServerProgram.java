package io.rdma.samples.simulation.world;

import io.rdma.engine.BoundWindow;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Server's side of a connection: receives the client's messages, sends its own, and closes if the plan says so. */
final class ServerProgram {
    private static final AccessFlag[] RIGHTS_OF_PEERS = {
        AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC
    };
    private static final AccessFlag[] RIGHTS = {
        AccessFlag.LOCAL_WRITE,
        AccessFlag.REMOTE_READ,
        AccessFlag.REMOTE_WRITE,
        AccessFlag.REMOTE_ATOMIC,
        AccessFlag.MW_BIND
    };
    private static final Duration LONG = Duration.ofMinutes(5);

    private final Link link;
    private final World world;
    private final Verdict verdict;

    ServerProgram(Link link, World world, Verdict verdict) {
        this.link = link;
        this.world = world;
        this.verdict = verdict;
    }

    /** Reason for which the handler fails, so that the connection does not end in an orderly way. */
    static final class Unfinished extends Verdict.ApplicationFailure {
        private static final long serialVersionUID = 1;

        Unfinished(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Serves the connection.
     *
     * @throws Unfinished if not everything was sent
     */
    void serve() {
        Received received = new Received("server received", world.sessions(), verdict);
        Call<Void> up = link.receive("server up", world.plan().reception(), received::next);
        up.end().whenComplete((value, failure) -> received.ended());
        int number = received.session();
        if (number < 0) {
            boolean orderly = up.succeeds();
            verdict.check(
                    !orderly
                            || world.isStopped()
                            || world.hasGivenUp()
                            || world.sessions().stream().anyMatch(session -> session.mayLookOrderly(0)),
                    "an orderly end before the first message");
            throw new Unfinished("the client sent nothing", null);
        }
        serve(world.sessions().get(number), received, up);
    }

    private void serve(Session session, Received received, Call<Void> up) {
        Plan.Client plan = session.plan();
        Call<Void> down = link.send("server down to " + session, session.messages(plan.down()));
        down.end().whenComplete((value, failure) -> session.serverSent(failure));
        lend(session);
        CompletableFuture.anyOf(session.worked(), up.end())
                .handle((value, failure) -> null)
                .join();
        boolean sent = down.succeeds();
        if (!sent && world.isServerStruck()) { // the connection may be open
            throw new Unfinished("the client will not get everything", null);
        }
        boolean all = received.awaitAll(plan.up());
        if (plan.closesFirst() || !all) {
            boolean orderly = up.succeeds();
            verdict.check(
                    !orderly || all || world.isStopped() || session.mayHaveLookedOrderly(received.count()),
                    "an orderly end after " + received.count() + " of " + plan.up() + " messages of " + session);
        }
        if (!sent) {
            throw new Unfinished("the client did not get everything", null);
        }
    }

    /** Lends memory and structures to the client, if it wants any and the connection has not ended. */
    private void lend(Session session) {
        session.lent().complete(new Lent(memory(session), world.admit(session, link)));
    }

    private @Nullable RemoteMemory memory(Session session) {
        MemoryPlan wanted = session.plan().memory();
        RemoteMemory lent = null;
        if (wanted.operations() > 0) {
            long bytes = MemoryWork.COUNTER + (long) wanted.threads() * MemoryWork.LANE;
            Call<MemoryRegion> allocating = link.allocate("server memory", bytes, RIGHTS);
            if (allocating.succeeds()) {
                lent = right(wanted.right(), allocating.end().join());
            }
        }
        return lent;
    }

    private @Nullable RemoteMemory right(MemoryPlan.Right right, MemoryRegion memory) {
        return switch (right) {
            case REGION -> memory.remote();
            case GRANT -> {
                Call<MemoryRegion> granting =
                        link.grant("server grant", memory, 0, memory.length(), LONG, RIGHTS_OF_PEERS);
                yield granting.succeeds() ? granting.end().join().remote() : null;
            }
            case WINDOW -> {
                Call<BoundWindow> binding = link.bind("server window", memory, 0, memory.length(), RIGHTS_OF_PEERS);
                yield binding.succeeds() ? binding.end().join().remote() : null;
            }
        };
    }
}
