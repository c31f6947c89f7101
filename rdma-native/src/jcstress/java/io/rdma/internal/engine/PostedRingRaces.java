package io.rdma.internal.engine;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Races between the thread that drains a send queue and the loop that retires its requests. */
public final class PostedRingRaces {
    private PostedRingRaces() {}

    /** A loop that sees a request counted also finds its operation and all earlier writes into it. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "not posted yet")
    @Outcome(id = "5", expect = Expect.ACCEPTABLE, desc = "posted, and whole")
    @Outcome(expect = Expect.FORBIDDEN, desc = "counted before it was there")
    @State
    public static class PostMeetsLoop {
        private final PostedRing ring = new PostedRing(2);
        private final CountedOperation operation = new CountedOperation();

        @Actor
        public void poster() {
            operation.payload = 5;
            ring.put(ring.take(), operation, false);
            ring.posted();
        }

        @Actor
        public void loop(I_Result result) {
            if (ring.inFlight() == 1) {
                Operation seen = ring.at(ring.oldest());
                result.r1 = seen == null ? -1 : ((CountedOperation) seen).payload;
            }
        }
    }

    /** A slot is taken again while the loop retires its operation: neither thread overwrites what the other needs. */
    @JCStressTest
    @Outcome(id = "5, 0, 0", expect = Expect.ACCEPTABLE, desc = "no room yet")
    @Outcome(id = "5, 1, 1", expect = Expect.ACCEPTABLE, desc = "the next one is there")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a result is overwritten, or an operation lost")
    @State
    public static class ReuseMeetsRetire {
        private final PostedRing ring = new PostedRing(1);
        private final CountedOperation first = new CountedOperation().posted();
        private final CountedOperation second = new CountedOperation().posted();
        private int resultMemory = 5; // plain, like the memory of the slot

        /** Posts the first operation. */
        public ReuseMeetsRetire() {
            ring.put(ring.take(), first, true);
            ring.posted();
        }

        @Actor
        public void loop(III_Result result) {
            result.r1 = resultMemory;
            ring.retire(true);
        }

        @Actor
        public void poster(III_Result result) {
            if (ring.inFlight() == 0 && ring.readsInFlight() == 0) {
                resultMemory = 9;
                ring.put(ring.take(), second, true);
                ring.posted();
                result.r2 = 1;
            }
        }

        @Arbiter
        public void look(III_Result result) {
            result.r3 = ring.at(ring.oldest()) == second ? 1 : 0;
        }
    }
}
