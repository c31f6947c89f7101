package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.StructureLocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The numbers of the writers of a structure. */
class WriterNumbersTest {
    private final MemorySegment memory =
            Arena.ofAuto().allocate(StructureHeader.writerOffset(StructureLocation.MAX_WRITER + 1), Long.BYTES);
    private final WriterNumbers numbers = new WriterNumbers(memory);

    private boolean isInUse(int number) {
        return WriterNumbers.isInUse(memory.asSlice(StructureHeader.writerOffset(number)));
    }

    @Test
    void aNumberIsInUseFromTakeToGiveBack() {
        int first = numbers.take();
        assertThat(first).isOne();
        assertThat(isInUse(1)).isTrue();
        numbers.giveBack(1);
        assertThat(isInUse(1)).isFalse();
    }

    @Test
    void aNumberThatWasGivenBackIsNotUsedAgainSoon() {
        numbers.giveBack(numbers.take());
        for (int i = 2; i <= StructureLocation.MAX_WRITER; i++) {
            assertThat(numbers.take()).isEqualTo(i);
        }
        assertThat(numbers.take()).isOne();
        assertThatThrownBy(numbers::take)
                .isInstanceOfSatisfying(
                        StructureException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_MANY_WRITERS))
                .hasMessageContaining("close connections");
        numbers.giveBack(77);
        assertThat(numbers.take()).isEqualTo(77);
        assertThat(isInUse(77)).isTrue();
    }
}
