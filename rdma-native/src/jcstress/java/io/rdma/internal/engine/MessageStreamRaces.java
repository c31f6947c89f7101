package io.rdma.internal.engine;

import io.rdma.buffer.CountedLease;
import io.rdma.buffer.RegisteredBuffer;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Races between the thread that sends the messages of a stream and the thread that ends the stream. */
public final class MessageStreamRaces {
    private MessageStreamRaces() {}

    /** A stream on a connection that has no room, so that submitted operations wait. */
    private static final class BlockedStream extends MessageStream {
        private final List<Operation> queued = new ArrayList<>();
        private volatile Operation waiting;

        private BlockedStream(BlockedStream[] self) {
            super(operation -> self[0].submitted(operation), 2);
            self[0] = this;
        }

        static BlockedStream make() {
            return new BlockedStream(new BlockedStream[1]);
        }

        private void submitted(Operation operation) {
            operation.fixLength();
            if (!operation.borrow(null)) {
                return;
            }
            if (operation.markQueued()) {
                waiting = operation;
                queued.add(operation);
            } else {
                operation.releaseUnposted();
            }
        }

        /** Completes the waiting operation, as if it were posted and polled. */
        void deliver() {
            if (waiting.markPosted()) {
                waiting.ending();
                java.lang.invoke.VarHandle.fullFence();
                waiting.complete(0);
            }
        }

        /** Returns whether an operation waits that was not abandoned. */
        boolean isLost() {
            return waiting != null && waiting.markPosted();
        }

        @Override
        protected void sent(int messages) {}

        @Override
        protected void failed(RuntimeException error) {}
    }

    /** The stream ends while its first message is submitted. The message is abandoned; its buffer goes back once. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "abandoned")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message of a stream that has ended waits, or its buffer is lost")
    @State
    public static class EndMeetsFirstMessage {
        private final CountedLease lease = new CountedLease();
        private final RegisteredBuffer buffer = lease.exclusive();
        private final BlockedStream stream = BlockedStream.make();

        @Actor
        public void sender() {
            stream.send(buffer);
        }

        @Actor
        public void canceller() {
            stream.abandonAll();
        }

        @Arbiter
        public void look(II_Result result) {
            result.r1 = stream.isLost() ? 1 : 0;
            result.r2 = lease.returns();
        }
    }

    /** The same race, with a buffer whose operation was used before. */
    @JCStressTest
    @Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "abandoned")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a message of a stream that has ended waits, or its buffer is lost")
    @State
    public static class EndMeetsLaterMessage {
        private final CountedLease lease = new CountedLease();
        private final RegisteredBuffer buffer = lease.exclusive();
        private final BlockedStream stream = BlockedStream.make();

        /** Sends a message in the buffer. */
        public EndMeetsLaterMessage() {
            stream.send(buffer);
            stream.deliver();
        }

        @Actor
        public void sender() {
            stream.send(buffer);
        }

        @Actor
        public void canceller() {
            stream.abandonAll();
        }

        @Arbiter
        public void look(II_Result result) {
            result.r1 = stream.isLost() ? 1 : 0;
            result.r2 = lease.returns();
        }
    }

    /**
     * The stream ends while its two messages are posted. The peer may get both, or the first: never the second alone.
     */
    @JCStressTest
    @Outcome(
            id = {"11, 2", "10, 2", "0, 2"},
            expect = Expect.ACCEPTABLE,
            desc = "both, the first, or none")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a gap, or a buffer is lost")
    @State
    public static class EndMeetsPost {
        private final CountedLease lease = new CountedLease();
        private final BlockedStream stream = BlockedStream.make();

        /** Sends two messages, which wait. */
        public EndMeetsPost() {
            stream.send(lease.exclusive(0));
            stream.send(lease.exclusive(1));
        }

        @Actor
        public void poster(II_Result result) {
            for (Operation operation : stream.queued) {
                result.r1 = result.r1 * 10 + (operation.markPosted() ? 1 : 0);
            }
        }

        @Actor
        public void canceller() {
            stream.abandonAll();
        }

        @Arbiter
        public void look(II_Result result) {
            result.r2 = lease.returns() + result.r1 / 10 + result.r1 % 10; // a posted one is given back at its end
        }
    }
}
