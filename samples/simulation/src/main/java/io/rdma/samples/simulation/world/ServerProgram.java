package io.rdma.samples.simulation.world;

/** Server's side of a connection: receives the client's messages, sends its own, and closes if the plan says so. */
final class ServerProgram {
    private final Link link;
    private final World world;
    private final Verdict verdict;

    ServerProgram(Link link, World world, Verdict verdict) {
        this.link = link;
        this.world = world;
        this.verdict = verdict;
    }

    /** Reason for which the handler fails, so that the connection does not end in an orderly way. */
    static final class Unfinished extends Exception {
        private static final long serialVersionUID = 1;

        Unfinished(String message) {
            super(message);
        }
    }

    /**
     * Serves the connection.
     *
     * @throws Unfinished if not everything was sent
     */
    void serve() throws Unfinished {
        Received received = new Received("server received", world.clients(), verdict);
        Call<Void> up = link.receive("server up", world.plan().reception(), received::next);
        up.end().whenComplete((value, failure) -> received.ended());
        int number = received.client();
        if (number < 0) {
            boolean orderly = up.succeeds();
            verdict.check(
                    !orderly
                            || world.isStopped()
                            || world.clients().stream().anyMatch(client -> client.mayLookOrderly(0)),
                    "an orderly end before the first message");
            throw new Unfinished("the client sent nothing");
        }
        serve(world.clients().get(number), received, up);
    }

    private void serve(ClientProgram client, Received received, Call<Void> up) throws Unfinished {
        Plan.Client plan = client.plan();
        Call<Void> down = link.send("server down to " + client, client.messages(plan.down()));
        boolean sent = down.succeeds();
        boolean all = received.awaitAll(plan.up());
        if (plan.closesFirst() || !all) {
            boolean orderly = up.succeeds();
            verdict.check(
                    !orderly || all || world.isStopped() || client.mayLookOrderly(received.count()),
                    "an orderly end after " + received.count() + " of " + plan.up() + " messages of " + client);
        }
        if (!sent) {
            throw new Unfinished("the client did not get everything");
        }
    }
}
