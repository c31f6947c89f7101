package io.rdma.internal.engine;

import io.rdma.buffer.CountedLease;
import io.rdma.internal.loop.LoopCounts;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

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

    /**
     * A message is posted, and the peer announces its receive again once it has it. The device orders the two as an ARM
     * processor and its driver do: stores before the doorbell, reads behind the poll.
     */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the peer does not have the message yet")
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the announcement is possible")
    @Outcome(
            id = "-1",
            expect = Expect.FORBIDDEN,
            desc = "the announcement seems impossible, which ends the connection")
    @State
    public static class MessageMeetsItsReceive {
        private final Credits credits = new Credits(true, 4, 1, false);
        private final Wire wire = new Wire();

        @Actor
        public void poster() {
            credits.consume();
            wire.post();
        }

        @Actor
        public void loop(I_Result result) {
            if (wire.poll()) {
                result.r1 = credits.granted(2, Credits.CONTROL_RECEIVES) ? 1 : -1;
            }
        }
    }

    /** Receives are announced, and the peer uses one. Ordered as in {@link MessageMeetsItsReceive}. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the peer does not know of the receives yet")
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the peer had a credit")
    @Outcome(
            id = "-1",
            expect = Expect.FORBIDDEN,
            desc = "the peer seems to have had no credit, which ends the connection")
    @State
    public static class AnnouncementMeetsItsUse {
        private final Credits credits = new Credits(true, 1, 4, false);
        private final Wire wire = new Wire();

        /** Uses up the credits of the peer, and posts a receive for each again. */
        public AnnouncementMeetsItsUse() {
            credits.receive();
            for (int i = 0; i < Credits.CONTROL_RECEIVES; i++) {
                credits.receiveControl();
            }
            credits.reposted(1, Credits.CONTROL_RECEIVES);
        }

        @Actor
        public void poster() {
            credits.announce();
            credits.announceControl();
            wire.post();
        }

        @Actor
        public void loop(I_Result result) {
            if (wire.poll()) {
                result.r1 = credits.mayReceive() && credits.receiveControl() ? 1 : -1;
            }
        }
    }

    /**
     * A receive is posted again while the last message that the peer may send arrives, whose consumer runs on the loop:
     * behind the fence of {@link ReceiveQueue#dispatched}.
     */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1", "1, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "one of the threads announces the receive")
    @Outcome(expect = Expect.FORBIDDEN, desc = "no thread announces the receive: the peer waits for ever")
    @State
    public static class RepostMeetsLastMessage {
        private static final int WINDOW = 16;

        private final Credits credits = new Credits(true, WINDOW, WINDOW, false);

        /** Receives all messages but the last. */
        public RepostMeetsLastMessage() {
            for (int i = 1; i < WINDOW; i++) {
                credits.receive();
            }
        }

        @Actor
        public void loop(II_Result result) {
            credits.receive();
            VarHandle.fullFence();
            result.r1 = toInt(credits.isDue(true));
        }

        @Actor
        public void repost(II_Result result) {
            credits.reposted(1, 0);
            result.r2 = toInt(credits.isDue(true));
        }
    }

    /** The order that a device keeps, and no other. */
    private static final class Wire {
        private static final VarHandle POSTED;

        static {
            try {
                POSTED = MethodHandles.lookup().findVarHandle(Wire.class, "posted", boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private boolean posted;

        void post() {
            VarHandle.storeStoreFence();
            POSTED.setOpaque(this, true);
        }

        boolean poll() {
            boolean seen = (boolean) POSTED.getOpaque(this);
            VarHandle.loadLoadFence();
            return seen;
        }
    }
}
