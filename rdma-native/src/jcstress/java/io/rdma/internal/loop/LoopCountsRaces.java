package io.rdma.internal.loop;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Races of the counts of a loop. */
public final class LoopCountsRaces {
    private LoopCountsRaces() {}

    /** The driver of the loop and another thread post at the same time: none of the requests is lost. */
    @JCStressTest
    @Outcome(id = "3, 2", expect = Expect.ACCEPTABLE, desc = "all are counted")
    @Outcome(expect = Expect.FORBIDDEN, desc = "some are lost")
    @State
    public static class PostersMeet {
        private final LoopCounts counts = new LoopCounts();

        @Actor
        public void driver() {
            counts.drivenBy(Thread.currentThread());
            counts.posted(1, 1);
        }

        @Actor
        public void poster() {
            counts.posted(2, 1);
        }

        @Arbiter
        public void sum(JJ_Result result) {
            result.r1 = counts.posted();
            result.r2 = counts.doorbells();
        }
    }
}
