package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.loop.LoopCounts;
import org.junit.jupiter.api.Test;

/** Numbers of messages as a peer, a network and an enemy may send them. */
class MessageNumbersTest {
    private final LoopCounts counters = new LoopCounts();
    private final MessageNumbers numbers = new MessageNumbers(counters);

    private void assertLost(long messages) {
        assertThat(numbers.lost()).isEqualTo(messages);
    }

    /** Lets the receiver expect a number. */
    private long expect(int number) {
        assertThat(numbers.accept(1 << 30)).isTrue(); // on the way, so that it is a step ahead for any number
        assertThat(numbers.accept(number - 1)).isTrue();
        return numbers.lost();
    }

    @Test
    void gapsAreCounted() {
        assertThat(numbers.accept(0)).isTrue();
        assertThat(numbers.accept(1)).isTrue();
        assertLost(0);
        assertThat(numbers.accept(5)).isTrue();
        assertLost(3);
        assertThat(numbers.accept(6)).isTrue();
        assertLost(3);
        assertThat(counters.lost()).isEqualTo(3);
    }

    @Test
    void lossesBeforeTheFirstMessageAreCounted() {
        assertThat(numbers.accept(7)).isTrue();
        assertLost(7);
    }

    @Test
    void aGapAddsBoundedNumbersToTheCountOfAllConnections() {
        assertThat(numbers.accept(1 << 16)).isTrue();
        assertThat(counters.lost()).isEqualTo(1 << 16);
        long before = expect(0);
        for (int i = 0; i < 10; i++) {
            long loops = counters.lost();
            assertThat(numbers.accept(Integer.MIN_VALUE)).isTrue();
            assertThat(numbers.accept(0)).isTrue();
            assertThat(counters.lost() - loops).isEqualTo(2 << 16);
        }
        assertThat(numbers.lost() - before).isEqualTo((20L << 31) - 19);
    }

    @Test
    void copiesAndLateMessagesAreDropped() {
        assertThat(numbers.accept(1)).isTrue();
        assertThat(numbers.accept(1)).as("a copy").isFalse();
        assertThat(numbers.accept(0)).as("overtaken").isFalse();
        assertThat(numbers.accept(2)).isTrue();
        assertLost(1);
    }

    @Test
    void theNumbersWrapAround() {
        long before = expect(-1);
        assertThat(numbers.accept(-1)).isTrue();
        assertThat(numbers.accept(-2)).isFalse();
        assertThat(numbers.accept(0)).isTrue();
        assertThat(numbers.accept(-1)).as("a copy from before the wrap").isFalse();
        assertThat(numbers.accept(3)).isTrue();
        assertLost(before + 2);
    }

    /** A receiver may lose billions of messages while its application takes none; then it must go on. */
    @Test
    void moreThanHalfOfTheNumbersMayBeLostAtOnce() {
        long before = expect(1 << 20);
        assertThat(numbers.accept((1 << 20) - (1 << 16) - 1)).isTrue();
        assertLost(before + (1L << 32) - (1 << 16) - 1);
        assertThat(numbers.accept((1 << 20) - (1 << 16))).isTrue();
    }

    @Test
    void anyNumberLeavesTheReceiverReadyForTheNext() {
        for (int hostile : new int[] {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 16, -(1 << 16)}) {
            if (numbers.accept(hostile)) {
                assertThat(numbers.accept(hostile + 1)).isTrue();
            }
            assertThat(numbers.accept(hostile + (1 << 17))).isTrue();
            assertThat(numbers.lost()).isNotNegative();
        }
    }

    @Test
    void thisSideNumbersFromZero() {
        assertThat(numbers.next()).isZero();
        assertThat(numbers.next()).isOne();
    }
}
