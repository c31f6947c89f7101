package io.rdma.samples.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.structures.VersionedValue;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Models of records and keys: each accepts right histories, and says what is wrong with a broken one. */
class VersionModelTest {
    private final List<String> wrong = new ArrayList<>();

    private void assertRight() {
        assertThat(wrong).isEmpty();
    }

    private void assertWrong(String what) {
        assertThat(wrong).anySatisfy(each -> assertThat(each).contains(what));
    }

    private static VersionedValue value(long version, int number) {
        return new VersionedValue(version, StructureValue.of(number, 20));
    }

    @Nested
    class OfRecords {
        private final VersionModel model = new VersionModel("record", false, wrong::add);

        private VersionModel.Change put(int number, long version) {
            VersionModel.Change put = model.putBegins(number, 20, null);
            model.put(put, version);
            return put;
        }

        @Test
        void putsAndGetsInTurnAreRight() {
            model.got(model.begins(), null);
            put(1, 1);
            model.got(model.begins(), value(1, 1));
            VersionModel.Change next = model.putBegins(2, 20, 1L);
            VersionModel.Begin beside = model.begins();
            model.put(next, 2);
            model.got(beside, value(1, 1));
            VersionModel.Change late = model.putBegins(3, 20, 1L);
            model.conflicted(late, 2);
            assertRight();
        }

        @Test
        void aPutOfUnknownOutcomeMayHaveHappened() {
            put(1, 1);
            model.putBegins(2, 20, null);
            model.got(model.begins(), value(1, 1));
            model.got(model.begins(), value(2, 2));
            assertRight();
        }

        @Test
        void aTornValueIsWrong() {
            put(1, 1);
            byte[] torn = StructureValue.of(1, 20);
            torn[19]++;
            model.got(model.begins(), new VersionedValue(1, torn));
            assertWrong("not a whole one");
        }

        @Test
        void aShortenedValueIsWrong() {
            put(1, 1);
            model.got(model.begins(), new VersionedValue(1, StructureValue.of(1, 12)));
            assertWrong("another length");
        }

        @Test
        void aValueThatWasNeverPutIsWrong() {
            model.got(model.begins(), value(1, 7));
            assertWrong("no value that was put");
        }

        @Test
        void anOldValueIsWrong() {
            put(1, 1);
            put(2, 2);
            model.got(model.begins(), value(1, 1));
            assertWrong("version 1 after version 2");
        }

        @Test
        void noValueAfterAPutIsWrong() {
            put(1, 1);
            model.got(model.begins(), null);
            assertWrong("no value, after version 1");
        }

        @Test
        void aValueUnderAnotherVersionIsWrong() {
            put(1, 1);
            model.putBegins(2, 20, null);
            model.got(model.begins(), value(2, 1));
            assertWrong("put 1 is two versions");
        }

        @Test
        void aVersionOfTwoPutsIsWrong() {
            put(1, 1);
            VersionModel.Change other = model.putBegins(2, 20, null);
            model.put(other, 1);
            assertWrong("two puts are version 1");
        }

        @Test
        void aVersionBeyondAllPutsIsWrong() {
            VersionModel.Change put = model.putBegins(1, 20, null);
            model.got(model.begins(), value(2, 1));
            assertWrong("version 2 after 1 puts");
            assertThat(put.length).isEqualTo(20);
        }

        @Test
        void aConditionalPutThatSkipsAVersionIsWrong() {
            put(1, 1);
            put(2, 2);
            model.put(model.putBegins(3, 20, 1L), 3);
            assertWrong("version 3 was put in place of 1");
        }

        @Test
        void aRefusedPutThatHappenedIsWrong() {
            put(1, 1);
            model.conflicted(model.putBegins(2, 20, 0L), 1);
            model.got(model.begins(), value(2, 2));
            assertWrong("put 2 was refused");
        }

        @Test
        void aRefusedPutThatHadHappenedIsWrong() {
            VersionModel.Change put = model.putBegins(1, 20, null);
            model.got(model.begins(), value(1, 1));
            model.refused(put);
            assertWrong("put 1 was refused");
        }

        @Test
        void aConflictWithTheExpectedVersionIsWrong() {
            put(1, 1);
            model.conflicted(model.putBegins(2, 20, 1L), 1);
            assertWrong("a conflict with version 1");
        }
    }

    @Nested
    class OfKeys {
        private final VersionModel model = new VersionModel("key", true, wrong::add);

        private void put(int number, long version) {
            model.put(model.putBegins(number, 20, null), version);
        }

        @Test
        void putsAndRemovalsInTurnAreRight() {
            put(1, 3);
            model.removed(model.removalBegins(null), true);
            model.got(model.begins(), null);
            model.removed(model.removalBegins(null), false);
            model.put(model.putBegins(2, 20, 0L), 9);
            model.removed(model.removalBegins(9L), true);
            assertRight();
        }

        @Test
        void aRemovalOfUnknownOutcomeMayHaveHappened() {
            put(1, 1);
            model.removalBegins(null);
            model.got(model.begins(), value(1, 1));
            model.got(model.begins(), null);
            assertRight();
        }

        @Test
        void noValueWithoutARemovalIsWrong() {
            model.removed(model.removalBegins(null), false);
            put(1, 2);
            model.got(model.begins(), null);
            assertWrong("no value, after version 2");
        }

        @Test
        void aRemovalBeforeThePutDoesNotExplainThatThereIsNoValue() {
            put(1, 1);
            model.removed(model.removalBegins(null), true);
            put(2, 3);
            model.got(model.begins(), null);
            assertWrong("no value, after version 3");
        }

        @Test
        void aRemovedValueThatComesBackIsWrong() {
            put(1, 1);
            model.removed(model.removalBegins(null), true);
            model.got(model.begins(), value(1, 1));
            assertWrong("version 1, which was removed");
        }

        @Test
        void aRemovalOfAnOldVersionIsWrong() {
            put(1, 1);
            put(2, 2);
            model.removed(model.removalBegins(1L), true);
            assertWrong("removed: version 1 after version 2");
        }

        @Test
        void aConditionalPutBehindAnotherOneIsWrong() {
            put(1, 1);
            VersionModel.Change late = model.putBegins(2, 20, 1L);
            put(3, 2);
            model.put(late, 3);
            assertWrong("a put replaced version 1, which was not the last");
        }

        @Test
        void aPutAsNewOverAValueIsWrong() {
            put(1, 1);
            model.put(model.putBegins(2, 20, 0L), 2);
            assertWrong("put as new: no value");
        }
    }
}
