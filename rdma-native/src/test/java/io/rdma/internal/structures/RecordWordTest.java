package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.structures.StructureLocation;
import org.junit.jupiter.api.Test;

/** The transitions of the word of a record. */
class RecordWordTest {
    private static final RecordWord NEW = new RecordWord(0);
    private static final int LAST = StructureLocation.MAX_WRITER;

    @Test
    void putsRotateThroughTheImages() {
        RecordWord word = NEW;
        for (int version = 1; version < 10; version++) {
            RecordWord claimed = word.claimedBy(LAST);
            assertThat(claimed.claimant()).isEqualTo(LAST);
            assertThat(claimed.version()).isEqualTo(version - 1);
            assertThat(claimed.target()).isNotEqualTo(word.current());
            RecordWord published = claimed.published();
            assertThat(published.isFree()).isTrue();
            assertThat(published.version()).isEqualTo(version);
            assertThat(published.current()).isEqualTo(claimed.target());
            assertThat(published.target()).isNotEqualTo(word.current()); // the longest ago current one
            word = published;
        }
    }

    @Test
    void theImageOfASuspectIsNoTargetUntilTheSuspectHasLeft() {
        for (RecordWord free = NEW; free.version() < 3; free = free.claimedBy(1).published()) {
            RecordWord claimed = free.claimedBy(2);
            RecordWord word = claimed.takenOverBy(3);
            assertThat(word.suspect()).isEqualTo(2);
            assertThat(word.attempt()).isOne();
            for (int i = 0; i < 5; i++) {
                assertThat(word.target()).isNotIn(claimed.target(), word.current());
                word = word.published();
                assertThat(word.suspect()).isEqualTo(2);
                assertThat(word.attempt()).isZero();
                assertThat(word.current()).isNotEqualTo(claimed.target());
                word = word.claimedBy(4);
            }
            assertThat(word.cleared().suspect()).isZero();
            assertThat(word.cleared().isSameAs(word)).isTrue();
        }
    }

    @Test
    void anInheritedClaimKeepsItsTarget() {
        RecordWord claimed = NEW.claimedBy(2);
        RecordWord inherited = claimed.inheritedBy(3);
        assertThat(inherited.target()).isEqualTo(claimed.target());
        assertThat(inherited.claimant()).isEqualTo(3);
        assertThat(inherited.suspect()).isZero();
        assertThat(inherited.isSameAs(NEW.claimedBy(3))).isFalse(); // another attempt
    }

    @Test
    void attemptsAreCountedModuloSixteenAndTouchNothingElse() {
        RecordWord first = NEW.claimedBy(1).published().claimedBy(1);
        RecordWord word = first;
        for (int i = 1; i <= 3 * RecordWord.ATTEMPTS; i++) {
            word = word.inheritedBy(1 + i);
            assertThat(word.attempt()).isEqualTo(i % RecordWord.ATTEMPTS);
            assertThat(word.claimant()).isEqualTo(1 + i);
            assertThat(word.version()).isOne();
            assertThat(word.target()).isEqualTo(first.target());
            assertThat(word.inheritedBy(1).equals(first)).isEqualTo((i + 1) % RecordWord.ATTEMPTS == 0);
        }
        assertThat(word.published().attempt()).isZero();
    }

    @Test
    void aClaimThatIsGivenBackLeavesTheTargetAndIsNoOtherFreeWord() {
        RecordWord free = NEW.claimedBy(1).published();
        RecordWord back = free.claimedBy(2).givenBack();
        assertThat(back.isFree()).isTrue();
        assertThat(back.version()).isOne();
        assertThat(back.current()).isEqualTo(free.current());
        assertThat(back.target()).isEqualTo(free.target());
        assertThat(back).isNotEqualTo(free);
        assertThat(back.claimedBy(2)).isNotEqualTo(free.claimedBy(2));
        RecordWord suspected = free.claimedBy(2).takenOverBy(3);
        assertThat(suspected.givenBack().suspect()).isEqualTo(2);
        assertThat(suspected.givenBack().target()).isEqualTo(suspected.target());
    }

    /** Why a late publication finds its own claim or fails, although attempts are counted modulo 16. */
    @Test
    void noClaimHasTheTargetOfASuspect() {
        RecordWord late = NEW.claimedBy(1).published().claimedBy(2);
        RecordWord word = late.takenOverBy(3);
        for (int i = 0; i < 3 * RecordWord.ATTEMPTS; i++) {
            word = i % 3 == 0 ? word.givenBack().claimedBy(2) : word.inheritedBy(2);
            assertThat(word.suspect()).isEqualTo(2);
            assertThat(word.target()).isNotEqualTo(late.target());
            assertThat(word).isNotEqualTo(late);
        }
    }

    @Test
    void theVersionBehindTheLargestIsOne() {
        RecordWord last = new RecordWord(RecordWord.MAX_VERSION << 27).claimedBy(LAST);
        assertThat(last.version()).isEqualTo(RecordWord.MAX_VERSION);
        assertThat(last.published().version()).isOne();
    }
}
