package io.rdma.internal.engine;

import io.rdma.buffer.CountedLease;
import io.rdma.internal.loop.LoopCounts;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Races of flow control. Of two threads that each write and then read, at least one sees the write of the other. */
public final class CreditsRaces {
    private static final LoopCounts COUNTERS = new LoopCounts();
    private static final WorkRequest MESSAGE = WorkRequest.send(new CountedLease().shared(), true);

    private CreditsRaces() {}

    private static int toInt(boolean value) {
        return value ? 1 : 0;
    }

    /** Credits arrive while a message finds none. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1", "1, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "the message is posted, or the loop sees that it waits")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message waits for credits that are there")
    @State
    public static class GrantMeetsBlockedMessage {
        private final Credits credits = new Credits(true, 4, 1, false);
        private final Backlog backlog = new Backlog(credits, COUNTERS);

        /** Uses up the only credit, and lets another message wait. */
        public GrantMeetsBlockedMessage() {
            credits.consume();
            backlog.add(new CountedOperation(MESSAGE));
        }

        @Actor
        public void poster(II_Result result) {
            result.r1 = toInt(backlog.next(true) != null);
        }

        @Actor
        public void loop(II_Result result) {
            credits.granted(2, Credits.CONTROL_RECEIVES);
            result.r2 = toInt(backlog.isBlocked());
        }
    }

    /** Receives are posted again while the peer allows a control frame again. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1", "1, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "one of the threads announces the receives")
    @Outcome(expect = Expect.FORBIDDEN, desc = "no thread announces the receives: the peer waits for ever")
    @State
    public static class RepostMeetsControlCredit {
        private final Credits credits = new Credits(true, 4, 4, false);

        /** Sends every control frame that the peer can take. */
        public RepostMeetsControlCredit() {
            for (int i = 0; i < Credits.CONTROL_RECEIVES; i++) {
                credits.consumeControl();
            }
        }

        @Actor
        public void repost(II_Result result) {
            credits.reposted(4, 0);
            result.r1 = toInt(credits.isDue(false));
        }

        @Actor
        public void loop(II_Result result) {
            credits.granted(4, 2 * Credits.CONTROL_RECEIVES);
            result.r2 = toInt(credits.isDue(false));
        }
    }
}
