package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.schedule.Choices;
import java.util.ArrayList;
import java.util.List;

/**
 * What one socket for datagrams does in a run. All sockets of a run send to each other and to groups.
 *
 * @param host number of its host: 0 is the server, the clients follow
 * @param begin nanoseconds after the beginning at which it is bound
 * @param count number of datagrams that it sends of its own accord
 * @param longest bytes of the longest
 * @param window number of sends that it does not wait for
 * @param pause nanoseconds of the longest pause between two sends
 * @param buffers number of receive buffers
 * @param held number of received datagrams whose buffers it keeps; negative to have them decoded in place
 * @param joins a bit for each group that it joins
 * @param leaves number of datagrams after which it leaves its groups
 * @param answers whether it answers what was sent to it alone
 * @param disposed nanoseconds after its bind at which it is disposed; 0 to dispose it when all have sent
 * @param byResources whether its resources are closed, and it with them
 */
public record DatagramPlan(
        int host,
        long begin,
        int count,
        int longest,
        int window,
        long pause,
        int buffers,
        int held,
        int joins,
        int leaves,
        boolean answers,
        long disposed,
        boolean byResources) {
    static final int GROUPS = 2;
    private static final int MOST_SOCKETS = 4;
    private static final int MOST_DATAGRAMS = 20;
    private static final int LONGEST_DATAGRAM = 1024;
    private static final long LAST_BEGIN = 2_000_000;
    private static final long LAST_DISPOSAL = 4_000_000;
    private static final long LONGEST_PAUSE = 200_000;

    /** Draws the sockets of a run. There are none in most runs. */
    static List<DatagramPlan> draw(Choices choices, int clients) {
        List<DatagramPlan> drawn = new ArrayList<>();
        for (int i = choices.oneIn(3) ? 2 + choices.below(MOST_SOCKETS - 1) : 0; i > 0; i--) {
            int count = choices.below(MOST_DATAGRAMS);
            drawn.add(new DatagramPlan(
                    choices.below(clients + 1),
                    choices.below(LAST_BEGIN),
                    count,
                    Datagram.HEADER + choices.below(LONGEST_DATAGRAM - Datagram.HEADER + 1),
                    1 + choices.below(4),
                    1 + choices.below(LONGEST_PAUSE),
                    choices.oneIn(3) ? 1 + choices.below(4) : 128,
                    choices.below(4) - 1,
                    choices.below(1 << GROUPS),
                    choices.below(2 * MOST_DATAGRAMS),
                    choices.oneIn(2),
                    choices.oneIn(5) ? 1 + choices.below(LAST_DISPOSAL) : 0,
                    choices.oneIn(4)));
        }
        return drawn;
    }

    boolean joins(int group) {
        return (joins >> group & 1) == 1;
    }
}
