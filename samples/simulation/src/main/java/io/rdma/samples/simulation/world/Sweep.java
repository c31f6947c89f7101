package io.rdma.samples.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Plans with one fault more than a given one: one for each step of its run before which the fault can happen. Up to
 * the fault each run takes the same steps, so the fault comes at every point of that run.
 *
 * @param plan plan without the fault
 * @param kind what happens
 */
public record Sweep(Plan plan, Plan.FaultKind kind) {
    /** Returns the plans, in the order of the steps. The plan is run once for their number. */
    public Stream<Plan> plans() {
        World.Run run = World.run(plan, false);
        long last = run.simulation().scheduler().steps();
        return LongStream.rangeClosed(run.begun() + 1, last)
                .boxed()
                .flatMap(step -> faults(step, run.calls()))
                .map(this::with);
    }

    /** Returns the faults before a step: for each client, and for each of its calls if one is cancelled. */
    private Stream<Plan.Fault> faults(long step, int calls) {
        int targets = kind == Plan.FaultKind.STOP ? 1 : plan.clients().size();
        int which = kind == Plan.FaultKind.CANCEL ? Math.clamp(calls, 1, Faults.CALLS) : 1;
        return IntStream.range(0, targets)
                .boxed()
                .flatMap(target -> IntStream.rangeClosed(1, which)
                        .mapToObj(lasts -> new Plan.Fault(kind, 0, target, lasts, step)));
    }

    private Plan with(Plan.Fault fault) {
        List<Plan.Fault> faults = new ArrayList<>(plan.faults());
        faults.add(fault);
        return plan.with(faults);
    }
}
