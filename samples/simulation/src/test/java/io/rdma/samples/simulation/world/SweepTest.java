package io.rdma.samples.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.samples.simulation.agent.Agent;
import io.rdma.samples.simulation.schedule.Trace;
import io.rdma.samples.simulation.shrink.Plans;
import io.rdma.samples.simulation.story.Failures;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sweeps: a fault before each step of a run. What must hold holds wherever it comes. */
class SweepTest {
    private static final String SHORT = "(seed=1,clients=[(up=1,down=1,longest=20)],connecting=(clients=[USUAL]))";

    @BeforeAll
    static void simulates() {
        assumeTrue(Agent.loaded(), "needs JDK 25");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "CANCEL; " + SHORT,
                "CLOSE; " + SHORT,
                "CANCEL; (seed=2,clients=[(up=1,down=1,longest=900,stream=true,frontEnd=COROUTINES)],"
                        + "frontEnd=UNCONFINED_COROUTINES,connecting=(clients=[USUAL]))"
            })
    void whatMustHoldHoldsWhereverTheFaultComes(Plan.FaultKind kind, String text) {
        new Sweep(Plans.read(text), kind)
                .plans()
                .forEach(plan -> assertThat(World.run(plan, false).verdict().wrong())
                        .as(Failures.command(plan))
                        .isEmpty());
    }

    @Test
    void theFaultComesBeforeEachStep() {
        Plan plan = Plans.read(SHORT);
        World.Run run = World.run(plan, false);
        List<Long> steps = new Sweep(plan, Plan.FaultKind.CLOSE)
                .plans()
                .map(each -> each.faults().getFirst().step())
                .toList();
        assertThat(steps)
                .startsWith(run.begun() + 1)
                .endsWith(run.simulation().scheduler().steps())
                .doesNotHaveDuplicates()
                .isSorted();
    }

    @Test
    void theStepsBeforeTheFaultAreThoseOfTheRunWithoutIt() {
        Plan plan = Plans.read(SHORT);
        List<Plan> swept = new Sweep(plan, Plan.FaultKind.CLOSE).plans().toList();
        Plan middle = swept.get(swept.size() / 2);
        List<String> without = story(plan);
        List<String> with = story(middle);
        int fault = with.indexOf(with.stream()
                .filter(line -> line.contains("fault: "))
                .findFirst()
                .orElseThrow());
        assertThat(fault).isPositive();
        assertThat(with.subList(0, fault)).isEqualTo(without.subList(0, fault));
    }

    /** Returns the story of a run, without the numbers of loops, which go on through the JVM. */
    private static List<String> story(Plan plan) {
        return World.run(plan, Trace.Detail.STORY).simulation().trace().lines().stream()
                .map(line -> line.replaceAll("rdma-loop-soft0-[0-9]+ *", "loop "))
                .toList();
    }
}
