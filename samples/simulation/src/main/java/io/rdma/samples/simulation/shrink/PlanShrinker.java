package io.rdma.samples.simulation.shrink;

import io.rdma.samples.simulation.world.Plan;
import io.rdma.samples.simulation.world.World;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Search for a smaller plan with the same failure. A smaller plan has other schedules, so each candidate is run with
 * several seeds.
 */
public final class PlanShrinker {
    private final String kind;
    private final Budget budget;
    private final Set<Plan> tried = new HashSet<>();

    private PlanShrinker(String kind, Budget budget) {
        this.kind = kind;
        this.budget = budget;
    }

    /** Returns what a failure is, apart from its numbers: the first line of the first thing that was wrong. */
    public static String kind(List<String> wrong) {
        return kind(wrong.getFirst());
    }

    private static String kind(String wrong) {
        return wrong.lines().findFirst().orElse("").replaceAll("[0-9]+", "0");
    }

    /**
     * Returns the smallest plan that was found.
     *
     * @param wrong what was wrong in the plan's run
     */
    public static Plan shrink(Plan failing, List<String> wrong, Budget budget) {
        return Shrinker.shrink(failing, new PlanShrinker(kind(wrong), budget)::failing, budget);
    }

    private @Nullable Plan failing(Plan candidate, int attempts) {
        for (int i = 0; i < attempts; i++) {
            Plan scheduled = i == 0 ? candidate : Plans.scheduled(candidate, i);
            if (tried.add(scheduled) && budget.take() && fails(scheduled)) {
                return scheduled;
            }
        }
        return null;
    }

    private boolean fails(Plan plan) {
        try {
            return World.run(plan, false).verdict().wrong().stream()
                    .anyMatch(wrong -> kind(wrong).equals(kind));
        } catch (RuntimeException | AssertionError e) {
            return false; // the plan cannot be run, because a field names what is no longer there
        }
    }
}
