package io.rdma.samples.simulation.story;

import io.rdma.samples.simulation.world.Plan;
import org.jspecify.annotations.Nullable;

/** The run that is under way. Names its seed if the process is ended meanwhile, for instance because it never ends. */
public final class RunUnderWay {
    private volatile @Nullable Plan plan;

    /** Begins to watch for the end of the process. */
    public RunUnderWay() {
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::tell));
    }

    /**
     * Notes the beginning of a run.
     *
     * @param of plan of the run
     */
    public void begins(Plan of) {
        plan = of;
    }

    /** Notes that no run is under way. */
    public void over() {
        plan = null;
    }

    private void tell() {
        Plan last = plan;
        if (last != null) {
            System.out.println("ended in the midst of seed " + last.seed());
        }
    }
}
