package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.network.Weather;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.samples.simulation.schedule.Simulation.Pauses;
import java.util.ArrayList;
import java.util.List;

/** Plans of short runs: two hosts, about a hundred small messages, up to ten faults. */
public final class ShortPlan {
    private static final int FEWEST_MESSAGES = 40;
    private static final int MOST_MESSAGES = 60;
    private static final int LONGEST_MESSAGE = 16;
    private static final int MOST_FAULTS = 10;
    private static final long LAST_FAULT = 1_000_000;
    private static final long LONGEST_FAULT = 1_000_000;
    /** One fault in this number is of any kind. The others are of the wire, which a connection may survive. */
    private static final int ANY_KIND = 10;

    private ShortPlan() {}

    /** Returns the plan of a seed. */
    public static Plan of(long seed) {
        Choices choices = new Choices(seed);
        Plan.Client client = Plan.Client.ofStreams(
                messages(choices),
                messages(choices),
                1 + choices.below(LONGEST_MESSAGE),
                choices.oneIn(2),
                choices.oneIn(2));
        List<Plan.Fault> faults = new ArrayList<>();
        for (int i = choices.below(MOST_FAULTS + 1); i > 0; i--) {
            faults.add(Plan.Fault.at(kind(choices), choices.below(LAST_FAULT), 0, 1 + choices.below(LONGEST_FAULT)));
        }
        return Plan.ofStreams(
                seed, List.of(client), Weather.FINE, faults, choices.oneIn(4) ? Pauses.NONE : Pauses.USUAL);
    }

    private static int messages(Choices choices) {
        return FEWEST_MESSAGES + choices.below(MOST_MESSAGES - FEWEST_MESSAGES + 1);
    }

    private static Plan.FaultKind kind(Choices choices) {
        if (choices.oneIn(ANY_KIND)) {
            return Plan.FaultKind.values()[choices.below(Plan.FaultKind.values().length)];
        }
        return choices.oneIn(2) ? Plan.FaultKind.CUT : Plan.FaultKind.STORM;
    }
}
