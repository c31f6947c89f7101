package io.rdma.internal.soft.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.soft.wire.Psn;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Answers that a peer requests again after its timer has expired, as rdma_rxe does when answers are slow. */
class AnswerQueueTest {
    private static final int DEPTH = 4;

    private final AnswerQueue queue = new AnswerQueue(DEPTH);

    private void read(boolean fresh, int psn, int packets) {
        assertThat(queue.add(fresh, false, psn & Psn.MASK, packets)).isNotNull();
    }

    private List<Integer> answers() {
        List<Integer> psns = new ArrayList<>();
        while (!queue.isEmpty()) {
            AnswerQueue.Job job = queue.first();
            for (; job.sent < job.packets; job.sent++) {
                psns.add(Psn.add(job.psn, job.sent));
            }
            queue.removeFirst();
        }
        return psns;
    }

    @Test
    void answersWithoutBytesTakeNoRoomOfReads() {
        for (int psn = 0; psn < AnswerQueue.MOST_EMPTY; psn++) {
            assertThat(queue.hasRoomForEmpty()).isTrue();
            queue.addEmpty(true, psn);
        }
        assertThat(queue.hasRoomForEmpty()).isFalse();
        for (int i = 0; i < DEPTH; i++) {
            read(true, AnswerQueue.MOST_EMPTY + i, 1);
        }
        assertThat(queue.add(true, false, 1000, 1)).isNull();
        assertThat(answers()).hasSize(AnswerQueue.MOST_EMPTY + DEPTH);
        assertThat(queue.hasRoomForEmpty()).isTrue();
        for (int i = 0; i < DEPTH; i++) {
            queue.addEmpty(false, i);
        }
        assertThat(queue.add(false, false, 1000, 1)).as("more repeats").isNull();
    }

    @Test
    void answersAreInTheOrderOfThePsnsInSpiteOfRepeats() {
        read(true, 0xffffff, 1);
        queue.removeFirst();
        read(true, 0, 1);
        queue.removeFirst();
        read(true, 1, 2);
        read(false, 0xffffff, 1);
        read(false, 0, 1);
        assertThat(answers()).containsExactly(0xffffff, 0, 1, 2);
    }

    @Test
    void aPendingAnswerIsNotAddedAgain() {
        read(true, 10, 5);
        assertThat(queue.repeats(9)).isFalse();
        assertThat(queue.repeats(10)).isTrue();
        assertThat(queue.repeats(15)).isFalse();
        assertThat(answers()).containsExactly(10, 11, 12, 13, 14);
    }

    @Test
    void anAnswerUnderWayGoesBackToTheLostPacket() {
        read(true, 10, 5);
        queue.first().sent = 4;
        assertThat(queue.repeats(12)).isTrue();
        assertThat(queue.repeats(14)).as("to come anyway").isTrue();
        assertThat(answers()).containsExactly(12, 13, 14);
    }

    @Test
    void repeatsTakeNoRoomOfNewRequests() {
        for (int i = 0; i < DEPTH; i++) {
            read(false, i, 1);
        }
        assertThat(queue.add(false, false, DEPTH, 1)).isNull();
        for (int i = 0; i < DEPTH; i++) {
            read(true, 100 + i, 1);
        }
        assertThat(queue.add(true, false, 200, 1)).as("more than agreed").isNull();
        queue.removeFirst();
        assertThat(queue.add(true, false, 200, 1)).as("a repeat was answered").isNull();
        assertThat(queue.add(false, false, DEPTH, 1)).isNotNull();
    }

    @Test
    void resultsOfAtomicsOutliveRepeatedReads() {
        for (int i = 0; i < DEPTH; i++) {
            Objects.requireNonNull(queue.add(true, true, i, 1)).original = 1000 + i;
            queue.keep(i, 1000 + i);
            queue.removeFirst();
        }
        for (int i = 0; i < 2 * DEPTH; i++) {
            read(false, 100 + i, 1);
            queue.removeFirst();
        }
        for (int i = DEPTH - 1; i >= 0; i--) {
            queue.repeatAtomic(i);
            queue.repeatAtomic(i);
        }
        for (int i = 0; i < DEPTH; i++) {
            assertThat(queue.first().psn).isEqualTo(i);
            assertThat(queue.first().original).isEqualTo(1000 + i);
            queue.removeFirst();
        }
        assertThat(queue.isEmpty()).isTrue();
        queue.keep(DEPTH, 0);
        queue.repeatAtomic(0);
        assertThat(queue.isEmpty()).as("forgotten").isTrue();
    }
}
