package io.rdma.samples.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages and walks that a stage refuses. */
class MessageTest {
    @Test
    void onlyAnEndIsAnAnswer() {
        Message.End end = new Message.End(1, 2);
        assertThat(end.answer()).isSameAs(end);
        assertThatThrownBy(new Message.Block(0, new long[1])::answer)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is that peer a stage?");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void aWalkWithoutBlocksIsRefused(long blocks) {
        assertThatThrownBy(() -> new Walk(blocks, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("one block at least, please, not " + blocks);
    }
}
