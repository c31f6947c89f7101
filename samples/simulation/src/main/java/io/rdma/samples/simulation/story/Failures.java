package io.rdma.samples.simulation.story;

import io.rdma.samples.simulation.schedule.Trace;
import io.rdma.samples.simulation.shrink.Budget;
import io.rdma.samples.simulation.shrink.PlanShrinker;
import io.rdma.samples.simulation.shrink.Plans;
import io.rdma.samples.simulation.world.Plan;
import io.rdma.samples.simulation.world.World;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/**
 * Report of the runs that fail. Of each kind of failure a smaller plan is searched for once, and its story is told. A
 * run that was told already shows its failure, so nothing is searched for.
 */
public final class Failures {
    private static final String COMMAND =
            "./mvnw -q -pl samples/simulation -am process-classes exec:exec@simulate '-Dsimulate=%s --tell'";
    private static final int MOST_RUNS = 5_000;
    private static final int LINES = 80;
    private static final int MOST_PRINTED = 6;

    @Option(
            names = "--shrink-seconds",
            description = "time to search for a smaller plan of each kind of failure; 0 for no search"
                    + " (default: ${DEFAULT-VALUE})")
    private long shrinkSeconds = 20;

    private final Map<String, Failure> kinds = new LinkedHashMap<>();

    private record Failure(Plan plan, List<String> wrong) {}

    /** Returns the command that shows a plan's run again. */
    public static String command(Plan plan) {
        return COMMAND.formatted(
                plan.equals(Plan.of(plan.seed()))
                        ? "--seed=" + plan.seed() + " --runs=1"
                        : "--plan=" + Plans.write(plan));
    }

    /** Prints what was wrong, and how to see it. */
    public void report(Plan plan, World.Run run) {
        List<String> wrong = run.verdict().wrong();
        System.out.println("seed " + plan.seed() + " FAILED:");
        print(wrong);
        System.out.println("  to see it: " + command(plan));
        if (!run.simulation().trace().isTold()) {
            kinds.putIfAbsent(PlanShrinker.kind(wrong), new Failure(plan, wrong));
        }
    }

    /** Searches for smaller plans, and prints those that were found, and their stories. */
    public void shrink() {
        if (shrinkSeconds > 0) {
            kinds.values().forEach(failure -> shrink(failure.plan, failure.wrong));
        }
    }

    private void shrink(Plan plan, List<String> wrong) {
        Budget budget = new Budget(MOST_RUNS, TimeUnit.SECONDS.toNanos(shrinkSeconds));
        Plan smaller = PlanShrinker.shrink(plan, wrong, budget);
        if (smaller.equals(plan)) {
            System.out.println("seed " + plan.seed() + ": no smaller plan in " + budget.taken() + " runs");
            return;
        }
        World.Run run = World.run(smaller, Trace.Detail.STORY);
        System.out.println("seed " + plan.seed() + ", a smaller plan, found in " + budget.taken() + " runs:");
        System.out.println("    " + Plans.write(smaller));
        print(run.verdict().wrong().stream().map(Failures::firstLine).toList());
        System.out.println("  to see it: " + command(smaller));
        List<String> story = run.simulation().trace().lines();
        int left = Math.max(0, story.size() - LINES);
        System.out.println(left == 0 ? "  its story:" : "  its story, without the first " + left + " lines:");
        story.subList(left, story.size()).forEach(line -> System.out.println("  " + line));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    private static void print(List<String> wrong) {
        wrong.stream().limit(MOST_PRINTED).forEach(each -> System.out.println("  " + each.replace("\n", "\n  ")));
        if (wrong.size() > MOST_PRINTED) {
            System.out.println("  and " + (wrong.size() - MOST_PRINTED) + " more");
        }
    }
}
