package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The codec of a ring: what a consumer takes for an entry. */
class RingLayoutTest {
    private final RingLayout layout = new RingLayout(8, 64);
    private final MemorySegment memory = Arena.ofAuto().allocate(layout.end(), 8);

    private void write(long position, byte[] bytes, int length) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, layout.offset(position), length);
    }

    @Test
    void anEntryIsThereWhenItsLastByteIs() {
        byte[] entry = layout.encode(0, new byte[] {1, 2, 3});
        for (int missing = 0; missing < entry.length; missing++) { // in whatever order they are written
            byte[] partly = entry.clone();
            partly[missing] = (byte) ~entry[missing];
            write(0, partly, partly.length);
            assertThat(layout.decode(memory, 0)).isNull();
        }
        write(0, entry, entry.length);
        RingLayout.Found found = layout.decode(memory, 0);
        assertThat(found.content()).containsExactly(1, 2, 3);
        assertThat(found.room()).isEqualTo(32);
    }

    @Test
    void anEntryOfAnotherRoundIsNotTaken() {
        byte[] entry = layout.encode(0, new byte[1]);
        write(0, entry, entry.length);
        assertThat(layout.decode(memory, 64)).isNull();
        byte[] next = layout.encode(64, new byte[2]);
        write(64, next, next.length);
        assertThat(layout.decode(memory, 64).content()).hasSize(2);
        assertThat(layout.decode(memory, 0)).isNull();
    }

    @Test
    void aFillerHasTheRestOfTheRound() {
        byte[] filler = layout.filler(48);
        write(48, filler, filler.length);
        assertThat(layout.decode(memory, 48)).isEqualTo(new RingLayout.Found(null, 16));
    }

    @Test
    void anEntryThatWouldReachBeyondTheEndIsNotTaken() {
        byte[] entry = layout.encode(48, new byte[1]);
        write(48, entry, 16);
        assertThat(layout.decode(memory, 48)).isNull();
    }

    @Test
    void aWordOfTheConsumerOfTwoMomentsIsNoPosition() {
        layout.taken(memory, 0x1_0000_0000L);
        MemorySegment word = memory.asSlice(layout.consumer(), RingLayout.CONSUMER);
        assertThat(RingLayout.taken(word)).isEqualTo(0x1_0000_0000L);
        word.set(ValueLayout.JAVA_INT_UNALIGNED, 0, 16);
        assertThat(RingLayout.taken(word)).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({"0, 16", "240, 256", "65520, 65536", "16, 16777216", "48, 4294967296", "4080, 8192"})
    void anyBytesOfTwoPositionsAreOneOfThemOrNone(long before, long after) {
        byte[][] words = {word(before), word(after)};
        for (int choice = 0; choice < 1 << 12; choice++) { // which of the two each byte is of
            byte[] mixed = new byte[RingLayout.CONSUMER];
            for (int i = 0; i < 12; i++) {
                mixed[i] = words[choice >>> i & 1][i];
            }
            assertThat(RingLayout.taken(MemorySegment.ofArray(mixed))).isIn(before, after, -1L);
        }
    }

    private byte[] word(long position) {
        layout.taken(memory, position);
        return memory.asSlice(layout.consumer(), RingLayout.CONSUMER).toArray(ValueLayout.JAVA_BYTE);
    }
}
