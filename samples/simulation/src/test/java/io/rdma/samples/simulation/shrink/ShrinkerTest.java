package io.rdma.samples.simulation.shrink;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.samples.simulation.shrink.Sample.Colour;
import io.rdma.samples.simulation.shrink.Sample.Limit;
import io.rdma.samples.simulation.shrink.Sample.Part;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The search for a smaller record finds the least one that fails. */
class ShrinkerTest {
    private final Budget budget = new Budget(2000, TimeUnit.SECONDS.toNanos(60));

    private Sample shrink(Predicate<Sample> fails) {
        return Shrinker.shrink(
                Sample.large(),
                (candidate, attempts) -> budget.take() && fails.test(candidate) ? candidate : null,
                budget);
    }

    @Test
    void whatAlwaysFailsBecomesTheLeastThatTheConstructorAllows() {
        assertThat(shrink(sample -> true)).isEqualTo(new Sample(1, 0, false, Colour.RED, "", List.of(), null));
        assertThat(budget.taken()).isLessThan(40);
    }

    @Test
    void onlyWhatTheFailureNeedsIsLeft() {
        assertThat(shrink(sample -> sample.on()
                        && sample.count() >= 10
                        && sample.spare() != null
                        && sample.parts().stream().anyMatch(part -> part.weight() > 75)))
                .isEqualTo(new Sample(
                        10, 0, true, Colour.RED, "", List.of(new Part(76, Limit.NARROW)), new Part(0, Limit.NARROW)));
    }

    @Test
    void whatFailsInSomeOrdersOnlyIsTriedInMore() {
        Sample smallest = Shrinker.shrink(
                Sample.large(), (candidate, attempts) -> attempts > 8 && budget.take() ? candidate : null, budget);
        assertThat(smallest.parts()).isEmpty();
    }

    @Test
    void theBudgetEndsTheSearch() {
        Budget small = new Budget(3, TimeUnit.SECONDS.toNanos(60));
        Shrinker.shrink(Sample.large(), (candidate, attempts) -> small.take() ? candidate : null, small);
        assertThat(small.taken()).isEqualTo(3);
    }

    @Test
    void failuresOfOneKindDifferInNumbersOnly() {
        assertThat(PlanShrinker.kind(List.of("client 1: message 2 in place of 3\n at a place", "and more")))
                .isEqualTo(PlanShrinker.kind(List.of("client 0: message 12 in place of 4")))
                .isNotEqualTo(PlanShrinker.kind(List.of("client 0: cut off")));
    }
}
