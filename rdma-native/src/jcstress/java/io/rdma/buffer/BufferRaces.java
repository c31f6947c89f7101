package io.rdma.buffer;

import io.rdma.verbs.ModelVerbs;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Races on the state word of a registered buffer, and on a pool that is empty. */
public final class BufferRaces {
    private BufferRaces() {}

    /** The device ends its use while the owner closes. One of them gives the buffer back and sees both writes. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "given back once, behind both")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, given back twice, or too early")
    @State
    public static class CloseMeetsEndOfUse {
        private int byDevice; // plain
        private int byOwner; // plain
        private int returns; // plain
        private int seen;

        @SuppressWarnings("NullAway")
        private final RegisteredBuffer buffer =
                new RegisteredBuffer(null, MemorySegment.ofArray(new long[1]), this::giveBack);

        /** Borrows the buffer. */
        public CloseMeetsEndOfUse() {
            buffer.beginRead();
        }

        private void giveBack() {
            returns++;
            seen = byDevice + byOwner;
        }

        @Actor
        public void device() {
            byDevice = 1;
            buffer.endRead();
        }

        @Actor
        public void owner() {
            byOwner = 1;
            buffer.close();
        }

        @Arbiter
        public void look(II_Result result) {
            result.r1 = returns;
            result.r2 = seen;
        }
    }

    /** A loop ends the last use in its own count while another thread ends its use and closes. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "given back once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, or given back twice")
    @State
    public static class CloseMeetsEndOfLoopUse {
        private final CountedLease lease = new CountedLease();
        private final RegisteredBuffer buffer = lease.shared();

        /** Borrows the buffer, once for another thread and twice for a loop. */
        public CloseMeetsEndOfLoopUse() {
            buffer.beginRead();
            beginLoopRead(buffer);
            beginLoopRead(buffer);
        }

        @Actor
        public void loop() {
            buffer.endLoopRead();
            buffer.endLoopRead();
        }

        @Actor
        public void thread() {
            buffer.endRead();
            buffer.close();
        }

        @Arbiter
        public void look(I_Result result) {
            result.r1 = lease.returns();
        }
    }

    /** A loop begins and ends a use, the only one then, while the owner closes. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "given back once, whether the use was refused or not")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, given back twice, or given back during the use")
    @State
    public static class CloseMeetsLoopUse {
        private final CountedLease lease = new CountedLease();
        private final RegisteredBuffer buffer = lease.shared();

        /** Makes the buffer the loop's. */
        public CloseMeetsLoopUse() {
            buffer.beginRead();
            beginLoopRead(buffer);
            buffer.endLoopRead();
            buffer.endRead();
        }

        @Actor
        public void loop(I_Result result) {
            try {
                beginLoopRead(buffer);
            } catch (IllegalStateException closed) {
                return;
            }
            if (lease.returns() != 0) {
                result.r1 = 100;
            }
            buffer.endLoopRead();
        }

        @Actor
        public void owner() {
            buffer.close();
        }

        @Arbiter
        public void look(I_Result result) {
            result.r1 += lease.returns();
        }
    }

    private static void beginLoopRead(RegisteredBuffer buffer) {
        if (!buffer.beginLoopRead(BufferRaces.class)) {
            throw new AssertionError("the buffer does not belong to the loop");
        }
    }

    /** Two uses end after the owner has closed the buffer. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "given back once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, or given back twice")
    @State
    public static class TwoUsesEnd {
        private final CountedLease lease = new CountedLease();
        private final RegisteredBuffer buffer = lease.shared();

        /** Borrows the buffer twice and closes it. */
        public TwoUsesEnd() {
            buffer.beginRead();
            buffer.beginRead();
            buffer.close();
        }

        @Actor
        public void first() {
            buffer.endRead();
        }

        @Actor
        public void second() {
            buffer.endRead();
        }

        @Arbiter
        public void look(I_Result result) {
            result.r1 = lease.returns();
        }
    }

    /** A send begins while a read from the peer begins. Exactly one of them gets the memory. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "one of them was refused")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the device writes memory that it reads, or no use got it")
    @State
    public static class SourceMeetsTarget {
        private final RegisteredBuffer buffer = new CountedLease().shared();

        @Actor
        public void source(II_Result result) {
            try {
                buffer.beginRead();
                result.r1 = 1;
            } catch (IllegalStateException refused) {
                result.r1 = 0;
            }
        }

        @Actor
        public void target(II_Result result) {
            try {
                buffer.beginWrite();
                result.r2 = 1;
            } catch (IllegalStateException refused) {
                result.r2 = 0;
            }
        }
    }

    /**
     * The last buffer of a pool comes back while a waiter arrives. The waiter sees what the previous owner left in it.
     */
    @JCStressTest
    @Outcome(id = "1, 5", expect = Expect.ACCEPTABLE, desc = "the waiter has the buffer")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the waiter waits for ever, or sees an old value")
    @State
    public static class ReturnMeetsWaiter {
        private final BufferPool pool =
                new BufferPool(new ModelVerbs().context().allocateProtectionDomain(), 1, 8);
        private final RegisteredBuffer lent = java.util.Objects.requireNonNull(pool.tryAcquireExclusive());
        private int acquired;
        private int limit;

        @Actor
        public void owner() {
            lent.limit(5);
            lent.close();
        }

        @Actor
        public void waiter() {
            pool.acquire(new BufferWaiter(false) {
                @Override
                public void acquired(RegisteredBuffer buffer) {
                    acquired++;
                    limit = lent.limit(); // plain: handed over by the pool
                    buffer.close();
                }

                @Override
                public void failed(RuntimeException error) {
                    acquired = -1;
                }
            });
        }

        @Arbiter
        public void look(II_Result result) {
            result.r1 = acquired;
            result.r2 = limit;
            pool.close();
        }
    }
}
