package io.rdma.buffer;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Races on the state of a message that is lent, and shares its buffer with others. */
public final class MessageRaces {
    private MessageRaces() {}

    private abstract static class Lent {
        private int returns; // plain
        private int kept;
        private final ReceivedMessage message = new ReceivedMessage(place -> returns++, 0);

        /** Lends the message. */
        Lent() {
            message.openShared(MemorySegment.ofArray(new long[1]), 0, Long.BYTES, 0, true);
        }

        ReceivedMessage message() {
            return message;
        }

        /** Ends the lending, as its consumer does before it takes the next message. */
        void takeNext() {
            kept = message.keep() ? 1 : 0;
        }

        void report(II_Result result) {
            result.r1 = kept;
            result.r2 = returns;
        }
    }

    /** The consumer and another thread close a message. The consumer counts it, so it does not give the buffer back. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "closed without notice, so the consumer counts it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "counted twice")
    @State
    public static class CloseMeetsCloseOfConsumer extends Lent {
        @Actor
        public void consumer() {
            message().closeLent();
            takeNext();
        }

        @Actor
        public void other() {
            message().close();
        }

        @Arbiter
        public void look(II_Result result) {
            report(result);
        }
    }

    /** Another thread closes a message while its consumer takes the next one. One of them counts it. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "the consumer counts it")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the close gives the buffer back")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, or counted twice")
    @State
    public static class CloseMeetsNextMessage extends Lent {
        @Actor
        public void consumer() {
            takeNext();
        }

        @Actor
        public void other() {
            message().close();
        }

        @Arbiter
        public void look(II_Result result) {
            report(result);
        }
    }
}
