package io.rdma.internal.engine;

import io.rdma.buffer.CountedLease;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Races between the threads that end operations and those that abandon them. */
public final class OperationRaces {
    private OperationRaces() {}

    private static int toInt(boolean value) {
        return value ? 1 : 0;
    }

    /** The loop ends several operations behind one fence while another thread abandons them. Each ends once. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 1, 0", "0, 1, 0, 1", "1, 0, 0, 1", "0, 1, 1, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "each was completed or abandoned")
    @Outcome(expect = Expect.FORBIDDEN, desc = "one ended twice, or never")
    @State
    public static class AbandonMeetsBatch {
        private final PostedRing ring = new PostedRing(2);
        private final CountedOperation first = new CountedOperation().posted();
        private final CountedOperation second = new CountedOperation().posted();

        /** Posts both operations. */
        public AbandonMeetsBatch() {
            ring.put(ring.take(), first, true);
            ring.put(ring.take(), second, true);
            ring.posted();
        }

        @Actor
        public void loop() {
            ring.endingUpTo(1);
            ring.retire(true);
            first.complete(0);
            ring.retire(true);
            second.complete(0);
        }

        @Actor
        public void canceller(IIII_Result result) {
            result.r4 = toInt(second.abandon());
            result.r2 = toInt(first.abandon());
        }

        @Arbiter
        public void look(IIII_Result result) {
            result.r1 = first.ends;
            result.r3 = second.ends;
        }
    }

    /** An operation is queued for its post while it is abandoned. Its buffer goes back once, whichever thread wins. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 1", "0, 1, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "it was posted, or abandoned")
    @Outcome(expect = Expect.FORBIDDEN, desc = "it ended twice, or never, or its buffer did")
    @State
    public static class AbandonMeetsSubmit {
        private final CountedLease lease = new CountedLease();
        private final CountedOperation operation = new CountedOperation(WorkRequest.send(lease.exclusive(), true));

        @Actor
        public void submitter() {
            operation.fixLength();
            if (!operation.borrow(null)) {
                return;
            }
            if (!operation.markQueued()) {
                operation.releaseUnposted();
            } else if (operation.markPosted()) {
                operation.endAlone();
            }
        }

        @Actor
        public void canceller(III_Result result) {
            result.r2 = toInt(operation.abandonSubmitted());
        }

        @Arbiter
        public void look(III_Result result) {
            result.r1 = operation.ends;
            result.r3 = lease.returns();
        }
    }

    /** The same race for an operation that the loop posts itself, and whose buffer others may use too. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 1", "0, 1, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "it was posted, or abandoned")
    @Outcome(expect = Expect.FORBIDDEN, desc = "it ended twice, or never, or its buffer did")
    @State
    public static class AbandonMeetsPostAtOnce {
        private final CountedLease lease = new CountedLease();
        private final CountedOperation operation = new CountedOperation(WorkRequest.send(lease.shared(), true));

        @Actor
        public void loop() {
            operation.fixLength();
            if (!operation.borrow(null)) {
                return;
            }
            if (operation.markPostedAtOnce()) {
                operation.endAlone();
            } else {
                operation.releaseUnposted();
            }
        }

        @Actor
        public void canceller(III_Result result) {
            result.r2 = toInt(operation.abandon());
        }

        @Arbiter
        public void look(III_Result result) {
            result.r1 = operation.ends;
            result.r3 = lease.returns();
        }
    }

    /** One thread abandons a waiting operation that the poster ends: one of the two wins. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "one of them ended it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "it ended twice, or never")
    @State
    public static class AbandonMeetsEndOfWaiting {
        private final CountedLease lease = new CountedLease();
        private final CountedOperation operation = new CountedOperation(WorkRequest.send(lease.exclusive(), true));
        private int abandoned;

        /** Queues the operation for its post. */
        public AbandonMeetsEndOfWaiting() {
            operation.fixLength();
            operation.markQueued();
        }

        @Actor
        public void poster() {
            if (operation.tryEndWaiting()) { // as at the end of a connection
                operation.fail(new IllegalStateException("closed"));
            }
        }

        @Actor
        public void canceller() {
            abandoned = toInt(operation.abandonSubmitted());
        }

        @Arbiter
        public void look(II_Result result) {
            result.r1 = operation.ends + abandoned;
            result.r2 = lease.returns();
        }
    }
}
