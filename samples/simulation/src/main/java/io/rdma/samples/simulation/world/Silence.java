package io.rdma.samples.simulation.world;

/**
 * Silence in a run: the time in which nothing happens. A thread that waits for longer than the time-outs has missed
 * its wake-up, which a probe or a time-out would hide.
 */
final class Silence {
    private static final long UNBOUNDED = Long.MAX_VALUE;
    /** Of an acknowledge time-out of 67 ms. */
    private static final long GRACE_NANOS = 30_000_000;
    /** Time-outs that datagrams which overtake each other may cost, one after the other. */
    private static final int TIMEOUTS = 4;

    private static final long TIMEOUT_UNIT_NANOS = 4096;

    private final long longest;
    private long progressed; // 0 before the first progress

    private Silence(long longest) {
        this.longest = longest;
    }

    /** Returns the silence that a plan allows. It is unbounded if something may fail, wait or be refused. */
    static Silence of(Plan plan) {
        boolean bounded = plan.isCalm()
                && plan.datagrams().isEmpty()
                && plan.clients().stream().noneMatch(client -> client.trouble().kind() == Trouble.Kind.BLOCKS)
                && plan.connecting().clients().stream()
                        .allMatch(terms ->
                                terms.refusedBy(plan.connecting().server()).isEmpty());
        return new Silence(bounded ? GRACE_NANOS + TIMEOUTS * longestTimeout(plan.connecting()) : UNBOUNDED);
    }

    private static long longestTimeout(Connecting connecting) {
        int exponent = connecting.clients().stream()
                .mapToInt(terms -> terms.queues().timeout())
                .reduce(connecting.server().queues().timeout(), Math::max);
        return TIMEOUT_UNIT_NANOS << exponent;
    }

    /**
     * Ends a silence, because something happens.
     *
     * @return its nanoseconds if they are more than the plan allows, else 0
     */
    long end(long now) {
        long silent = progressed == 0 ? 0 : now - progressed;
        progressed = now;
        return silent > longest ? silent : 0;
    }
}
