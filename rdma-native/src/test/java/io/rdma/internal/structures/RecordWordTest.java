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
    void takeoversAreCountedUntilNoneIsLeft() {
        RecordWord word = NEW.claimedBy(1);
        for (int i = 0; i < RecordWord.MAX_ATTEMPT; i++) {
            assertThat(word.mayBeTakenOver()).isTrue();
            word = word.inheritedBy(2 + i);
        }
        assertThat(word.mayBeTakenOver()).isFalse();
        assertThat(word.published().claimedBy(1).mayBeTakenOver()).isTrue();
    }

    @Test
    void theVersionBehindTheLargestIsOne() {
        RecordWord last = new RecordWord(RecordWord.MAX_VERSION << 27).claimedBy(LAST);
        assertThat(last.version()).isEqualTo(RecordWord.MAX_VERSION);
        assertThat(last.published().version()).isOne();
    }
}
