package io.rdma.samples.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Models of counters, locks and rings: each accepts right histories, and says what is wrong with a broken one. */
class StructureModelsTest {
    private static final long LEASE = 1_000_000;

    private final List<String> wrong = new ArrayList<>();

    private void assertRight() {
        assertThat(wrong).isEmpty();
    }

    private void assertWrong(String what) {
        assertThat(wrong).anySatisfy(each -> assertThat(each).contains(what));
    }

    @Nested
    class OfCounters {
        private final CounterModel model = new CounterModel("counter", wrong::add);

        private void add(long addend, long value) {
            model.added(model.begins(addend), addend, value);
        }

        @Test
        void anAdditionOfUnknownOutcomeMayHaveHappened() {
            add(2, 2);
            model.begins(3);
            add(0, 2);
            add(1, 6);
            model.is(6);
            assertRight();
        }

        @Test
        void aLostAdditionIsWrong() {
            add(2, 2);
            add(1, 1);
            assertWrong("found 0 after 2");
        }

        @Test
        void anAdditionTwiceIsWrong() {
            add(2, 4);
            assertWrong("is 4, more than the 2");
        }

        @Test
        void twoAdditionsFromOneValueAreWrong() {
            long least = model.begins(2);
            long other = model.begins(3);
            model.added(least, 2, 2);
            model.added(other, 3, 4);
            assertWrong("two additions");
        }

        @Test
        void aSumThatShrinksOrGrowsAtTheEndIsWrong() {
            add(2, 2);
            model.is(1);
            assertWrong("is 1 at the end");
            model.is(3);
            assertWrong("is 3 at the end");
        }
    }

    @Nested
    class OfLocks {
        private final LockModel model = new LockModel("lock", LEASE, wrong::add);

        private LockModel.Acquisition acquire(long token, long now) {
            LockModel.Acquisition acquisition = model.begins(now);
            model.acquired(acquisition, token, now);
            return acquisition;
        }

        private void release(LockModel.Acquisition acquisition, boolean held) {
            long before = model.largest();
            model.releases(acquisition);
            model.released(acquisition, before, held);
        }

        @Test
        void holdersInTurnAreRight() {
            LockModel.Acquisition first = acquire(1, 0);
            LockModel.Acquisition other = model.begins(1);
            model.isHeldByOther(other);
            model.isHeld(first, model.largest());
            model.renewed(first, model.largest(), 5, true);
            release(first, true);
            LockModel.Acquisition second = acquire(2, 10);
            acquire(3, 10 + LEASE);
            release(second, false);
            model.is(3);
            assertRight();
        }

        @Test
        void aTokenTwiceIsWrong() {
            LockModel.Acquisition other = model.begins(0);
            acquire(1, 0);
            model.acquired(other, 1, 2 * LEASE);
            assertWrong("two have token 1");
        }

        @Test
        void aTokenThatShrinksIsWrong() {
            model.begins(0);
            release(acquire(2, 0), true);
            acquire(1, 0);
            assertWrong("token 1 after token 2");
        }

        @Test
        void aTokenBeyondAllAcquisitionsIsWrong() {
            acquire(2, 0);
            assertWrong("token 2 of 1 acquisitions");
        }

        @Test
        void aSecondHolderWithinTheLeaseIsWrong() {
            acquire(1, 0);
            acquire(2, LEASE - 1);
            assertWrong("token 2 within the lease of token 1");
        }

        @Test
        void aSecondHolderWithinARenewedLeaseIsWrong() {
            LockModel.Acquisition first = acquire(1, 0);
            model.renewed(first, model.largest(), LEASE / 2, true);
            acquire(2, LEASE);
            assertWrong("token 2 within the lease of token 1");
        }

        @Test
        void aHolderBehindTheNextOneIsWrong() {
            LockModel.Acquisition first = acquire(1, 0);
            acquire(2, LEASE);
            model.isHeld(first, model.largest());
            assertWrong("token 1 holds it after token 2");
            model.renewed(first, model.largest(), LEASE, true);
            assertWrong("token 1 is renewed after token 2");
            release(first, true);
            assertWrong("token 1 is released after token 2");
        }

        @Test
        void aLossToNobodyIsWrong() {
            release(acquire(1, 0), false);
            assertWrong("token 1 is lost to nobody");
        }

        @Test
        void aFreeLockThatIsFoundHeldIsWrong() {
            release(acquire(1, 0), true);
            model.isHeldByOther(model.begins(1));
            assertWrong("nobody has acquired it");
        }

        @Test
        void aTokenThatIsLessOrMoreAtTheEndIsWrong() {
            acquire(1, 0);
            model.is(0);
            assertWrong("has token 0 at the end");
            model.is(2);
            assertWrong("has token 2 after 1 acquisitions");
        }
    }

    @Nested
    class OfRings {
        private final RingModel model = new RingModel("ring", wrong::add);

        private void send(int number) {
            model.sent(model.begins(number, 20));
        }

        private void receive(int number) {
            model.received(StructureValue.of(number, 20));
        }

        @Test
        void entriesInOrderAreRight() {
            send(1);
            RingModel.Entry arrivesBeforeItsSendEnds = model.begins(2, 20);
            model.begins(3, 20); // is cancelled
            receive(1);
            receive(2);
            model.sent(arrivesBeforeItsSendEnds);
            send(4);
            receive(4);
            model.ended();
            assertRight();
        }

        @Test
        void anEntryTwiceIsWrong() {
            send(1);
            receive(1);
            receive(1);
            assertWrong("entry 1 a second time");
        }

        @Test
        void anotherOrderIsWrong() {
            send(1);
            send(2);
            receive(2);
            assertWrong("entry 1 was left out");
            receive(1);
            assertWrong("entry 1 behind a later one");
        }

        @Test
        void anEntryThatWasOvertakenAndThenSentIsWrong() {
            RingModel.Entry first = model.begins(1, 20);
            send(2);
            receive(2);
            model.sent(first);
            assertWrong("entry 1 was left out");
        }

        @Test
        void aTornEntryIsWrong() {
            send(1);
            byte[] torn = StructureValue.of(1, 20);
            torn[9]++;
            model.received(torn);
            assertWrong("not a whole one");
        }

        @Test
        void aShortenedEntryIsWrong() {
            send(1);
            model.received(StructureValue.of(1, 12));
            assertWrong("another length");
        }

        @Test
        void anEntryThatNeverArrivesIsWrong() {
            send(1);
            model.ended();
            assertWrong("entry 1 was sent and never received");
        }
    }
}
